"""Data of a server is untrusted: it is checked before it is stored, and discarded when bad."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.cache.action import path_sets_document
from buildtool.cache.outputs import read_outputs
from buildtool.engine.lookup import CacheLookup, action_key
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import PathSet
from tests.limits import file_size_limit
from tests.opened_files import opened_files
from tests.unit.engine.lookup_clone import KEY, PATHS, Clone, Server, machine


class BadError(Exception):
    """The error of a failed check."""


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def victim(tmp_path: Path, server: Server) -> Clone:
    """A clone on a machine that uses a server, on which another machine stored its outputs."""
    Clone(tmp_path / "other", machine(tmp_path / "cache-2", server)).make()
    server.asked.clear()
    return Clone(tmp_path / "clone", machine(tmp_path / "cache", server))


def stored(lookup: CacheLookup) -> list[str]:
    """The names of the files in a local cache."""
    return [path.name for path in lookup.local.directory.glob("*c*/*/*")]


def test_what_a_check_refuses_leaves_no_trace(victim: Clone) -> None:
    victim.out.mkdir(parents=True)
    (victim.out / "old").touch()
    hit = victim.lookup.find(KEY, victim.roots, FileStates())
    assert hit
    seen = []

    def check(folder: Path) -> None:
        seen.append((folder / "bin/link").read_text())
        raise BadError

    with pytest.raises(BadError):
        victim.lookup.restore(hit, victim.out, check)

    assert seen == ["made of one"]
    assert [path.name for path in victim.out.parent.rglob("*")] == ["out", "old"]
    assert stored(victim.lookup) == []


def test_a_rejected_action_is_not_asked_for_again(victim: Clone, server: Server) -> None:
    hit = victim.lookup.find(KEY, victim.roots, FileStates())
    assert hit
    victim.lookup.reject(hit.action_key, hit.record.server)
    assert stored(victim.lookup)
    server.asked.clear()

    assert victim.restore() == ""
    assert server.asked == [KEY]
    # The rejection does not apply to another server.
    server.url = "http://other.invalid"
    assert victim.restore() == "remote: made of one"


def test_a_rejected_action_is_no_longer_here(victim: Clone, server: Server) -> None:
    assert victim.restore() == "remote: made of one"
    hit = victim.lookup.find(KEY, victim.roots, FileStates())
    assert hit
    assert (hit.origin, hit.record.server) == ("local", server.url)

    victim.lookup.reject(hit.action_key, hit.record.server)

    assert victim.restore() == ""
    victim.make()  # this action is found, the server's is not
    assert victim.restore() == "local: made of one"


def test_a_cache_that_cannot_be_written_rejects_for_this_time(victim: Clone) -> None:
    hit = victim.lookup.find(KEY, victim.roots, FileStates())
    assert hit
    with file_size_limit(0):
        victim.lookup.reject(hit.action_key, hit.record.server)


def change(server: Server, name: str, **fields: Any) -> None:
    data, files = server.documents[name]
    server.documents[name] = json.dumps({**json.loads(data), **fields}).encode(), files


@pytest.mark.parametrize(
    "fields",
    [
        {"step": "b" * 64},
        {"inputs": {}},
        {"inputs": {"files": ["//proc/self/pagemap"], "absent": [], "globs": []}},
        {"outputs": [{"path": "a", "kind": "file", "digest": "c" * 64, "size": (4 << 30) + 1}]},
    ],
)
def test_an_action_of_another_step(fields: dict[str, Any], victim: Clone, server: Server) -> None:
    change(server, action_key(KEY, victim.inputs(), ""), **fields)

    assert victim.restore() == ""

    assert len(server.messages) == 1
    assert server.messages[0].startswith("sent an action ")
    assert stored(victim.lookup) == []
    assert victim.lookup.known(KEY) == ()


def test_a_file_whose_size_differs_from_the_action(victim: Clone, server: Server) -> None:
    name = action_key(KEY, victim.inputs(), "")
    outputs = json.loads(server.documents[name][0])["outputs"]
    for output in outputs:
        if "size" in output:
            output["size"] += 1
    change(server, name, outputs=outputs)

    assert victim.restore() == ""
    assert server.messages == ["sent an action whose files are not those it lists"]


def test_what_cannot_be_laid_down_is_a_miss(victim: Clone, server: Server) -> None:
    long = "/".join(["x" * 254] * 16)  # too long together with the path of the clone
    change(
        server,
        action_key(KEY, victim.inputs(), ""),
        outputs=[{"path": long, "kind": "link", "target": "y"}],
    )

    assert victim.restore() == "lost"
    assert len(server.messages) == 1
    assert "cannot be written here" in server.messages[0]
    assert stored(victim.lookup) == []


def test_a_server_may_not_take_forever(
    victim: Clone, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each single response is fast enough, but their number is unlimited."""
    monkeypatch.setattr("buildtool.engine.lookup.PATIENCE", -99.0)

    victim.restore()

    assert server.messages == ["is slow: the files took more than -99 s"]


HOSTILE = {
    "//proc": PathSet(files=("//proc/self/pagemap",)),
    "out of the project": PathSet(files=("{project}/../../../../../../../proc/self/pagemap",)),
    "kmsg": PathSet(files=("/proc/kmsg",)),
    "a home's": PathSet(files=("/home/somebody/.netrc",)),
    "absent": PathSet(absent=("/home/somebody/.netrc",)),
    "all globs": PathSet(globs=(Glob("/**", deep=True),)),
    "deep globs": PathSet(globs=(Glob("/usr/**/a/**/b/**/x", deep=True),)),
}


@pytest.mark.parametrize("paths", HOSTILE.values(), ids=HOSTILE)
def test_a_server_does_not_say_what_is_looked_at(
    paths: PathSet, victim: Clone, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("buildtool.engine.remote_paths.MAX_ENTRIES", 1000)
    server.documents[KEY] = path_sets_document([paths.as_json(), PATHS.as_json()]), {}

    with opened_files() as looked:
        found = victim.restore()

    assert looked
    own = (str(victim.root.parent), "/usr")
    assert not [path for path in looked if not path.startswith(own) or ".." in path]
    assert len(server.messages) == 1
    if paths.globs and "usr" in paths.globs[0].expression:
        assert server.messages == ["sent path sets that take too long to examine"]
        assert found == ""
        assert len(server.asked) == 1
    else:
        assert server.messages[0].startswith("lists ")
        assert found == "remote: made of one"
        assert server.asked == [KEY, action_key(KEY, victim.inputs(), "")]


def test_a_server_is_not_asked_for_what_is_for_one_place_only(
    victim: Clone, server: Server
) -> None:
    victim.write("two")

    assert victim.restore() == ""

    assert server.asked == [KEY, action_key(KEY, victim.inputs(), "")]


VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(None, True, 0, -1, 1 << 70, 1e300, "", "/", "//", "..", "{project}", "{project}/../x"),
        *("a.c", "/proc/self/mem", "\ud800", "\0", "x" * 5000, "{", "[", "*", "**", KEY, "b" * 64),
        *("link", "executable", [], {}, [[]], ["/"], ["{project}/a.c", "{project}/a.c"]),
    ]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values within a JSON value."""
    rows: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, list):
        rows = enumerate(value)
    elif isinstance(value, dict):
        rows = value.items()
    return [path, *(place for key, one in rows for place in places(one, (*path, key)))]


@given(st.data())
def test_no_change_of_a_document_does_harm(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("changed")
    server = Server()
    Clone(folder / "other", machine(folder / "cache-2", server)).make()
    clone = Clone(folder / "clone", machine(folder / "cache", server))
    name = data.draw(st.sampled_from([KEY, action_key(KEY, clone.inputs(), "")]))
    text, files = server.documents[name]
    content = json.loads(text)
    for _ in range(data.draw(st.integers(1, 3))):
        *above, key = data.draw(st.sampled_from([place for place in places(content) if place]))
        target = content
        for part in above:
            target = target[part]
        match data.draw(st.sampled_from(["replace", "delete", "repeat"])):
            case "replace":
                target[key] = copy.deepcopy(data.draw(VALUES))
            case "delete":
                del target[key]
            case _ if isinstance(target, list):
                target.append(target[key])
    server.documents[name] = json.dumps(content).encode(), files
    before = sorted(path.name for path in clone.root.rglob("*"))

    hit = clone.lookup.find(KEY, clone.roots, FileStates())

    done = hit and clone.lookup.restore(hit, clone.out)
    after = [
        path.name for path in clone.root.rglob("*") if not path.is_relative_to(clone.out.parent)
    ]
    assert sorted(after) == before
    if not done:
        assert not clone.out.exists()
        assert stored(clone.lookup) == []
    else:
        assert hit
        assert read_outputs(clone.out) == hit.record.outputs
        assert clone.lookup.known(KEY) == (clone.inputs(),)
    clone.lookup.local.close()
