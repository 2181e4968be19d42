"""The outputs of earlier executions are found: of this clone, of another one, on a server."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from buildtool.engine.lookup import RECENT, CacheLookup, action_key
from buildtool.engine.record import StepRecord
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import PathSet, observe
from buildtool.inputs.roots import Roots
from buildtool.plan.component_step import named_roots
from tests.unit.engine.lookup_clone import KEY, PATHS, Clone, Server, machine
from tests.unit.engine.virtual_step import VirtualFiles


@pytest.fixture
def lookup(tmp_path: Path) -> Iterator[CacheLookup]:
    lookup = machine(tmp_path / "cache")
    yield lookup
    lookup.local.close()


@pytest.fixture
def here(tmp_path: Path, lookup: CacheLookup) -> Clone:
    return Clone(tmp_path / "here" / "clone", lookup)


@pytest.fixture
def there(tmp_path: Path, lookup: CacheLookup) -> Clone:
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
    roots = Roots({**here.roots.directories, "sdk": here.root})
    foreign = observe(PathSet.of(["{sdk}/a.c"]), roots, FileStates())
    here.lookup.store(StepRecord(KEY, foreign, (), 1.0), here.out)
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

    here.write("0")  # no longer a recent state, but still in the cache
    assert here.nearest()[0] == RECENT
    assert len(here.nearest()[1]) == 1
    assert here.restore() == "local: made of 0"


@pytest.mark.parametrize("data", [b"", b"{}", b"7", b'["x", "../y"]', b"[1]", b"\xff", b"[" * 9999])
def test_an_invalid_list_of_states_is_ignored(data: bytes, here: Clone) -> None:
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


def test_an_action_under_another_name_is_ignored(here: Clone) -> None:
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
    # The machine no longer needs the server.
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
    for number, name in enumerate(("a.h", "other.h")):  # each of them is in one path set only
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


def test_files_above_the_project_are_those_of_the_clone(
    lookup: CacheLookup, tmp_path: Path
) -> None:
    """One clone looks at no file of another one, and finds its result if its own files fit."""
    files = VirtualFiles()

    def roots(clone: str) -> Roots:
        return named_roots(Path(clone, "app"), Path(clone, "app/tree"), {})

    def finds(clone: str) -> bool:
        return lookup.find(KEY, roots(clone), files) is not None

    name_of = roots("/w/one").name_of
    paths = PathSet.of(
        [name_of("/w/one/top.h")],
        [name_of("/w/one/first/top.h")],
        [Glob(f"{name_of('/w/one/parts')}/*.c")],
    )
    for clone in ("/w/one", "/w/two", "/x/y/z/three"):
        files.write(f"{clone}/top.h", "1")
        files.write(f"{clone}/parts/a.c", "")
    record = StepRecord(KEY, observe(paths, roots("/w/one"), files), (), 1.0)
    lookup.store(record, tmp_path)

    files.write("/w/one/top.h", "2")
    assert not finds("/w/one")
    assert finds("/w/two")
    assert finds("/x/y/z/three")
    assert not finds("/x/y/z")  # it has no such files
    for file in ("top.h", "first/top.h", "parts/b.c"):
        files.write(f"/w/two/{file}", "2")
        assert not finds("/w/two")
        files.delete(f"/w/two/{file}")
        files.write("/w/two/top.h", "1")
        assert finds("/w/two")


@pytest.mark.parametrize("git", [True, False])
def test_a_server_names_files_above_the_project_in_its_repository(
    git: bool, tmp_path: Path
) -> None:
    """Elsewhere a server could test guesses of what is in any file beside the clone."""
    server = Server()
    lookups = [machine(tmp_path / f"cache {name}", server) for name in ("one", "two")]
    places = [tmp_path / "one", tmp_path / "deep/two"]
    for place in places:
        (place / "app").mkdir(parents=True)
        (place / "top.h").write_text("one")
        if git:
            (place / ".git").mkdir()
    roots = [named_roots(place / "app", place / "app/tree", {}) for place in places]
    paths = PathSet.of([roots[0].name_of(places[0] / "top.h")])
    record = StepRecord(KEY, observe(paths, roots[0], FileStates()), (), 1.0)
    lookups[0].store(record, tmp_path)

    hit = lookups[1].find(KEY, roots[1], FileStates())
    if git:
        assert hit
        assert hit.origin == "remote"
        assert not server.messages
    else:
        assert hit is None
        assert "lists '{parent1}/top.h', which is in no directory of" in server.messages[0]
    (places[1] / "top.h").write_text("two")
    assert lookups[1].find(KEY, roots[1], FileStates()) is None
    for lookup in lookups:
        lookup.local.close()
