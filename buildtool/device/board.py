"""The state of a board's DSP in addition to the facts: the kernel's side of FastRPC.

Sources: the kernel's remoteproc class in sysfs and its FastRPC device tree binding; for the builds
of firmware and shells, fastrpc-healthcheck of quic/fastrpc.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from buildtool.core.value import Value
from buildtool.device.script import Parts, printable
from buildtool.device.sysroot.device_files import PrintedFiles
from buildtool.device.sysroot.facts import EMULATED, board_shells

REMOTEPROC = "/sys/class/remoteproc"
TEXTS = tuple(f"{REMOTEPROC}/*/{name}".lstrip("/") for name in ("name", "state", "firmware"))
IMAGES = ("lib/firmware", "usr/lib/firmware", "vendor/firmware_mnt/image", "vendor/firmware")
TOPICS = r"remoteproc|q6v5|fastrpc|adsprpc|cdsp|arm-smmu|avc: *denied"
MAX_ITEMS = 64
_BUILD = re.compile(r"[\w.+-]{1,120}", re.ASCII)
_FILES = ("name", "state", "firmware")


class Processor(Value):
    """A DSP as the kernel's remoteproc framework shows it.

    `directory` is that of sysfs; `address` is the name of its device ("a300000.remoteproc"), which
    the kernel's messages begin with; `state` is "running", "offline", "crashed", "attached" …;
    `firmware` is the path of its image below the directories of firmware.
    """

    directory: str
    address: str
    name: str
    state: str
    firmware: str


class TreeNode(Value):
    """A FastRPC node of the device tree; a DSP has one session for each of its context banks."""

    label: str
    banks: int
    enabled: bool


class Board(Value):
    """The state of a board.

    `processors` are all that run firmware; `firmware` and `shells` have the names of builds ("" if
    a file has none) by path; `libraries` are the digests of the copies of libcdsprpc by path.
    `tree` is None if the device tree cannot be read.  `groups` are those of the session,
    `member_of` those that the user has according to the user database.  `kernel` are the messages
    about DSPs, None if they cannot be read.  `configured` are the directories of DSP files that the
    board's configuration names.  `health` is the reason why
    fastrpc-healthcheck finds the compute DSP unusable, "" if it finds none or is not installed.
    """

    processors: tuple[Processor, ...] = ()
    firmware: Mapping[str, str] = {}
    shells: Mapping[str, str] = {}
    libraries: Mapping[str, str] = {}
    tree: tuple[TreeNode, ...] | None = None
    groups: frozenset[str] = frozenset()
    member_of: frozenset[str] = frozenset()
    enforcing: bool = False
    kernel: tuple[str, ...] | None = ()
    health: str = ""
    configured: tuple[str, ...] = ()
    emulated: bool = False

    @property
    def cdsp(self) -> Processor | None:
        """The compute DSP; older kernels name a processor by its address, but not its firmware."""
        named = [p for p in self.processors if re.search(r"cdsp(?!\d)", f"{p.name} {p.firmware}")]
        return named[0] if named else None


def board_from(parts: Parts) -> Board:
    """The state of a board from the output of the scripts facts.sh and board.sh."""
    texts = parts.of("text")
    directories = sorted(
        {
            path.rpartition("/")[0]
            for path in texts
            if path.startswith(f"{REMOTEPROC}/") and path.count("/") == REMOTEPROC.count("/") + 2
        }
    )[:MAX_ITEMS]
    devices = parts.of("device")
    kernel = [printable(line.encode()) for line in parts.lines("kernel")]
    return Board(
        processors=tuple(
            Processor(
                directory=directory,
                address=printable(devices.get(directory, b"")).rpartition("/")[2],
                **{name: printable(texts.get(f"{directory}/{name}", b"")) for name in _FILES},
            )
            for directory in directories
        ),
        firmware=_builds(parts.of("firmware")),
        shells=_builds(parts.of("build")),
        libraries={path: printable(digest) for path, digest in parts.of("copy").items()},
        tree=_tree(parts.lines("tree")) if "tree" in parts.texts else None,
        groups=frozenset(parts.text("groups").split()),
        member_of=frozenset(parts.text("member").split()),
        enforcing=parts.text("enforcing") in ("1", "Enforcing"),
        kernel=None if kernel == ["unreadable"] else tuple(kernel),
        configured=tuple(board_shells(PrintedFiles("", texts))),
        emulated=EMULATED in texts,
        health=_health(next(iter(parts.of("health").values()), b"")),
    )


def _builds(files: Mapping[str, bytes]) -> dict[str, str]:
    found = {path: printable(text) for path, text in [*files.items()][:MAX_ITEMS]}
    return {path: build if _BUILD.fullmatch(build) else "" for path, build in found.items()}


def _tree(lines: list[str]) -> tuple[TreeNode, ...]:
    pattern = re.compile(r"([\w-]{1,32}) (\d{1,4}) (okay|disabled)", re.ASCII)
    found = filter(None, map(pattern.fullmatch, lines[:MAX_ITEMS]))
    return tuple(TreeNode(m[1], int(m[2]), m[3] == "okay") for m in found)


def _health(text: bytes) -> str:
    """The reason in a row `CDSP Online Yes No No (Missing DSP modules)`, or that it is offline."""
    for line in text.decode("utf-8", errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["CDSP"]:
            reason = re.search(r"No \(([^()]{1,80})\)", line)
            return (
                printable(reason[1].encode()) if reason else "offline" * (words[1:2] == ["Offline"])
            )
    return ""
