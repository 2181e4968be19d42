"""A command is repeated only if the file system, the environment and the words are as they were."""

# ruff: noqa: PTH207, PTH208 - each way of asking
from __future__ import annotations

import contextlib
import glob
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool import first_look
from buildtool.core.files import time_between_changes

WORDS = ["build", "sim"]
Look = Callable[[], object]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose commands run in a directory below it; files count as settled at once."""
    root = tmp_path / "my project"
    (root / "src").mkdir(parents=True)
    (root / ".buildtool/state/first-looks").mkdir(parents=True)
    (root / "buildtool.toml").touch()
    (root / "src/a.c").write_text("int a;\n")
    (root / "link").symlink_to("src")
    (root / "dangling").symlink_to("later")
    (root / "folder").mkdir()
    (root / "folder/inner").symlink_to("../later")
    monkeypatch.chdir(root)
    monkeypatch.setattr(first_look, "_SETTLED_NS", 0)
    return root


def command(look: Look = lambda: None, status: int = 0) -> Callable[[], int]:
    """A command that asks by `look`, has nothing to do, and prints on both streams."""

    def run() -> int:
        look()
        print("· 2 steps up to date", file=sys.stderr)
        print("bin/k 6,208 B")
        first_look.keep_in(Path(".buildtool/state").absolute())
        return status

    return run


def record(look: Look = lambda: None, status: int = 0) -> None:
    """Run such a command, after and before which the clock of the file system ticks."""
    time_between_changes()
    assert first_look.recorded(WORDS, command(look, status)) == status
    time_between_changes()


def test_the_output_of_an_unchanged_project_is_printed_again(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record(lambda: Path("src/a.c").read_bytes())
    printed = capfd.readouterr()
    assert first_look.repeat(WORDS)
    assert capfd.readouterr() == printed
    assert printed.out == "bin/k 6,208 B\n"
    assert not first_look.repeat(["build"])
    monkeypatch.setenv("CFLAGS", "-g")
    assert not first_look.repeat(WORDS)
    monkeypatch.delenv("CFLAGS")
    monkeypatch.setenv("SHLVL", "7")
    assert first_look.repeat(WORDS)
    monkeypatch.chdir("src")
    assert not first_look.repeat(WORDS)


def replace(path: str, target: str) -> None:
    Path(path).unlink()
    Path(path).symlink_to(target)


def edit_unnoticed(path: str) -> None:
    """Change a byte and set the time of modification back."""
    status = Path(path).stat()
    Path(path).write_bytes(b"int b;\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def lay_out(path: str) -> None:
    Path(path).parent.mkdir()
    Path(path).touch()


def stat_below(directory: str, name: str) -> None:
    handle = os.open(directory, os.O_PATH)
    os.stat(name, dir_fd=handle)
    os.close(handle)


def open_below(directory: str, name: str) -> None:
    handle = os.open(directory, os.O_PATH)
    os.close(os.open(name, os.O_RDONLY, dir_fd=handle))
    os.close(handle)


@pytest.mark.parametrize(
    ("look", "change"),
    [
        (lambda: Path("src/a.c").read_bytes(), lambda: edit_unnoticed("src/a.c")),
        (lambda: Path("src/a.c").open("rb").close(), lambda: edit_unnoticed("src/a.c")),
        (lambda: Path("src/a.c").stat(), lambda: os.utime("src/a.c")),
        (lambda: stat_below("src", "a.c"), lambda: edit_unnoticed("src/a.c")),
        (lambda: open_below("src", "a.c"), lambda: edit_unnoticed("src/a.c")),
        (lambda: Path("src/b.c").exists(), lambda: Path("src/b.c").touch()),
        (lambda: Path("b/b.c").is_file(), lambda: lay_out("b/b.c")),
        (lambda: os.access("src/a.c", os.X_OK), lambda: Path("src/a.c").chmod(0o755)),
        (lambda: shutil.which("tool", path="src"), lambda: Path("src/tool").touch()),
        (lambda: list(Path("src").iterdir()), lambda: Path("src/b.c").touch()),
        (lambda: list(Path("src").glob("*.c")), lambda: Path("src/b.c").touch()),
        (lambda: list(Path("folder").rglob("*.c")), lambda: Path("folder/b.c").touch()),
        (lambda: glob.glob("src/*.c"), lambda: Path("src/b.c").touch()),
        (lambda: list(os.walk("folder")), lambda: Path("folder/b.c").touch()),
        (lambda: os.listdir("link"), lambda: Path("src/a.c").unlink()),
        (lambda: Path("link").resolve(), lambda: replace("link", "folder")),
        (lambda: Path("link").readlink(), lambda: replace("link", "./src")),
        (lambda: Path("dangling").is_dir(), lambda: Path("later").mkdir()),
        (lambda: list(os.scandir("folder")), lambda: Path("later").mkdir()),
    ],
)
def test_each_question_is_asked_again(look: Look, change: Look) -> None:
    record(look)
    assert first_look.repeat(WORDS)
    change()
    assert not first_look.repeat(WORDS)


@pytest.mark.parametrize(
    ("look", "status"),
    [
        (lambda: None, 1),
        (lambda: Path("new").write_bytes(b""), 0),
        (lambda: Path("new").mkdir(), 0),
        (lambda: Path("src/a.c").unlink(), 0),
        (lambda: Path("src/a.c").chmod(0o600), 0),
        (lambda: os.utime("src/a.c"), 0),
        (lambda: os.stat("a.c", dir_fd=os.dup(os.open("src", os.O_PATH))), 0),
        (lambda: print("\0"), 0),
    ],
)
def test_what_changes_something_or_fails_is_not_kept(look: Look, status: int) -> None:
    record(look, status)
    assert not first_look.repeat(WORDS)
    assert not list(Path(".buildtool/state/first-looks").iterdir())


def test_a_file_that_has_just_changed_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_look, "_SETTLED_NS", 60_000_000_000)
    record(lambda: Path("src/a.c").read_bytes())
    assert not first_look.repeat(WORDS)


def test_a_damaged_record_is_ignored() -> None:
    record(lambda: Path("src/a.c").read_bytes())
    (file,) = Path(".buildtool/state/first-looks").iterdir()
    whole = file.read_bytes()
    for length in range(0, len(whole), 7):
        file.write_bytes(whole[:length])
        assert not first_look.repeat(WORDS)
        file.write_bytes(whole[:length] + bytes([whole[length] ^ 1]) + whole[length + 1 :])
        assert not first_look.repeat(WORDS)
    file.unlink()
    file.mkdir()
    assert not first_look.repeat(WORDS)


def test_streams_that_cannot_be_written_are_left_to_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record()
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert not first_look.repeat(WORDS)
    monkeypatch.setattr(sys, "stdout", None)
    assert not first_look.repeat(WORDS)
    assert first_look.recorded(WORDS, lambda: 3) == 3


def test_a_part_of_a_command_is_known_too() -> None:
    def known(question: object) -> object:
        return first_look.look_again(file, question)

    file = str(Path("kept").absolute())
    with first_look.looking(file, ("release", 1)) as keep:
        keep([Path("src/a.c").read_text(encoding="utf-8"), ("ä\0", 1)])
    assert known(("release", 1)) == ["int a;\n", ["ä\0", 1]]
    assert known(("release", 2)) is None
    Path("src/a.c").write_bytes(b"int b;\n")
    assert known(("release", 1)) is None
    with contextlib.suppress(ValueError), first_look.looking(file, ("release", 1)) as keep:
        keep("made")
        int("no")
    assert known(("release", 1)) is None


def test_a_part_of_a_recorded_command_is_not_known_by_itself() -> None:
    """The command would not know what the part depends on."""
    file = str(Path("kept").absolute())

    def look() -> None:
        with first_look.looking(file, 1) as keep:
            keep(Path("src/a.c").read_text(encoding="utf-8"))
        assert first_look.look_again(file, 1) is None

    record(look)
    assert not Path(file).exists()
    assert first_look.repeat(WORDS)
    Path("src/a.c").touch()
    assert not first_look.repeat(WORDS)
