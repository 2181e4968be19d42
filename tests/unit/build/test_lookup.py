"""What was carried out before is found again: in this clone, in another one, through a server."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from buildtool.build import disk
from buildtool.build.cache.action import path_sets_document
from buildtool.build.cache.local import LocalCache
from buildtool.build.cache.outputs import read_outputs
from buildtool.build.cache.remote import RemoteCache
from buildtool.build.disk import Disk
from buildtool.build.globs import Glob
from buildtool.build.inputs import InputSet, PathSet, observe
from buildtool.build.lookup import RECENT, Kept, Lookup, action_key
from buildtool.build.roots import Roots

KEY = "a" * 64
PATHS = PathSet.of(["{project}/a.c"], ["{project}/a.h"], [Glob("{project}/*.c")])


@dataclasses.dataclass(frozen=True)
class Clone:
    """A clone with a source, and what a step made of it, as it seems."""

    root: Path
    lookup: Lookup

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True)
        self.write("one")

    def write(self, text: str, name: str = "a.c") -> None:
        (self.root / name).write_text(text)

    @property
    def roots(self) -> Roots:
        return Roots({"project": self.root, "zig": self.root.parent / "zig"})

    @property
    def out(self) -> Path:
        return self.root / ".buildtool" / "out"

    def inputs(self, paths: PathSet = PATHS) -> InputSet:
        return observe(paths, self.roots, Disk())

    def make(
        self, *, bound: bool = False, paths: PathSet = PATHS, key: str = KEY, more: str = ""
    ) -> None:
        """Carry the step out, as it seems, and keep what it made."""
        shutil.rmtree(self.out, ignore_errors=True)
        (self.out / "bin").mkdir(parents=True)
        (self.out / "bin" / "app").write_text(f"made of {(self.root / 'a.c').read_text()}{more}")
        (self.out / "bin" / "app").chmod(0o755)
        (self.out / "bin" / "link").symlink_to("app")
        kept = Kept(read_outputs(self.out), self.out, str(self.root) if bound else "")
        self.lookup.store(key, self.inputs(paths), kept, 1.0)

    def restore(self, key: str = KEY) -> str:
        """What is found for what there is now: the cache, then the text that is restored."""
        hit = self.lookup.find(key, self.roots, Disk())
        if hit is None:
            return ""
        assert hit.inputs == self.inputs(hit.inputs.paths)
        shutil.rmtree(self.out, ignore_errors=True)
        if not self.lookup.restore(hit, self.out):
            assert not self.out.exists()
            return "lost"
        assert (self.out / "bin" / "app").stat().st_mode & 0o777 == 0o755
        return f"{hit.origin}: {(self.out / 'bin' / 'link').read_text()}"

    def nearest(self) -> tuple[int, list[str]]:
        known = self.lookup.known(KEY)
        rows = self.lookup.nearest(known, self.roots, Disk())
        return len(known), [row.text for row in rows]


class Server:
    """A remote cache without a wire, that never fails."""

    url = "http://cache.invalid"

    def __init__(self, *, writable: bool = True) -> None:
        self.writable = writable
        self.told: list[str] = []
        self.documents: dict[str, tuple[bytes, dict[str, bytes]]] = {}
        self.asked: list[str] = []

    def put(self, key: str, data: bytes, files: Mapping[str, Path]) -> bool:
        self.documents[key] = data, {name: file.read_bytes() for name, file in files.items()}
        return True

    @property
    def trouble(self) -> Any:
        return SimpleNamespace(bad=self.told.append, passed_over=self.told.append, lost=self.lost)

    def lost(self, what: str) -> None:
        self.told.append(what)
        self.documents.clear()

    def document(self, key: str) -> Any:
        self.asked.append(key)
        if key not in self.documents:
            return None
        data, files = self.documents[key]
        return Document(data, files)


@dataclasses.dataclass(frozen=True)
class Document:
    data: bytes
    blobs: Mapping[str, bytes]

    @property
    def files(self) -> dict[str, int]:
        return {digest: len(blob) for digest, blob in self.blobs.items()}

    def fetch(self, digest: str, into: Path) -> bool:
        if digest in self.blobs:
            into.write_bytes(self.blobs[digest])
        return digest in self.blobs


class BadError(Exception):
    """What a check finds."""


def machine(folder: Path, server: Server | None = None) -> Lookup:
    """The caches of a machine that keeps its own in `folder`."""
    cache = LocalCache(folder, 1 << 30, lambda _: None)
    return Lookup(cache, cast(RemoteCache, server))


@pytest.fixture
def lookup(tmp_path: Path) -> Iterator[Lookup]:
    lookup = machine(tmp_path / "cache")
    yield lookup
    lookup.local.close()


@pytest.fixture
def here(tmp_path: Path, lookup: Lookup) -> Clone:
    return Clone(tmp_path / "here" / "clone", lookup)


@pytest.fixture
def there(tmp_path: Path, lookup: Lookup) -> Clone:
    return Clone(tmp_path / "there" / "a clone", lookup)


def test_nothing_is_found_where_nothing_was_made(here: Clone) -> None:
    assert here.restore() == ""
    assert here.nearest() == (0, [])


def test_every_state_that_was_made_is_found_again(here: Clone) -> None:
    for text in ("one", "two"):
        here.write(text)
        here.make()

    for text in ("one", "two", "one"):
        here.write(text)
        assert here.restore() == f"local: made of {text}"
    here.write("three")
    assert here.restore() == ""
    here.write("one")
    assert here.restore(key="b" * 64) == ""


def test_steps_that_read_the_same_have_outputs_of_their_own(here: Clone) -> None:
    here.make()
    here.make(key="b" * 64, more=" with another flag")

    assert here.restore() == "local: made of one"
    assert here.restore(key="b" * 64) == "local: made of one with another flag"


def test_a_clone_elsewhere_finds_it(here: Clone, there: Clone) -> None:
    here.make()

    assert there.restore() == "local: made of one"


def test_what_appears_and_what_a_glob_matches_counts(here: Clone, there: Clone) -> None:
    here.make()
    there.write("", "a.h")
    assert there.restore() == ""
    (there.root / "a.h").unlink()
    there.write("", "b.c")
    assert there.restore() == ""
    (there.root / "b.c").unlink()
    assert there.restore() == "local: made of one"


def test_what_has_the_clone_s_place_in_it_is_for_that_place_only(here: Clone, there: Clone) -> None:
    here.make(bound=True)

    assert here.restore() == "local: made of one"
    assert there.restore() == ""


def test_path_sets_with_roots_of_others_are_passed_over(here: Clone) -> None:
    here.make()
    foreign = PathSet.of(["{project}/a.c", "{sdk}/include/a.h"])
    here.lookup.local.add_path_set(KEY, foreign.as_json())
    broken: dict[str, Any] = {"files": ["../a"], "absent": 1}
    here.lookup.local.add_path_set(KEY, broken)

    assert here.restore() == "local: made of one"


def test_states_with_roots_of_others_are_not_the_nearest(here: Clone) -> None:
    roots = Roots({**here.roots.places, "sdk": here.root})
    foreign = observe(PathSet.of(["{sdk}/a.c"]), roots, Disk())
    here.lookup.store(KEY, foreign, Kept((), here.out, ""), 1.0)
    here.make()
    here.write("two")

    assert here.nearest()[0] == 2
    assert len(here.nearest()[1]) == 1
    assert here.nearest()[1][0].startswith("{project}/a.c changed: ")


def test_the_nearest_state_is_the_one_with_the_fewest_differences(here: Clone) -> None:
    for text in ("one", "two", "one", "two"):
        here.write(text)
        here.make()
    here.write("", "a.h")
    here.write("", "b.c")
    here.make()
    (here.root / "a.h").unlink()

    assert here.nearest() == (3, ["{project}/a.h is gone"])

    here.write("three")
    (here.root / "b.c").unlink()
    old, new = (hashlib.sha256(text).hexdigest()[:8] for text in (b"two", b"three"))
    assert here.nearest() == (3, [f"{{project}}/a.c changed: {old} → {new}"])


def test_as_many_states_are_kept_in_mind_as_are_of_use(here: Clone) -> None:
    for number in range(RECENT + 2):
        here.write(str(number))
        here.make()
    assert here.nearest() == (RECENT, [])

    here.write("0")  # no longer in mind, and still in the cache
    assert here.nearest()[0] == RECENT
    assert len(here.nearest()[1]) == 1
    assert here.restore() == "local: made of 0"


@pytest.mark.parametrize("data", [b"", b"{}", b"7", b'["x", "../y"]', b"[1]", b"\xff", b"[" * 9999])
def test_a_list_of_states_that_nobody_wrote_is_none(data: bytes, here: Clone) -> None:
    here.make()
    name = hashlib.sha256(f"recent\n{KEY}".encode()).hexdigest()
    assert here.lookup.known(KEY)
    here.lookup.local.put_document(name, data)

    assert here.nearest() == (0, [])
    assert here.restore() == "local: made of one"


def test_an_action_whose_file_is_lost_restores_nothing(here: Clone) -> None:
    here.make()
    for blob in (here.lookup.local.directory / "cas").rglob("*"):
        if blob.is_file():
            blob.unlink()

    assert here.restore() == "lost"
    assert not here.out.exists()


def test_an_action_under_another_s_name_is_none(here: Clone) -> None:
    here.make()
    here.write("two")
    local = here.lookup.local
    name = action_key(KEY, here.inputs(), "")
    here.write("one")
    action = local.document(action_key(KEY, here.inputs(), ""))
    assert action
    local.put_document(name, action)
    here.write("two")

    assert here.restore() == ""


def test_two_machines_share_a_server(tmp_path: Path) -> None:
    server = Server()
    one = Clone(tmp_path / "one", machine(tmp_path / "cache-1", server))
    two = Clone(tmp_path / "two", machine(tmp_path / "cache-2", server))
    one.make()

    assert two.restore() == "remote: made of one"
    # From now on it has no need of the server.
    asked = len(server.asked)
    assert two.restore() == "local: made of one"
    assert len(server.asked) == asked
    assert two.nearest() == (1, [])
    two.write("two")
    assert two.restore() == ""


def test_path_sets_of_several_machines_are_on_the_server(tmp_path: Path) -> None:
    server = Server()
    other = PathSet.of(["{project}/a.c", "{project}/other.h"])
    for number, paths in enumerate((PATHS, other)):
        folder = tmp_path / str(number)
        Clone(folder / "clone", machine(folder / "cache", server)).make(paths=paths)
    for number, name in enumerate(("a.h", "other.h")):  # each of which only one looked at
        reader = Clone(tmp_path / f"reader {number}", machine(tmp_path / name, server))
        reader.write("", name)
        assert reader.restore() == "remote: made of one"


def test_a_server_that_is_only_read_gets_nothing(tmp_path: Path) -> None:
    server = Server(writable=False)
    clone = Clone(tmp_path / "clone", machine(tmp_path / "cache", server))

    clone.make()

    assert not server.documents
    assert clone.restore() == "local: made of one"


def test_what_has_the_clone_s_place_in_it_is_not_shared(tmp_path: Path) -> None:
    server = Server()
    clone = Clone(tmp_path / "clone", machine(tmp_path / "cache", server))

    clone.make(bound=True)

    assert not server.documents


def test_a_server_that_holds_anything_is_a_miss(tmp_path: Path) -> None:
    server = Server()
    clone = Clone(tmp_path / "clone", machine(tmp_path / "cache", server))
    for data in (b"", b"{}", b"\xff", b"[" * 9999, b'{"version": 1, "document": "path sets"}'):
        server.documents = {KEY: (data, {})}
        assert clone.restore() == ""

    Clone(tmp_path / "other", machine(tmp_path / "cache-2", server)).make()
    name = action_key(KEY, clone.inputs(), "")
    data, files = server.documents[name]
    for harmed in (b"", data[:-2], data.replace(b'"bin/app"', b'"../../app"')):
        server.documents[name] = (harmed, files)
        assert clone.restore() == ""
    server.documents[name] = (data, {})
    assert clone.restore() == "lost"
    assert not (tmp_path / "app").exists()


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def victim(tmp_path: Path, server: Server) -> Clone:
    """A clone on a machine that asks a server, where another one stored what it made."""
    Clone(tmp_path / "other", machine(tmp_path / "cache-2", server)).make()
    server.asked.clear()
    return Clone(tmp_path / "clone", machine(tmp_path / "cache", server))


def stored(lookup: Lookup) -> list[str]:
    """What is in a local cache."""
    return [path.name for path in lookup.local.directory.glob("*c*/*/*")]


def test_what_a_check_refuses_leaves_no_trace(victim: Clone) -> None:
    victim.out.mkdir(parents=True)
    (victim.out / "old").touch()
    hit = victim.lookup.find(KEY, victim.roots, Disk())
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
    hit = victim.lookup.find(KEY, victim.roots, Disk())
    assert hit
    victim.lookup.reject(hit.action.action_key, hit.action.server)
    assert stored(victim.lookup)
    server.asked.clear()

    assert victim.restore() == ""
    assert server.asked == [KEY]
    # Another server is not blamed for it.
    server.url = "http://other.invalid"
    assert victim.restore() == "remote: made of one"


def test_a_rejected_action_is_no_longer_here(victim: Clone, server: Server) -> None:
    assert victim.restore() == "remote: made of one"
    hit = victim.lookup.find(KEY, victim.roots, Disk())
    assert hit
    assert (hit.origin, hit.action.server) == ("local", server.url)

    victim.lookup.reject(hit.action.action_key, hit.action.server)

    assert victim.restore() == ""
    victim.make()  # what is built instead is found, though the server's is not
    assert victim.restore() == "local: made of one"


def test_a_cache_that_cannot_be_written_rejects_for_this_time(
    victim: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    hit = victim.lookup.find(KEY, victim.roots, Disk())
    assert hit
    monkeypatch.setattr(victim.lookup.local.store, "write_document", full)
    victim.lookup.reject(hit.action.action_key, hit.action.server)


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
def test_an_action_that_is_none_of_the_step_s(
    fields: dict[str, Any], victim: Clone, server: Server
) -> None:
    change(server, action_key(KEY, victim.inputs(), ""), **fields)

    assert victim.restore() == ""

    assert len(server.told) == 1
    assert server.told[0].startswith("sent an action ")
    assert stored(victim.lookup) == []
    assert victim.lookup.known(KEY) == ()


def test_a_file_of_another_size_than_the_action_says(victim: Clone, server: Server) -> None:
    name = action_key(KEY, victim.inputs(), "")
    outputs = json.loads(server.documents[name][0])["outputs"]
    for output in outputs:
        if "size" in output:
            output["size"] += 1
    change(server, name, outputs=outputs)

    assert victim.restore() == ""
    assert server.told == ["sent an action with other files than it lists"]


def test_what_cannot_be_laid_down_is_a_miss(victim: Clone, server: Server) -> None:
    long = "/".join(["x" * 250] * 16)  # longer than any path, with the clone's in front of it
    change(
        server,
        action_key(KEY, victim.inputs(), ""),
        outputs=[{"path": long, "kind": "link", "target": "y"}],
    )

    assert victim.restore() == "lost"
    assert len(server.told) == 1
    assert "cannot be laid down here" in server.told[0]
    assert stored(victim.lookup) == []


def test_a_server_may_not_take_forever(
    victim: Clone, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer is quick enough; there are as many as it likes."""
    monkeypatch.setattr("buildtool.build.lookup.PATIENCE", -99.0)

    victim.restore()

    assert server.told == ["is slow: it was waited for -99 s"]


HOSTILE = {
    "//proc": PathSet(files=("//proc/self/pagemap",)),
    "out of the project": PathSet(files=("{project}/../../../../../../../proc/self/pagemap",)),
    "kmsg": PathSet(files=("/proc/kmsg",)),
    "a home's": PathSet(files=("/root/.netrc",)),
    "absent": PathSet(absent=("/root/.netrc",)),
    "all globs": PathSet(globs=(Glob("/**", deep=True),)),
    "deep globs": PathSet(globs=(Glob("/usr/**/a/**/b/**/x", deep=True),)),
}


@pytest.mark.parametrize("paths", HOSTILE.values(), ids=HOSTILE)
def test_a_server_does_not_say_what_is_looked_at(
    paths: PathSet, victim: Clone, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("buildtool.build.remote_paths.MAX_ENTRIES", 1000)
    server.documents[KEY] = path_sets_document([paths.as_json(), PATHS.as_json()]), {}
    looked: list[str] = []
    look, listed = Disk._read_whole, disk._list
    monkeypatch.setattr(Disk, "_read_whole", lambda d, path: looked.append(path) or look(d, path))
    monkeypatch.setattr(disk, "_list", lambda path: looked.append(path) or listed(path))

    found = victim.restore()

    assert looked
    own = (str(victim.root.parent), "/usr")
    assert not [path for path in looked if not path.startswith(own) or ".." in path]
    assert len(server.told) == 1
    if paths.globs and "usr" in paths.globs[0].expression:
        assert server.told == ["sent path sets that take too long to look at"]
        assert found == ""
        assert len(server.asked) == 1
    else:
        assert server.told[0].startswith("lists ")
        assert found == "remote: made of one"
        assert server.asked == [KEY, action_key(KEY, victim.inputs(), "")]


def test_a_server_is_not_asked_for_what_is_for_one_place_only(
    victim: Clone, server: Server
) -> None:
    victim.write("two")

    assert victim.restore() == ""

    assert server.asked == [KEY, action_key(KEY, victim.inputs(), "")]
