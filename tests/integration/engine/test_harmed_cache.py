"""A damaged cache never gives wrong outputs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.caches import empty, share
from tests.integration.engine.clone import Clone
from tests.integration.engine.full_disk import BASE, COMPONENT
from tests.integration.engine.scratch import Scratch


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    rewrite(path, bytes(data))


def truncate(path: Path) -> None:
    rewrite(path, path.read_bytes()[: path.stat().st_size // 2])


def erase(path: Path) -> None:
    rewrite(path, b"")


def rewrite(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    place = tmp_path_factory.mktemp("harmed")
    return Clone(place / "a clone", share(place / "cache"))


@pytest.mark.parametrize("harm", [flip, truncate, erase])
@pytest.mark.parametrize("what", ["ac", "cas", "index*"])
def test_a_harmed_cache(
    what: str, harm: Callable[[Path], None], clone: Clone, scratch: Scratch
) -> None:
    clone.check_out(BASE)
    clone.forget()
    empty(clone.cache)
    clone.build_here()
    clone.forget()
    actions = clone.cache / "actions"
    files = [path for found in actions.glob(what) for path in (found, *found.rglob("*"))]
    harmed = [path for path in files if path.is_file() and path.stat().st_size]
    assert harmed
    for path in harmed:
        harm(path)

    done = clone.build_here()

    assert done == {"skel/b/v68": "restored" if what == "index*" else "built"}
    assert clone.outputs()[COMPONENT] == scratch(BASE, COMPONENT).result()
    clone.forget()
    assert clone.build_here() == {"skel/b/v68": "restored"}
