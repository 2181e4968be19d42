"""What is in a release on a device, as a scan of the device finds it."""

from __future__ import annotations

from buildtool.deploy.contents import parse_scan, scan_text
from buildtool.deploy.stream import MAX_NAMES, changes

DIGEST = "0" * 64


def test_names_of_sections_are_names_of_files() -> None:
    names = ("755", "644", "other", "links", "dangling", "targets", "a/links", "b/dangling")
    contents = {
        **dict.fromkeys(names, f"644 {DIGEST}"),
        **{f"link {name}": f"-> {name}" for name in (*names, " ", "\t", "->")},
    }
    assert parse_scan(scan_text(contents)) == contents


def test_escapes_of_sha256sum() -> None:
    text = f"755\n644\n\\{DIGEST}  ./a\\\\b\\rc\\nd\nother\nlinks\ndangling\ntargets"
    assert parse_scan(text) == {"a\\b\rc\nd": f"644 {DIGEST}"}


def test_many_names_are_removed_in_parts_and_first() -> None:
    have = {f"{index:0100}": f"644 {DIGEST}" for index in range(1000)}
    wanted = {"new": f"644 {DIGEST}"}
    rounds = 0
    while (change := changes(have, wanted)).more:
        rounds += 1
        assert sum(map(len, change.removed)) < MAX_NAMES
        assert change.added == ()
        have = {path: state for path, state in have.items() if path not in change.removed}
    assert rounds == 4
    assert change.added == ("new",)


def test_one_name_may_be_longer_than_a_part() -> None:
    have = {"a" * MAX_NAMES: "644", "b": "644"}
    assert changes(have, {}).removed == ("a" * MAX_NAMES,)
