"""Why the DSP of a board does not answer: one check a function, each with its remedies."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from buildtool.device.board import IMAGES, MAX_ITEMS, Board, Processor
from buildtool.device.errors import DeviceFinding
from buildtool.device.facts import Facts, Node
from buildtool.device.sysroot.device_files import PLACES

DMA_HEAP = "/dev/dma_heap/system"
ION = "/dev/ion"
RUNNING = ("running", "attached")
UNSIGNED = "fastrpc_shell_unsigned_3"
_OF_ARCH = re.compile(r"/hexagon/v[0-9a-f]{2}(?:/cdsp)?$")
FAULTS: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("board_faults.toml").read_text(encoding="utf-8")
)
"""All faults by name, with their texts."""
NO_SESSIONS = frozenset(name for name, row in FAULTS.items() if "no_session" in row)
"""The names of faults with which no session opens."""
OF_FILES = frozenset(name for name, row in FAULTS.items() if "of_files" in row)
"""The names of faults of the DSP's files, which an emulated board does not have."""


def _fault(name: str, **values: object) -> DeviceFinding:
    """The finding of a fault; `values` are for its texts."""
    row = FAULTS[name]
    return DeviceFinding(name, row["what"].format(**values), row["remedy"].format(**values))


def check_board(board: Board, facts: Facts) -> Iterator[DeviceFinding]:
    """The findings about a board's DSP, in the order in which a board comes up."""
    answers = bool(facts.capabilities.get("domain_support"))
    if answers:
        yield DeviceFinding("dsp-answers", f"the DSP answers: {facts.arch_source}")
    yield from _processor(board, facts, answers=answers)
    yield from _nodes(board, facts, answers=answers)
    yield from _memory(board, facts)
    yield from _library(board, facts)
    if not board.emulated:  # its shell is not a file of the device
        yield from _shell(board, facts)
        yield from _builds(board, facts)
    yield from _skels(board, facts)
    yield from _denials(board)
    yield from _sessions(board)
    if board.health:
        yield _fault("healthcheck", said=board.health)


def _rpc_nodes(facts: Facts) -> list[Node]:
    return [node for node in facts.nodes if "rpc" in node.path and "adsp-" not in node.path]


def _processor(board: Board, facts: Facts, *, answers: bool) -> Iterator[DeviceFinding]:
    cdsp = board.cdsp
    if cdsp and cdsp.state in RUNNING:
        crashes = sum("crash detected" in line for line in _about(cdsp, board))
        told = f", after {crashes} crashes since the board booted" if crashes else ""
        yield DeviceFinding(
            "dsp-running", f"the compute DSP is {cdsp.state}{told} ({cdsp.directory})"
        )
    elif cdsp:
        yield _stopped(cdsp, board)
    elif not answers and not _rpc_nodes(facts):
        yield _no_processor(board)


def _about(cdsp: Processor, board: Board) -> list[str]:
    """The kernel's messages about the compute DSP."""
    number = cdsp.directory.rpartition("/")[2]
    names = "|".join(re.escape(name) for name in ("cdsp", number, cdsp.address) if name)
    return [line for line in board.kernel or () if re.search(rf"\b(?:{names})\b(?!\d)", line)]


def _stopped(cdsp: Processor, board: Board) -> DeviceFinding:
    """Why a DSP that the kernel knows does not run."""
    state = f"the compute DSP is {cdsp.state or 'in no known state'} ({cdsp.directory})"
    start = f"echo start | sudo tee {cdsp.directory}/state"
    if not board.firmware:
        folders = ", ".join(f"/{folder}" for folder in IMAGES)
        firmware = cdsp.firmware or "firmware"
        return _fault(
            "firmware-missing", state=state, firmware=firmware, folders=folders, start=start
        )
    kernel = _about(cdsp, board)
    for name, row in FAULTS.items():
        fitting = (line for line in reversed(kernel) if re.search(row["kernel"], line))
        if "kernel" in row and (line := next(fitting, "")):
            return _fault(name, state=state, line=line, start=start)
    unread = (
        " Whether it has crashed is in the kernel's log, which this user may not read: sudo dmesg."
        if board.kernel is None
        else ""
    )
    image = next(iter(board.firmware))
    return _fault("dsp-offline", state=state, image=image, start=start, unread=unread)


def _no_processor(board: Board) -> DeviceFinding:
    label = [node for node in board.tree or () if node.label == "cdsp"]
    if board.tree is not None and not label:
        return _fault("device-tree-without-dsp")
    if label and not any(node.enabled for node in label):
        return _fault("device-tree-disabled")
    others = ", ".join(p.name for p in board.processors)
    none = ": /sys/class/remoteproc has none"
    return _fault("remoteproc-missing", others=f", but {others}" if others else none)


def _nodes(board: Board, facts: Facts, *, answers: bool) -> Iterator[DeviceFinding]:
    nodes = _rpc_nodes(facts)
    if not nodes and not answers and board.cdsp and board.cdsp.state in RUNNING:
        without = board.tree is not None and not any(n.label == "cdsp" for n in board.tree)
        yield _fault("device-tree-without-fastrpc" if without else "fastrpc-driver-missing")
    if nodes and not any(node.readable and node.writable for node in nodes):
        yield _forbidden("node-permission", nodes[0], board, facts)
    for node in nodes:
        if node.readable and node.writable:
            yield DeviceFinding("node", f"{_described(node)} can be used")


def _memory(board: Board, facts: Facts) -> Iterator[DeviceFinding]:
    heap = next((node for node in facts.nodes if node.path in (DMA_HEAP, ION)), None)
    if heap and heap.readable:  # an allocation is an ioctl, for which reading is enough
        yield DeviceFinding("dma-heap", f"{_described(heap)} can be used")
    elif heap:
        yield _forbidden("dma-heap-permission", heap, board, facts)
    elif _rpc_nodes(facts):
        yield _fault("dma-heap-missing", heap=DMA_HEAP)


def _forbidden(name: str, node: Node, board: Board, facts: Facts) -> DeviceFinding:
    user = facts.user or str(facts.uid)
    values = {"user": user, "node": _described(node), "group": node.group}
    if node.group in board.member_of - board.groups:
        return _fault("group-session", **values)
    found = _fault(name, **values)
    if node.group in ("", "?", "root"):
        what = f"{found.what}: no group of users owns it"
        return found._replace(what=what, remedy=FAULTS[name]["without_group"])
    return found


def _described(node: Node) -> str:
    return f"{node.path} (mode {node.mode or 'unknown'}, {node.owner}:{node.group})"


def _library(board: Board, facts: Facts) -> Iterator[DeviceFinding]:
    if not facts.cdsprpc.path:
        yield _fault("libcdsprpc-missing")
    elif len({*board.libraries.values()}) > 1:
        first = {digest: path for path, digest in reversed([*board.libraries.items()])}
        listed = ", ".join(reversed(first.values()))
        yield _fault("libcdsprpc-twice", listed=listed, first=facts.cdsprpc.path)


def _shell(board: Board, facts: Facts) -> Iterator[DeviceFinding]:
    shell = facts.shell.path
    stale = [f for f in board.configured if not any(p.startswith(f"{f}/") for p in board.shells)]
    if stale:
        yield _fault("configuration-stale", named=stale[0])
    elif not shell and board.shells:
        machine = facts.model or "of this board"
        yield _fault("configuration-missing", shell=next(iter(board.shells)), machine=machine)
    elif not shell:
        yield _fault("shell-missing")
    if not shell:
        return
    if not shell.endswith(f"/{UNSIGNED}"):
        yield _fault("shell-unsigned-missing", shell=shell, unsigned=UNSIGNED)
    else:
        yield DeviceFinding("shell", f"the DSP shell is {shell}")


def searched(board: Board, facts: Facts) -> list[str]:
    """The directories where libcdsprpc looks for files of the compute DSP after those of
    ADSP_LIBRARY_PATH, in its order.  Source: qualcomm/fastrpc at 05e12fa7, src/fastrpc_apps_user.c
    (build_dsp_search_path_cache_for_domain), and fopen_from_dirlist in src/apps_std_imp.c."""
    of_arch = [f"{board.arch_folder}/{facts.arch}"] if board.arch_folder and facts.arch else []
    folders = [*of_arch, *board.configured, *PLACES.platforms[facts.platform].shells]
    return [f"{folder}{below}" for folder in folders for below in ("/cdsp", "")]


def _skels(board: Board, facts: Facts) -> Iterator[DeviceFinding]:
    """Which skel of several with the same name is opened, and those that never are."""
    folders = searched(board, facts)
    by_name: dict[str, list[str]] = {}
    for path in board.skels:
        folder, _, name = path.rpartition("/")
        by_name.setdefault(name, []).append(folder)
    lost = []
    for name, there in [*by_name.items()][:MAX_ITEMS]:
        opened = [folder for folder in folders if folder in there]
        if len(opened) > 1:
            others = ", ".join(opened[1:])
            what = f"the cdsp opens {name} of {opened[0]}, not that of {others}"
            yield DeviceFinding("skel", what)
        elif not opened and (of_arch := [f for f in there if _OF_ARCH.search(f)]):
            lost.append(f"{of_arch[0]}/{name}")
    if lost:
        why = f"the cdsp is {facts.arch}" if board.arch_folder else "its libcdsprpc is too old"
        more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
        yield _fault("skel-not-searched", lost=", ".join(lost[:3]) + more, why=why)


def _builds(board: Board, facts: Facts) -> Iterator[DeviceFinding]:
    shell = board.shells.get(facts.shell.path, "")
    firmware = {build: path for path, build in board.firmware.items() if build}
    if shell and firmware and shell not in firmware:
        build, path = next(iter(firmware.items()))
        yield _fault("firmware-mismatch", path=path, build=build, shell=shell)
    elif shell and firmware:
        yield DeviceFinding("firmware", f"firmware and DSP shell are of one build: {shell}")


def _denials(board: Board) -> Iterator[DeviceFinding]:
    pattern = re.compile(
        r"avc: *denied *\{ *([\w ]{1,60}?) *\}.*?\b(?:name|path)=\"([^\"]{0,80}"
        r"(?:rpc|dma_heap|ion)[^\"]{0,80})\".*?\bscontext=([\w:,]{1,100})"
    )
    for line in board.kernel or ():
        denied = pattern.search(line)
        if denied and "permissive=1" not in line:
            yield _fault("selinux", denied=denied[1], path=denied[2], context=denied[3])
            return


def _sessions(board: Board) -> Iterator[DeviceFinding]:
    about = _about(board.cdsp, board) if board.cdsp else []
    if lines := [line for line in about if "No session available" in line]:
        banks = next((node.banks for node in board.tree or () if node.label == "cdsp"), 0)
        given = f"; the device tree gives it {banks} context banks" if banks else ""
        yield _fault("sessions-exhausted", line=lines[-1], banks=given)
