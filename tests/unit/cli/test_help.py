"""The help pages: groups, width, colours, and imports."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from buildtool import __version__
from buildtool.cli import main
from buildtool.cli.commands import read_commands
from buildtool.cli.help import help_page
from buildtool.cli.typer_app import typer_app
from tests.unit.cli.terminal import Terminal

GROUPS = {
    "Start": ["init", "doctor", "ide", "sdk"],
    "Build": ["build", "why", "clean"],
    "Release": ["package", "verify"],
    "Devices": [
        *("run", "capture", "test", "bench", "bisect", "diverge", "probe"),
        *("deploy", "rollback", "devices", "sysroot"),
    ],
    "Inspect": ["report", "explain", "lint", "inspect", "idl", "profile"],
    "Maintain": ["lock", "completion", "cache"],
}


def commands(level: dict[str, Any], *names: str) -> Iterator[list[str]]:
    yield list(names)
    for name, inner in level.get("commands", {}).items():
        yield from commands(inner, *names, name)


EVERY = list(commands(read_commands()))


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_the_commands_stand_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0

    sections = re.findall(r"^(\w+):\n((?:  .*\n)+)", capsys.readouterr().out, re.MULTILINE)
    found = {title: re.findall(r"^  (\w+)", rows, re.MULTILINE) for title, rows in sections}
    del found["Options"]
    assert list(found.items()) == list(GROUPS.items())


@pytest.mark.parametrize("names", EVERY, ids=" ".join)
def test_every_command_has_a_page_that_fits_the_terminal(
    names: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*names, "-h"]) == 0

    output = capsys.readouterr().out
    assert f"Usage: {' '.join(['buildtool', *names])} [OPTIONS]" in output
    assert all(len(line) <= 80 and line == line.rstrip() for line in output.splitlines())


def test_at_eighty_columns_each_command_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-h"]) == 0

    listed = capsys.readouterr().out.partition("Start:")[2].partition("Options:")[0]
    assert len(re.findall("^  ", listed, re.MULTILINE)) == sum(map(len, GROUPS.values()))


@pytest.mark.parametrize("names", EVERY, ids=" ".join)
def test_typer_draws_the_same_page(names: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    typer.main.get_command(typer_app())(
        [*names, "--help"], prog_name="buildtool", standalone_mode=False
    )

    assert capsys.readouterr().out.rstrip() == help_page(names).rstrip()


@pytest.mark.parametrize("words", [[], ["cache"], ["sysroot"]])
def test_a_group_without_a_command_is_an_error_with_its_page(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr() == (help_page(words), "")


def test_headings_are_bold_where_colours_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = help_page(["build"])
    monkeypatch.setattr(sys, "stdout", Terminal())
    bold = help_page(["build"])
    monkeypatch.setenv("NO_COLOR", "1")

    assert "\n\x1b[1mOptions:\x1b[0m\n" in bold
    assert help_page(["build"]) == plain == re.sub(r"\x1b\[[01]m", "", bold)


@pytest.mark.parametrize("words", [["-h"], ["cache", "gc", "--help"], ["--version"]])
def test_neither_typer_nor_rich_is_needed(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("typer", "rich"):
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails

    assert main(words) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("words", [["cache", "gc"], []])
def test_help_is_a_command_too(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", *words]) == 0
    assert capsys.readouterr().out == help_page(words)


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--version"], ["-V"], ["version"]):
        assert main(words) == 0
        assert capsys.readouterr().out == f"buildtool {__version__}\n"


def test_an_unknown_command_has_no_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "nonsense"]) == 2
    assert "No such command 'nonsense'" in capsys.readouterr().err
    assert main(["biuld", "-h"]) == 2
    assert "Did you mean 'build'?" in capsys.readouterr().err


def test_a_command_that_is_an_option_of_run_is_named_as_such(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["trace", "sim"]) == 2
    assert "buildtool run --trace" in capsys.readouterr().err
