"""The first finding is the true cause: a log that shows a condition, or a code of it and a check.

Each test is named after the condition that it injects.  Around the cause are lines of what follows
from it, and lines that have nothing to do with any failure.
"""

from __future__ import annotations

import random

import pytest

from buildtool.device.errors import DeviceFinding
from buildtool.diagnose.knowledge import BENIGN, CAUSE, CONSEQUENCE, read_knowledge
from buildtool.run.cause_finder import choose_finding
from buildtool.run.first_finding import FirstFinding
from tests.unit.diagnose.knowledge_files import read_folder
from tests.unit.diagnose.logs import explain_lines

CONDITIONS = read_folder()
IN_LOGS = {n: row for n, row in CONDITIONS.items() if row["class"] == CAUSE and row["example"]}
NOISE = {n: row for n, row in CONDITIONS.items() if row["class"] == BENIGN and row["example"]}
FOLLOWS = {n: r for n, r in CONDITIONS.items() if r["class"] == CONSEQUENCE and r["example"]}
CHECKED = {
    f"{name}/{check}": (row, check)
    for name, row in CONDITIONS.items()
    for check in row["checks"]
    if row["codes"]
}
ALL_CHECKS = frozenset(check for row in CONDITIONS.values() for check in row["checks"])


def fault(name: str) -> DeviceFinding:
    return DeviceFinding(name, f"{name} is wrong", "Mend it.")


def found_in(lines: list[str], *faults: str) -> FirstFinding | None:
    knowledge = read_knowledge()
    return choose_finding(explain_lines(lines), [*map(fault, faults)], ALL_CHECKS, knowledge)


def code_of(row: dict[str, list[int]]) -> str:
    """A line of a program with a code of the condition, if it needs one to count."""
    return f"demo: remote_handle64_open failed: 0x{row['codes'][0]:08x}"


def surroundings(name: str, chance: random.Random) -> list[str]:
    unless = set(CONDITIONS[name]["unless"])
    others = [row for other, row in NOISE.items() if other not in unless]
    lines = [chance.choice(chance.choice(others)["example"]) for _ in range(30)]
    lines += [
        chance.choice(row["example"])
        for other, row in FOLLOWS.items()
        if other not in unless and not row["needs_code"]
    ]
    return lines


@pytest.mark.parametrize("name", IN_LOGS)
def test_a_log_that_shows(name: str) -> None:
    row, chance = CONDITIONS[name], random.Random(name)
    lines = [chance.choice(row["example"]), *([code_of(row)] if row["needs_code"] else [])]
    around = surroundings(name, chance)
    place = chance.randrange(len(around))
    found = found_in([*around[:place], *lines, *around[place:]])

    assert found
    assert (found.name, found.cause) == (name, row["meaning"])
    assert found.evidence.startswith(f"log:{place + 1}: ")
    assert found.remedy


@pytest.mark.parametrize("name", CHECKED)
def test_a_code_and_a_check_that_finds(name: str) -> None:
    row, check = CHECKED[name]
    found = found_in([code_of(row)], check)

    assert found
    assert (found.name, found.cause, found.remedy) == (check, f"{check} is wrong", "Mend it.")
    assert found.evidence == f"log:1: {code_of(row)}"


@pytest.mark.parametrize("name", NOISE)
def test_harmless_lines_alone_are_no_finding(name: str) -> None:
    assert found_in(NOISE[name]["example"]) is None


@pytest.mark.parametrize("name", NOISE)
def test_harmless_lines_beside_a_cause(name: str) -> None:
    cause = next(n for n, row in IN_LOGS.items() if not (row["unless"] or row["needs_code"]))
    found = found_in([*NOISE[name]["example"], IN_LOGS[cause]["example"][0]])

    assert found
    assert found.name == cause


def test_the_numbers_of_conditions() -> None:
    assert len(IN_LOGS) >= 55
    assert len(IN_LOGS) + len(CHECKED) >= 90
    assert len(NOISE) >= 20


def test_a_cause_in_a_log_is_told_in_the_words_of_the_check() -> None:
    lines = IN_LOGS["node-permission"]["example"][:1]
    found = found_in(lines, "dma-heap-missing", "group-session")

    assert found
    assert (found.name, found.cause) == ("group-session", "group-session is wrong")
    assert found.evidence.startswith("log:1: ")
    assert "open_device_node failed for domain ID 3" in found.evidence


@pytest.mark.parametrize(
    "line", [line for line in IN_LOGS["error-on-sim"]["example"] if "0x80000406" not in line]
)
def test_an_error_of_the_emulated_device_is_the_cause_if_no_other_is_known(line: str) -> None:
    code = "demo: remote_handle64_open failed: 0x80000406"
    cause = IN_LOGS["library-path-colon"]["example"][1]

    for lines in ([line], [line, "demo: 3 of 4 values are wrong"], [code, line]):
        found = found_in(lines)
        assert found
        assert (found.name, found.evidence.partition(": ")[2]) == ("error-on-sim", line)
    for lines, check in (([line, cause], ""), ([cause, line], ""), ([line, code], "dsp-arch")):
        found = found_in(lines, *filter(None, [check]))
        assert found
        assert found.name == (check or "library-path-colon")


def test_a_line_that_a_skel_logs_is_no_error_of_the_emulated_device() -> None:
    assert found_in(["[dsp] ERROR scale.c:12: 3 of 4 values are wrong"]) is None


def test_a_fault_of_which_no_log_tells_is_not_called_the_cause() -> None:
    found = found_in(["demo: the file model.bin does not exist"], "node-permission")

    assert found
    assert (found.cause, found.name) == ("", "node-permission")
    assert found.text().startswith("the output shows no cause, but node-permission is wrong\n")


def test_without_a_sign_of_the_dsp_there_is_no_finding() -> None:
    assert found_in(["demo: 3 of 4 values are wrong"]) is None


def test_what_was_checked_is_named_when_nothing_is_found() -> None:
    found = found_in(["demo: remote_handle64_open failed: 0x80000600"])

    assert found
    assert (found.name, found.cause) == ("", "")
    assert found.excluded == ("shell-missing", "configuration-missing", "configuration-stale")
    assert found.remedy.endswith("buildtool explain 0x80000600")
