"""The DSP shell keeps the translated code of skels beside its program, and uses only what fits."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import install
from .test_qf_lost import build

SCRIPT = "open qf_lost; case qf_lost chain 0; close qf_lost"


@pytest.fixture
def shell(tmp_path: Path, toolbox: Toolbox) -> Path:
    """A shell that keeps code."""
    folder = tmp_path / "shell"
    (folder / "translations").mkdir(parents=True)
    return Path(shutil.copy(toolbox.shell(), folder))


@pytest.fixture
def device(make_device: Callable[..., Device], toolbox: Toolbox, shell: Path) -> Device:
    device = make_device(arch="79", shell=str(shell))
    install(device, build(toolbox, "v79"), "qf_lost")
    return device


def run(device: Device, strict: str = "") -> None:
    done = device.run(SCRIPT, BUILDTOOL_SIM_STRICT=strict)
    assert (done.status, done.err) == (0, ""), done


def kept(shell: Path) -> list[Path]:
    return sorted((shell.parent / "translations").iterdir())


def used(file: Path) -> bool:
    """Whether the file was used since its last time, which is set to long ago."""
    return file.stat().st_mtime > 1


def forget_use(file: Path) -> bytes:
    os.utime(file, (1, 1))
    return file.read_bytes()


def test_a_second_process_uses_the_code_of_the_first(device: Device, shell: Path) -> None:
    run(device)
    (file,) = kept(shell)
    number, content = file.stat().st_ino, forget_use(file)

    run(device)

    assert kept(shell) == [file]
    assert used(file)
    assert (file.stat().st_ino, file.read_bytes()) == (number, content)


@pytest.mark.parametrize("change", ["flip", "cut", "empty", "longer", "link", "folder"])
def test_a_damaged_file_is_not_used(device: Device, shell: Path, change: str) -> None:
    run(device)
    (file,) = kept(shell)
    right = forget_use(file)
    places = range(0, len(right), len(right) // 6) if change == "flip" else [len(right) // 2]
    for at in places:
        file.unlink()
        damaged = {
            "flip": right[:at] + bytes([right[at] ^ 4]) + right[at + 1 :],
            "cut": right[:at],
            "empty": b"",
            "longer": right + b"x",
        }.get(change)
        if damaged is not None:
            file.write_bytes(damaged)
        elif change == "link":
            file.symlink_to(device.root / "nothing")
        else:
            file.mkdir()

        run(device)

        if change == "folder":
            file.rmdir()
            run(device)
        assert kept(shell) == [file]
        assert not file.is_symlink()
        assert forget_use(file) != damaged, at
        run(device)
        assert used(file)


def test_other_archs_and_checks_have_their_own_code(
    device: Device, shell: Path, make_device: Callable[..., Device], toolbox: Toolbox
) -> None:
    other = make_device("other", arch="81", shell=str(shell))
    install(other, build(toolbox, "v79"), "qf_lost")

    run(device)
    run(device, "back")
    run(other)

    assert len(kept(shell)) == 3


def test_processes_that_start_together_share(device: Device, shell: Path) -> None:
    started = [device.start(SCRIPT) for _ in range(4)]
    for process in started:
        _, messages = process.communicate(timeout=120)
        assert (process.returncode, messages) == (0, "")
    assert len(kept(shell)) == 1


def test_a_shell_without_the_directory_keeps_nothing(device: Device, shell: Path) -> None:
    (shell.parent / "translations").rmdir()
    run(device)
    assert [path.name for path in shell.parent.iterdir()] == [shell.name]
