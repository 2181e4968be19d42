"""`buildtool lint` outside of a project: arguments, text, JSON and SARIF."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from buildtool.cli import main
from buildtool.lint.check import RULES
from buildtool.lint.rules.memory import power_context
from buildtool.lint.subject import MAX_FILE_BYTES
from tests.command_line import REPOSITORY
from tests.json_documents import validate

CODE = "int f(remote_handle64 h) {\n    return HAP_power_set((void *)&h, 0);\n}\n"
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "items": {
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "required": ["driver"],
                        "properties": {"driver": {"required": ["name"]}},
                    },
                    "results": {
                        "items": {
                            "required": ["message", "ruleId", "ruleIndex", "level", "locations"],
                            "properties": {
                                "message": {"required": ["text"]},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                            },
                        }
                    },
                },
            }
        },
    },
}
"""What SARIF 2.1.0 requires, and what code hosts need."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a b.c").write_text(CODE)
    return tmp_path


@pytest.fixture
def lint(place: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: str, status: int = 0) -> str:
        assert main(["lint", *words]) == status
        return capsys.readouterr().out

    return run


def test_a_finding(lint: Any) -> None:
    assert lint("a b.c", status=1).splitlines() == [
        "a b.c:2:12: warning: HAP_power_set gets the address of `h` [power-context]",
        "    it votes for another client than the pointer identifies, without an error",
        "    → Pass the pointer: HAP_power_set(h, …).",
        "",
        "1 file, 1 finding",
    ]


def test_the_docs_show_what_is_printed(lint: Any, place: Path) -> None:
    text = (REPOSITORY / "docs" / "lint.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```\n(dsp/.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (place / "dsp/src").mkdir(parents=True)
    (place / "dsp/src/power.c").write_text(power_context.wrong)

    assert lint("dsp/src/power.c", status=1) == shown


def test_no_finding(lint: Any, place: Path) -> None:
    (place / "a b.c").write_text(f"// buildtool-lint: ignore power-context\n{CODE[:30]}")
    assert lint("a b.c") == "1 file, 0 findings\n"
    (place / "a b.c").write_text(CODE.replace("0);", "0); // buildtool-lint: ignore power-context"))
    assert lint("a b.c") == "1 file, 0 findings, 1 silenced\n"


def test_a_file_that_is_not_checked(lint: Any, place: Path) -> None:
    (place / "a.idl").write_text("interface a { lng f(); };")
    (place / "large.c").write_bytes(b"a" * (MAX_FILE_BYTES + 1))
    (place / "a b.c").unlink()
    printed = lint("a.idl", status=1)

    assert printed.startswith("a.idl is not checked: it is no valid interface by itself: ")
    assert printed.endswith("\n\n0 files, 0 findings\n")
    assert "large.c is not checked: it is larger than" in lint("large.c", status=1)


def test_documents(lint: Any) -> None:
    found = json.loads(lint("a b.c", "--json", status=1))
    rules = json.loads(lint("--list", "--json"))
    one = json.loads(lint("--explain", "static-map", "--json"))

    for document in (found, rules, one):
        validate("lint", document)
    assert found["finding_count"] == 1
    assert [rule["name"] for rule in rules["rules"]] == [rule.name for rule in RULES]
    assert [rule["name"] for rule in one["rules"]] == ["static-map"]


def test_sarif(lint: Any) -> None:
    document = json.loads(lint("a b.c", "--sarif", status=1))

    jsonschema.validate(document, SARIF)
    (run,) = document["runs"]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["ruleId"] == "power-context"
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a%20b.c"},
                "region": {"startLine": 2, "startColumn": 12},
            }
        }
    ]


def test_every_rule_is_explained_in_80_columns(lint: Any) -> None:
    for rule in RULES:
        printed = lint("--explain", rule.name)
        prose = printed.partition("\n  wrong:")[0]
        assert max(map(len, prose.splitlines())) <= 80
        assert rule.right.splitlines()[-1] in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no buildtool.toml found"),
        (["--against", "v1", "a b.c"], "no buildtool.toml found"),
        (["none.c"], "none.c does not exist"),
        (["a.txt"], "a.txt is no kind of file that is checked"),
        (["--explain", "static-mep"], "Did you mean 'static-map'?"),
        (["--json", "--sarif", "a b.c"], "--json cannot be used with --sarif"),
    ],
)
def test_misuse(
    words: list[str], message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "a.txt").touch()

    assert main(["lint", *words]) == 2
    printed = capsys.readouterr()
    assert message in printed.err + printed.out
