"""Reports of records that are damaged or hostile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.core.history import BUILDS, DIRECTORY, RELEASES, RUNS, TESTS
from buildtool.project.model import Project
from buildtool.report.html import html_page
from buildtool.report.markdown import markdown_text
from buildtool.report.report import make_report
from tests.unit.report.example import write_example
from tests.unit.report.test_report import Page

NAMES = (BUILDS, RELEASES, TESTS, RUNS)
HOSTILE = "\"><script>alert(1)</script><b title='`|\x1b[31m\u202e&amp;"
VALUES = st.sampled_from(
    [None, True, -1, 0, 1e308, 10**400, "", "x" * 5000, HOSTILE, [], [1], {}, {"a": []}]
)


def first_line(state: Path, name: str) -> dict[str, Any]:
    file = state / DIRECTORY / f"{name}.jsonl"
    line: dict[str, Any] = json.loads(file.read_text("utf-8").splitlines()[0])
    return line


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values in a document, only the first ones of lists."""
    inner = value.items() if isinstance(value, dict) else ()
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


@pytest.mark.parametrize("name", NAMES)
def test_any_value_in_any_place_is_shown_or_left_out(bare: Project, cache: Path, name: str) -> None:
    write_example(bare.root, cache / "unused")
    line = first_line(bare.root, name)
    if name == TESTS:
        line["tests"] = [{**line["tests"][0], "message": "m", "lost": 1, "finding": {}}]
    if name == BUILDS:
        line["steps"] = [{**line["steps"][0], "error": {"message": "", "why": "", "remedy": ""}}]
    file = bare.state / DIRECTORY / f"{name}.jsonl"
    file.parent.mkdir(parents=True)

    @given(place=st.sampled_from(places(line)), value=VALUES)
    def check(place: tuple[Any, ...], value: Any) -> None:
        file.write_text(json.dumps(with_value(line, place, value)) + "\n", "utf-8")
        written(bare)

    check()


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
