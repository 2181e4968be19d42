"""Reports of records that are damaged or hostile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.core.files import read_checksummed, write_checksummed
from buildtool.core.history import BUILDS, DIRECTORY, RELEASES, RUNS, TESTS
from buildtool.project.model import Project
from buildtool.report.markdown import markdown_text
from buildtool.report.report import html_page, make_report
from tests.unit.report.example import write_example
from tests.unit.report.test_report import Page

NAMES = (BUILDS, RELEASES, TESTS, RUNS, "bench", "profile")
HOSTILE = "\"><script>alert(1)</script><b title='`|\x1b[31m\u202e&amp;"
VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, -1, 0, 5e-324, 1e308, 10**400, "", "x" * 5000, HOSTILE, [], [1], {}, {"a": []}]
)


def first_line(state: Path, name: str) -> dict[str, Any]:
    file = state / DIRECTORY / f"{name}.jsonl"
    line: dict[str, Any] = json.loads(file.read_text("utf-8").splitlines()[0])
    return line


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values in a document, only the first ones of lists."""
    inner: list[tuple[Any, Any]] = [*value.items()] if isinstance(value, dict) else []
    if isinstance(value, list):
        inner = list(enumerate(value))[:2]
    return [path, *(found for key, each in inner for found in places(each, (*path, key)))]


def with_value(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy: Any = value.copy()
    copy[path[0]] = with_value(value[path[0]], path[1:], new)
    return copy


def written(project: Project) -> str:
    report = make_report(project, 0)
    page = html_page(report, project.state)
    Page(page)
    assert "<script>alert" not in page + markdown_text(report)
    return page


def example_of(name: str, state: Path) -> tuple[str, Any]:
    """A small record of that name in `state`, with all keys: its file and its value."""
    if name == "bench":
        document = json.loads((state / "bench" / "time-0.json").read_text("utf-8"))
        method = {"name": "", "method": 2, "packets": 7}
        return "bench/time.json", {**document, "methods": [method]}
    if name == "profile":
        function = {"name": "f", "module": "s", "self_samples": 1, "packets": 2, "file": "f.c"}
        return "profile/dsp.json", {"samples": 7, "functions": [{**function, "line": 3}]}
    line = first_line(state, name)
    if name == TESTS:
        line["tests"] = [{**line["tests"][0], "message": "m", "lost": 1, "finding": {}}]
    if name == BUILDS:
        line["steps"] = [{**line["steps"][0], "error": {"message": "", "why": "", "remedy": ""}}]
    return f"{DIRECTORY}/{name}.jsonl", line


@pytest.mark.parametrize("name", NAMES)
def test_any_value_in_any_place_is_shown_or_left_out(bare: Project, cache: Path, name: str) -> None:
    write_example(bare.root, cache / "unused")
    path, document = example_of(name, bare.root)
    file = bare.state / path
    file.parent.mkdir(parents=True)

    @given(place=st.sampled_from(places(document)), value=VALUES)
    def check(place: tuple[Any, ...], value: Any) -> None:
        file.write_text(json.dumps(with_value(document, place, value)) + "\n", "utf-8")
        written(bare)

    check()


@pytest.mark.parametrize("value", [None, 7, HOSTILE, ["a"], [{}], {"a": 1}])
def test_any_value_in_a_card_is_shown_or_left_out(bare: Project, cache: Path, value: Any) -> None:
    write_example(bare.root, cache)
    file = cache / "devices" / "card-0.json"
    stored = read_checksummed(file)
    for place in places(stored["card"])[1:]:
        write_checksummed(file, {**stored, "card": with_value(stored["card"], place, value)})
        written(bare)


def test_hostile_texts_are_only_text(bare: Project) -> None:
    (bare.state / DIRECTORY).mkdir(parents=True)
    step = {
        **{"name": HOSTILE, "outcome": HOSTILE, "origin": HOSTILE, "begun": 0, "seconds": 1},
        **{"reasons": [HOSTILE], "more_reasons": 0, "error": {"message": HOSTILE}},
    }
    step["error"] = dict.fromkeys(("message", "why", "remedy"), HOSTILE)
    build = {
        **{"started": 0, "seconds": 1, "target": HOSTILE, "ok": False, "up_to_date": 0},
        "steps": [step],
    }
    (bare.state / DIRECTORY / "builds.jsonl").write_text(json.dumps(build), "utf-8")

    page = written(bare)

    assert "&lt;script&gt;alert(1)" in page
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_what_cannot_be_read_is_named(used: Project, cache: Path) -> None:
    builds = used.state / DIRECTORY / "builds.jsonl"
    builds.write_text(builds.read_text("utf-8") + '{"started": 1}\nnonsense\n', "utf-8")
    (used.state / "bench" / "cut.json").write_text('{"bench"', "utf-8")
    (used.state / "bench" / "large.json").write_bytes(b"[" * (3 << 20))
    (used.state / "profile").mkdir()
    (used.state / "profile" / "dsp.json").write_text('{"samples": "many"}', "utf-8")
    (cache / "devices" / "card-cut.json").write_text("{", "utf-8")

    text = Page(written(used)).text

    assert "builds.jsonl has 1 damaged lines, which are left out" in text
    assert "1 lines of the history of builds are no records; left out" in text
    assert "2 results of benches cannot be read: cut.json, large.json" in text
    assert "card-cut.json is no card that can be read" in text
    assert "dsp.json is no profile that can be read" in text
