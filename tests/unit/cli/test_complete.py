"""Completions at the cursor of a command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.cli import main
from buildtool.cli.completion.completion import answer

PROJECT = """\
[project]
name = "p"
[host.app]
source = "host"
[target.sim]
platform = "ubuntu-aarch64"
[target.phone]
platform = "android"
[test.unit]
program = "bin/demo"
"""
DEVICES = """\
[device.q6a]
transport = "ssh"
address = "q6a"
tags = ["lab"]
[device.phone]
transport = "adb"
address = "1a2b"
tags = ["lab", "v75"]
"""
STAGED = ("bin/demo", "bin/my prog", "bin/\x1b[31mred", "lib/libx.so", "run.sh", "tools/deep/x")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "p"
    (root / "host").mkdir(parents=True)
    (root / "host/CMakeLists.txt").touch()
    (root / "buildtool.toml").write_text(PROJECT)
    (root / "devices.toml").write_text(DEVICES)
    for name in STAGED:
        file = root / ".buildtool/release/sim" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(0o755)
    (root / ".buildtool/release/sim/bin/notes.txt").write_text("no program")
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize(
    ("words", "kind", "found"),
    [
        ("bui", "words", ["build"]),
        ("--v", "words", ["--version"]),
        ("cache v", "words", ["verify"]),
        ("build ", "words", ["sim", "phone"]),
        ("build p", "words", ["phone"]),
        (
            "build -",
            "words",
            ["--plan", "--shard", "--wait", "--jobs", "-j", "--keep-going", "-k", ...],
        ),
        ("build --plan --pl", "words", []),
        ("idl -I x -", "words", ["-I", "-D", ...]),  # both can be repeated
        ("build sim ", "words", []),
        ("lock sim ph", "words", ["phone"]),
        ("build -j ", "words", []),
        ("build -j4 s", "words", ["sim"]),
        ("build -j 4 s", "words", ["sim"]),
        ("build --build-type De", "words", ["Debug"]),
        ("build --build-type=De", "words", ["--build-type=Debug"]),
        ("build --build-type = De", "words", ["Debug"]),
        ("build --build-type =", "words", ["Release", "Debug", "RelWithDebInfo", "MinSizeRel"]),
        ("build --launcher n", "words", ["none"]),
        ("run ", "words", ["sim", "q6a", "phone"]),
        ("run sim --target ph", "words", ["phone"]),
        ("run --on q", "words", ["q6a"]),
        ("run --on q6a,", "words", ["q6a,sim", "q6a,phone", "q6a,tag:lab", "q6a,tag:v75", ...]),
        ("run --on q6a,phone,s", "words", ["q6a,phone,sim", "q6a,phone,sim:QCS6490", ...]),
        ("run --on tag : l", "words", ["lab"]),  # bash splits words at ":"
        ("run --on tag :", "words", ["lab", "v75"]),
        ("deploy --on = q6a,all : l", "words", ["lab"]),
        ("devices unlock ", "words", ["sim", "q6a", "phone"]),
        ("run sim -- ", "words", ["bin/demo", "bin/my prog", "tools/deep/x"]),
        ("run sim -- bin/d", "words", ["bin/demo"]),
        ('run sim -- "bin/m', "words", ["bin/my prog"]),
        ("run sim -- 'bin/m", "words", ["bin/my prog"]),
        ("run --target phone -- ", "words", []),
        ("run sim -- bin/demo --", "files", []),
        ("test ", "words", ["sim", "q6a", "phone"]),
        ("test sim ", "words", ["unit"]),
        ("test sim unit u", "words", ["unit"]),
        ("test sim --junit ", "files", []),
        ("profile --arch v7", "words", ["v73", "v75", "v79"]),
        ("profile -o ", "files", []),
        ("inspect ", "files", []),
        ("idl x.idl ", "files", []),
        ("idl -I ", "directories", []),
        ("-C ", "directories", []),
        ("init ", "directories", []),
        ("lint --explain static", "words", ["static-map"]),
        ("lint ", "files", []),
        ("init --template ", "words", ["hvx", "float", "cpp", "wheel", "dsp-tests", "android"]),
        ("sysroot pull ", "words", ["sim", "q6a", "phone"]),
        ("sysroot pull x", "directories", []),
        ("sysroot stub --platform a", "words", ["android"]),
        ("completion f", "words", ["fish"]),
        ("nothing ", "words", []),
        ("'", "words", [...]),
    ],
)
def test_what_may_stand_there(words: str, kind: str, found: list[object]) -> None:
    actual_kind, rows = answer("bash", words.split(" "))

    values: list[object] = [value for value, _ in rows]
    if found[-1:] == [...]:
        values, found = values[: len(found) - 1], found[:-1]
    assert (actual_kind, values) == (kind, found)


def test_it_is_that_of_the_project_which_is_named(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert answer("fish", ["-C", "p", "build", "s"]) == ("words", [("sim", "")])
    assert answer("fish", ["-Cp", "-C", "host", "build", "s"]) == ("words", [("sim", "")])


@pytest.mark.parametrize("broken", ["nothing", "[project", PROJECT.replace("host", "hots", 2)])
def test_without_a_sound_project_it_is_silent(
    broken: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "buildtool.toml").write_text(broken)

    assert main(["__complete", "bash", "build", ""]) == 0
    assert capfd.readouterr() == ("", "")
    assert main(["__complete", "bash", "buil"]) == 0
    assert capfd.readouterr().out.startswith("words\nbuild\t")


@pytest.mark.parametrize("words", [[], ["bash"], ["bash", "-C"], ["zsh", "-C", "\0", "build", ""]])
def test_a_strange_question_is_answered_with_silence(
    words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["__complete", *words]) == 0
    assert capfd.readouterr().err == ""


WORDS = [
    "build",
    "run",
    "--",
    "-C",
    "=",
    "--target",
    "--build-type=",
    "sim",
    "'",
    "\\",
    "-j",
    "--on",
    ":",
    "",
    "cache",
]


@given(st.lists(st.sampled_from(WORDS)), st.sampled_from(["bash", "zsh", "fish"]))
def test_it_never_fails(words: list[str], shell: str) -> None:
    assert main(["__complete", shell, *words]) == 0


def test_what_is_slow_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("typer", "rich", "click"):
        monkeypatch.setitem(sys.modules, name, None)  # an import of it fails

    assert answer("bash", ["build", "s"]) == ("words", [("sim", "")])
    assert answer("bash", ["run", "sim", "--", "bin/d"]) == ("words", [("bin/demo", "")])
