"""The matrix of devices and suites, and what has changed since the last one."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.history import MATRICES, append_history
from buildtool.report.markdown import (
    Matrix,
    Row,
    changes,
    keep_matrix,
    last_matrix,
    log_of,
    matrix_markdown,
)
from buildtool.testing.results import DEVICE_SUITE, Outcome, TestResult, TestRun

ENDED = {
    "p": (Outcome.PASSED, ""),
    "f": (Outcome.FAILED, "exit status 3"),
    "s": (Outcome.SKIPPED, "not today"),
    "x": (Outcome.EXPECTED_FAILURE, "no half floats (exit status 1)"),
    "n": (Outcome.NOT_RUN, "no route"),
}


def run_of(where: str, output: str = "", firmware: str = "", **suites: str) -> TestRun:
    """A run with suites whose tests ended as these letters of `ENDED` say."""
    tests = [
        TestResult(suite, f"t{at}", where, ENDED[letter][0], 0.1, ENDED[letter][1], output)
        for suite, letters in suites.items()
        for at, letter in enumerate(letters)
    ]
    return TestRun(
        *(where, "sim", "r", "d", "v68"),
        soc="QCS6490",
        started=0.0,
        seconds=1.0,
        interrupted=False,
        tests=tuple(tests),
        firmware=firmware,
    )


def lines_of(*runs: TestRun, url: str = "") -> list[str]:
    return matrix_markdown("my-project", runs, url).splitlines()


@pytest.mark.parametrize(
    ("letters", "cell"),
    [
        ("pp", "✅ 2"),
        ("ppf", "❌ 1 of 3 failed"),
        ("ppx", "✅ 2, 1 not supported"),
        ("x", "1 not supported"),
        ("fxs", "❌ 1 of 3 failed, 1 not supported, 1 skipped"),
        ("n", "❌ 1 of 1 failed"),
    ],
)
def test_a_cell_is_a_link(letters: str, cell: str) -> None:
    row = lines_of(run_of("q6a", unit=letters))[6]

    assert row == f"| q6a | QCS6490 | v68 | – | [{cell}](logs/q6a/unit.log) |"


def test_devices_have_different_suites() -> None:
    lines = lines_of(
        run_of("q6a", unit="p", firmware="A|1"),
        run_of("sim", kernels="px"),
        run_of("old", **{DEVICE_SUITE: "x"}),
        run_of("desk", **{DEVICE_SUITE: "n"}),
        url="https://ci.example/7",
    )

    assert lines[2] == "❌ 3 tests on 4 devices; 1 device not tested"
    cells = [line.split(" | ")[3:] for line in lines[4:10]]
    at = "(https://ci.example/7/logs"
    assert cells[0] == ["firmware", "unit", "kernels |"]
    assert cells[2] == ["A\\|1", f"[✅ 1]{at}/q6a/unit.log)", "– |"]
    assert cells[4] == ["–", *(f"[not supported]{at}/old/device.log){end}" for end in ("", " |"))]
    assert cells[5] == ["–", *(f"[❌ not run]{at}/desk/device.log){end}" for end in ("", " |"))]
    assert "- sim, 1 test: no half floats" in lines
    assert "- old, all tests: no half floats" in lines
    assert "<details><summary>desk not run: no route</summary>" in lines


def test_only_devices_that_cannot_be_reached() -> None:
    assert "[❌ not run](logs/desk/device.log) |" in lines_of(run_of("desk", device="n"))[6]


def test_names_and_output_of_tests_are_no_markdown() -> None:
    output = "</details>\n````\n| a | [x](y) |\n\x1b[2J\ud800\n"
    text = matrix_markdown("a*b", [run_of("<b>\n| x", output, u_1="f")], "")

    assert text.startswith("## Tests of a\\*b\n")
    assert "\n| &lt;b>\\\\n\\| x | QCS6490" in text
    assert "\n`````text\n</details>\n````\n| a | [x](y) |\n\\x1b[2J\\ud800\n`````\n" in text
    # Markdown in a line of HTML is none.
    assert "<details><summary>&lt;b&gt;\\n| x: u_1/t0 failed: exit status 3</summary>\n" in text
    assert text.encode()


def test_only_some_failures_are_shown() -> None:
    text = matrix_markdown("p", [run_of("q6a", "a\n" * 100, unit="f" * 12)], "")

    assert text.count("<details>") == 10
    assert text.count("\na\n") <= 10 * 20
    assert text.endswith("\n… and 2 more\n")


@pytest.mark.parametrize("name", ["../../etc", "a/b", "", ".", "ä\n"])
def test_logs_are_in_the_directory(name: str) -> None:
    parts = log_of(run_of(name), name).split("/")

    assert len(parts) == 3
    assert not {"", ".", ".."}.intersection(parts)


def test_what_has_changed(tmp_path: Path) -> None:
    before = Matrix(
        1.8e9,
        (
            Row("q6a", "A", {"u/same": "failed", "u/new": "passed", "u/gone": "passed"}),
            Row("away", "", {}),
        ),
    )
    tests = {"u/same": "failed", "u/new": "failed", "u/first": "crashed", "u/good": "passed"}
    now = Matrix(1.9e9, (Row("q6a", "B", tests), Row("next", "", {"u/same": "failed"})))
    keep_matrix(tmp_path, before)
    assert last_matrix(tmp_path) == before

    assert changes(before, now)[2:] == [
        "- ⚠️ q6a: firmware A → B",
        "- ❌ q6a: u/new failed (was passed)",
        "- ❌ q6a: u/first crashed (new)",
        "- next is new",
        "- away is missing",
    ]
    assert changes(now, now)[2:] == ["No test has another outcome."]
    assert changes(None, now) == []


@pytest.mark.parametrize(
    "line", [{}, {"made": "x", "rows": []}, {"made": 1, "rows": [{"device": "d", "tests": [1]}]}]
)
def test_damaged_histories(line: dict[str, object], tmp_path: Path) -> None:
    append_history(tmp_path, MATRICES, line)

    assert last_matrix(tmp_path) is None
