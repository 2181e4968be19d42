"""What is known is as it should be: files, examples, and which condition a line shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from buildtool.diagnose.explain_log import LogExplainer, LogExplanation
from buildtool.diagnose.knowledge import BENIGN, parse_code, read_knowledge
from buildtool.diagnose.line_patterns import Match, best_match, make_patterns, possible
from tests.unit.diagnose.knowledge_files import read_folder
from tests.unit.diagnose.logs import explain_lines

CONDITIONS = read_folder()
PATTERNS = make_patterns(read_knowledge().conditions.values())
EXAMPLES = [(name, line) for name, row in CONDITIONS.items() for line in row["example"]]
WITH_LINES = sorted({name for name, _ in EXAMPLES})
WITHOUT_LINES = sorted(CONDITIONS.keys() - set(WITH_LINES))


def match_of(line: str) -> Match | None:
    return best_match(possible(PATTERNS, line.lower()), line.lower())


def test_there_are_enough_conditions() -> None:
    assert len(WITH_LINES) >= 60
    assert len(CONDITIONS) >= 120


@pytest.mark.parametrize(("name", "line"), EXAMPLES)
def test_an_example_shows_its_condition(name: str, line: str) -> None:
    match = match_of(line)

    assert match
    assert match.pattern.condition.name == name


def test_two_conditions_never_count_the_same_on_an_example() -> None:
    for name, line in EXAMPLES:
        found = [p for p in PATTERNS if p.place(line.lower()) >= 0]
        best = [p for p in found if p.rank == found[0].rank]
        assert {p.condition.name for p in best} == {name}, line


@pytest.mark.parametrize("name", WITH_LINES)
def test_every_pattern_has_an_example(name: str) -> None:
    shown = {
        match.pattern.number for line in CONDITIONS[name]["example"] if (match := match_of(line))
    }
    assert shown == set(range(len(CONDITIONS[name]["patterns"])))


@pytest.mark.parametrize("name", WITH_LINES)
def test_a_log_with_the_lines_of_a_condition(name: str) -> None:
    row = CONDITIONS[name]
    lines = ["a line about something else", *row["example"], "another one"]
    if row["needs_code"]:
        assert not any(f.condition.name == name for f in all_found(explain_lines(lines)))
        lines.append(f"fastrpc: error 0x{row['codes'][0]:x}")

    said = explain_lines(lines)

    (finding,) = (f for f in all_found(said) if f.condition.name == name)
    assert finding.condition.kind == row["class"]
    assert finding.lines == len(row["example"])
    assert [each.line for each in finding.evidence] == sorted(e.line for e in finding.evidence)
    for cause in said.causes:
        assert cause.condition.name == name


@pytest.mark.parametrize("name", [n for n, row in CONDITIONS.items() if row["class"] == BENIGN])
def test_noise_beside_a_real_cause(name: str) -> None:
    cause = CONDITIONS["skel-undefined-symbol"]["example"][0]
    noise = CONDITIONS[name]["example"]

    said = explain_lines([*noise, cause, *noise])

    assert [f.condition.name for f in said.causes] == ["skel-undefined-symbol"]
    assert {f.condition.name for f in said.benign} == ({name} if noise else set())
    assert not explain_lines(noise).causes
    assert not explain_lines(noise).symptoms
    assert not explain_lines(noise).codes


@pytest.mark.parametrize("name", WITHOUT_LINES)
def test_a_condition_without_lines_is_found_by_its_code_or_name(name: str) -> None:
    knowledge = read_knowledge()
    for code in CONDITIONS[name]["codes"]:
        (known,) = parse_code(hex(code), knowledge.content)
        assert known.names
        assert name in [condition.name for condition in knowledge.with_code(known.value)]
    assert knowledge.condition(name).meaning == CONDITIONS[name]["meaning"]


def test_commands_in_remedies_name_conditions_that_exist() -> None:
    for row in CONDITIONS.values():
        for _, check, remedy in row["causes"]:
            for named in re.findall(r"`buildtool explain ([a-z-]+)`", check + remedy):
                assert named in CONDITIONS


def all_found(said: LogExplanation) -> list:  # type: ignore[type-arg]
    return [*said.causes, *said.symptoms, *said.consequences, *said.benign]


GOOD = """
[a-b]
class = "cause"
meaning = "It is so."
patterns = ["a line of a log"]
example = ["this is a line of a log"]
source = ["x"]
sure = "code"
causes = [{ cause = "a", check = "b", remedy = "c" }]
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("sure =", "shure =", "unknown key 'shure'"),
        ('sure = "code"', "", "missing: sure"),
        ('"code"', '"perhaps"', "'sure' is one of: code, maintainer, user"),
        ('"cause"\n', '"reason"\n', "'class' is one of"),
        ("[a-b]", "[A_b]", "kebab-case"),
        ("a line of a log", "a ** of a log", "does not compile"),
        ("a line of a log", "a {0} of a log", "does not compile"),
        ("a line of a log", "*a*", "too little text"),
        ("a line of a log", "a long line {code}", "needs codes"),
        ("source", 'codes = ["dsp AEE_ENOTHING"]\nsource', "there is no code 'dsp AEE_ENOTHING'"),
        ("source", 'unless = ["c-d"]\nsource', "unless: there is no condition 'c-d'"),
        ("source", "needs_code = true\nsource", "needs_code without codes"),
        ('check = "b", ', "", "a cause has"),
        ("causes = ", "example2 = ", "unknown key"),
        ("It is so.", "It is so", "its meaning is a sentence"),
        ('["x"]', '"x"', "'source' is a list"),
    ],
)
def test_a_file_that_is_not_as_it_should_be(old: str, new: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "good.toml").write_text(GOOD)
    assert read_folder(tmp_path)
    (tmp_path / "good.toml").write_text(GOOD.replace(old, new, 1))

    with pytest.raises(ValueError, match=re.escape(said)):
        read_folder(tmp_path)


def test_a_name_in_two_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.toml").write_text(GOOD)

    with pytest.raises(ValueError, match=r"two\.toml: \[a-b\]: there is another"):
        read_folder(tmp_path)


def test_reading_the_knowledge_makes_no_conditions_before_they_are_needed() -> None:
    assert "conditions" not in vars(read_knowledge())
    assert LogExplainer(read_knowledge()).explanation().says_something is False
