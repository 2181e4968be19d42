"""A cache whose files are not what they were gives nothing wrong."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.engine.clone import Clone
from tests.integration.engine.full_disk import BASE, COMPONENT
from tests.integration.engine.scratch import Scratch


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    rewrite(path, bytes(data))


def truncate(path: Path) -> None:
    rewrite(path, path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    rewrite(path, b"")


def rewrite(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("harmed") / "a clone"


@pytest.mark.parametrize("harm", [flip, truncate, empty])
@pytest.mark.parametrize("what", ["ac", "cas", "index*"])
def test_a_harmed_cache(
    what: str, harm: Callable[[Path], None], place: Path, scratch: Scratch
) -> None:
    clone = Clone(place)
    clone.write(BASE)
    forget(clone)
    assert isinstance(clone.build(), dict)
    forget(clone)
    actions = Path(os.environ["BUILDTOOL_CACHE"]) / "actions"
    files = [path for found in actions.glob(what) for path in (found, *found.rglob("*"))]
    harmed = [path for path in files if path.is_file() and path.stat().st_size]
    assert harmed
    for path in harmed:
        harm(path)

    done = clone.build()

    assert done == {"skel/b/v68": "restored" if what == "index*" else "built"}
    assert clone.outputs()[COMPONENT] == scratch(BASE, COMPONENT).result()
    forget(clone)
    assert clone.build() == {"skel/b/v68": "restored"}


def forget(clone: Clone) -> None:
    """Leave the build trees, and nothing else that was built."""
    for name in ("state", "out", "stage"):
        shutil.rmtree(clone.root / ".buildtool" / name, ignore_errors=True)
