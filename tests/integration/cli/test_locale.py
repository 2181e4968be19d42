"""Locales without UTF-8: file names keep their meaning, and no command ends in a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import Buildtool
from tests.integration.engine.app import new_app


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
    [
        ["--help"],
        pytest.param(["doctor"], marks=pytest.mark.long),
        ["build", "--plan"],
        ["profile"],
        pytest.param(["cache", "stats"], marks=pytest.mark.long),
        ["init", "–ü"],
    ],
)
def test_verbs_end_well(arguments: list[str], buildtool: Buildtool, project: Path) -> None:
    done = buildtool(*arguments, cwd=project)

    assert "internal error" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_a_header_with_an_umlaut_is_an_input(tmp_path: Path) -> None:
    app = new_app(tmp_path / "a project", tmp_path / "cache")
    source = bytes(app.root / "app")
    names = (b"h\xc3\xb6he.h", b"h\xf6he.h")  # as UTF-8 and as ISO-8859-1
    for name in names:
        with open(source + b"/" + name, "wb") as file:  # noqa: PTH123 - the name is not text
            file.write(b'"first"\n')
    text = b'const char *const words%d =\n#include "%b"\n;\n'
    (app.root / "app/a.c").write_bytes(b"".join(text % row for row in enumerate(names)))
    app.succeeds("build")
    assert "host/app up to date" in app.run("build").stderr

    for name in names:
        with open(source + b"/" + name, "wb") as file:  # noqa: PTH123
            file.write(b'"second %b"\n' % name)

        assert app.why().count("he.h changed") == 1
        app.succeeds("build")
        assert b"second %b" % name in app.release_files()["lib/libapp.so"]
