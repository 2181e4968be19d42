"""Command lines that are plainly right start without typer; all others are left to it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from buildtool.cli import main
from buildtool.cli.parameters import CommandLine, run_without_typer


@pytest.fixture
def without_typer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("typer", "rich"):
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "host").mkdir()
    (tmp_path / "host/CMakeLists.txt").write_text("project(app C)\n")
    (tmp_path / "buildtool.toml").write_text(
        '[project]\nname = "p"\n[host.app]\nsource = "host"\n[target.sim]\n'
        'platform = "ubuntu-aarch64"\narchs = []\n'
    )


@pytest.mark.usefixtures("without_typer")
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["build", "nope"], 2, "error: there is no target 'nope'"),
        (["build", "-v", "--keep-going", "nope"], 2, "error: there is no target 'nope'"),
        (["why", "nope", "--all"], 2, "error: there is no target 'nope'"),
        (["run", "nope"], 125, "error: there is no device 'nope'"),
        (["run", "nope", "--target", "sim"], 125, "error: there is no device 'nope'"),
        (["run", "sim", "nope", "--", "--jobs"], 125, "error: there is no run 'nope'"),
        (["devices", "check", "nope"], 2, "error: there is no device 'nope'"),
        (["rollback", "--share", "nope"], 2, "error: there is no device 'nope'"),
    ],
)
def test_arguments_and_flags(
    words: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == status
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("without_typer")
def test_options_with_values(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.idl").write_text(f"interface {name} {{ long f(in long x); }};\n")
    (tmp_path / "c.idl").write_text("#ifdef D\ninterface c { long f(in long x); };\n#endif\n")

    assert main(["idl", "a.idl", "-o", "one", "b.idl"]) == 0
    assert main(["idl", "--output=two", "-D", "D=1", "-I", ".", "-I", "x", "c.idl"]) == 0

    assert {path.name for path in (tmp_path / "one").iterdir()} > {"a.h", "b_skel.c"}
    assert (tmp_path / "two" / "c_stub.c").is_file()


@pytest.mark.usefixtures("without_typer")
def test_a_command_of_a_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes"] == 0


@pytest.mark.parametrize(
    "words",
    [
        "build --jobs 2",
        "build -j2",
        "build --plan=yes",
        "run --timeout",
        "run --timeout --tty",
        "run --timeout=",
        "run --timeout 5 --timeout 6",
        "run -x=5",
        "idl -ox a.idl",
        "build --plna",
        "build one two",
        "build -5",
        "build -",
        "idl -5",
        "explain 0x72 -x",
        "explain --5",
        "run --no-bundle",
        "idl",
        "verify",
        "cache",
        "cache nope",
        "nope",
        "-x build",
    ],
)
def test_what_is_left_to_typer(words: str) -> None:
    assert run_without_typer(CommandLine(tuple(words.split()))) is None
