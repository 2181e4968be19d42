"""What keeps programs from running on a device is found, with what to do about it."""

from __future__ import annotations

from typing import Any

import pytest

from buildtool.deploy.check_device import REQUIRED_TOOLS, check_device
from buildtool.device.board import Board
from buildtool.device.facts import Facts, Node, SystemFile
from buildtool.project.model import Target
from tests.unit.device.board_facts import BOARD as KNOWN

CDSP = Node("/dev/fastrpc-cdsp", "660", "root", "fastrpc", readable=True, writable=True)
HEAP = Node("/dev/dma_heap/system", "660", "root", "video", readable=True, writable=True)
SHELL = SystemFile("/usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3")
BOARD = KNOWN._replace(tools=frozenset(REQUIRED_TOOLS), nodes=(CDSP, HEAP), shell=SHELL)
TARGET = Target(platform="ubuntu-aarch64", archs=("v73",))


def wrong(facts: Facts, target: Target | None = TARGET) -> list[tuple[str, str]]:
    found = check_device(facts, Board(), "board", target)
    return [(finding.what, finding.remedy) for finding in found if finding.remedy]


def test_a_board_on_which_everything_is_right() -> None:
    assert wrong(BOARD) == []
    assert [finding.what for finding in check_device(BOARD, Board(), "board", TARGET)] == [
        "releases can be installed in /opt/buildtool",
        "1,024 MiB are free in /opt/buildtool",
        "the device has the programs that buildtool runs there",
        "/dev/fastrpc-cdsp (mode 660, root:fastrpc) can be used",
        "/dev/dma_heap/system (mode 660, root:video) can be used",
        f"the DSP shell is {SHELL.path}",
        "the target 'board' fits",
    ]


@pytest.mark.parametrize(
    ("changes", "what", "remedy"),
    [
        ({"unwritable": "/opt: denied"}, "cannot be installed", "sudo install -d -o radxa"),
        ({"executable": False}, "cannot be executed", "another root"),
        ({"links": False}, "no symbolic links", "another root"),
        ({"free": 1 << 20}, "1 MiB are free", "Delete files"),
        ({"tools": BOARD.tools - {"tar", "cp"}}, "the device has no cp, tar", "Install them"),
        ({"nodes": (HEAP,)}, "the kernel knows no compute DSP", "sudo modprobe"),
        (
            {"nodes": (CDSP._replace(writable=False), HEAP)},
            "radxa may not use /dev/fastrpc-cdsp (mode 660, root:fastrpc)",
            "sudo usermod -aG fastrpc radxa",
        ),
        (
            {"nodes": (CDSP, HEAP._replace(readable=False, group="root"))},
            "radxa may not use /dev/dma_heap/system",
            "udev rules",
        ),
        ({"glibc": "2.31"}, "needs glibc 2.35", "Set glibc"),
    ],
)
def test_each_finding(changes: dict[str, Any], what: str, remedy: str) -> None:
    ((found, advice),) = wrong(BOARD._replace(**changes))
    assert what in found
    assert remedy in advice


def test_one_usable_node_of_the_dsp_is_enough() -> None:
    secure = CDSP._replace(path="/dev/fastrpc-cdsp-secure", readable=False)
    assert wrong(BOARD._replace(nodes=(CDSP, secure, HEAP))) == []


def test_a_dsp_that_answers_needs_no_node() -> None:
    assert wrong(BOARD._replace(nodes=(), capabilities={"domain_support": 1})) == []
    assert wrong(BOARD._replace(nodes=(), capabilities={"domain_support": 0})) != []


def test_a_target_without_skels_needs_no_dsp() -> None:
    rk3588 = BOARD._replace(arch="", nodes=())
    assert wrong(rk3588, Target(platform="ubuntu-aarch64")) == []
    assert wrong(rk3588, None) == []
