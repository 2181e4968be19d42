"""Locales without UTF-8: file names keep their meaning, and no command ends in a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import Buildtool, Edit


@pytest.fixture
def project(configured: Path) -> Path:
    """The project from the template, whose build trees are configured."""
    return configured


@pytest.fixture(autouse=True)
def _locale_without_utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    """A locale in which, as with ISO-8859-1, Python does not decode file names as UTF-8."""
    for name, value in (("LC_ALL", "C"), ("PYTHONUTF8", "0"), ("PYTHONCOERCECLOCALE", "0")):
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["doctor"], ["build", "--plan"], ["profile"], ["cache", "stats"], ["init", "–ü"]],
)
def test_verbs_end_well(arguments: list[str], buildtool: Buildtool, project: Path) -> None:
    done = buildtool(*arguments, cwd=project)

    assert "internal error" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [b"h\xc3\xb6he.h", b"h\xf6he.h"], ids=["utf-8", "latin-1"])
def test_a_header_with_an_umlaut_is_an_input(
    name: bytes, buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    source = bytes(project / "host" / "src")
    with open(source + b"/" + name, "wb") as file:  # noqa: PTH123 - the name is not text
        file.write(b'#define WORDS "first"\n')
    main = project / "host/src/main.c"
    edit(main, "rpcmem_init();", "puts(WORDS);\n    rpcmem_init();")
    main.write_bytes(main.read_bytes().replace(b"int main(", b'#include "%b"\nint main(' % name))
    assert buildtool("build", cwd=project).returncode == 0
    assert "2 steps up to date" in buildtool("build", cwd=project).stderr

    with open(source + b"/" + name, "wb") as file:  # noqa: PTH123
        file.write(b'#define WORDS "second"\n')

    assert "he.h changed" in buildtool("why", cwd=project).stdout
    assert buildtool("build", cwd=project).returncode == 0
    assert b"second" in (project / ".buildtool/release/sim/bin/demo").read_bytes()
