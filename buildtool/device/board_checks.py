"""Why the DSP of a board does not answer: one check a function, each with its remedies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from buildtool.device.board import IMAGES, Board, Processor
from buildtool.device.errors import DeviceFinding
from buildtool.device.facts import Facts, Node

DMA_HEAP = "/dev/dma_heap/system"
ION = "/dev/ion"
RUNNING = ("running", "attached")
UNSIGNED = "fastrpc_shell_unsigned_3"
NO_SESSIONS = frozenset(
    {
        *("firmware-missing", "firmware-refused", "dsp-offline", "dsp-crashed"),
        *("dsp-start-timeout", "remoteproc-missing", "fastrpc-driver-missing"),
        *("device-tree-without-dsp", "device-tree-disabled", "device-tree-without-fastrpc"),
        *("node-permission", "group-session", "dma-heap-missing", "dma-heap-permission"),
        *("libcdsprpc-missing", "configuration-missing", "shell-missing"),
    }
)
"""The names of faults with which no session opens."""
OF_FILES = frozenset(
    {
        *("configuration-missing", "configuration-stale", "shell-missing"),
        *("shell-unsigned-missing", "firmware-mismatch"),
    }
)
"""The names of faults of the DSP's files, which an emulated board does not have."""
FAULTS = (
    NO_SESSIONS | OF_FILES | {"libcdsprpc-twice", "selinux", "sessions-exhausted", "healthcheck"}
)
"""The names of all faults."""
# What the kernel says, the check, the cause, the remedy.
_CAUSES = (
    (
        r"fatal error received|crash detected",
        "dsp-crashed",
        "its firmware has crashed",
        "Start it again: {start}. If it crashes again, install firmware and DSP files of one"
        " release.",
    ),
    (
        r"start timed out|can't start rproc.*-110",
        "dsp-start-timeout",
        "it did not start in time",
        "Switch the board off and on again; if it happens again, update firmware and kernel.",
    ),
    (
        r"failed to authenticate|initializing firmware|invalid firmware",
        "firmware-refused",
        "its firmware is refused",
        "Install the firmware that the vendor has signed for this board, then: {start}",
    ),
)


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
    yield from _denials(board)
    yield from _sessions(board)
    if board.health:
        yield DeviceFinding(
            "healthcheck",
            f"fastrpc-healthcheck on the device says: {board.health}",
            "Remedy the findings above first, then run fastrpc-healthcheck there again.",
        )


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
        return DeviceFinding(
            "firmware-missing",
            f"{state}: there is no {cdsp.firmware or 'firmware'} in"
            f" {', '.join(f'/{folder}' for folder in IMAGES)}",
            f"Install the package with the DSP's firmware for this board, then: {start}",
        )
    kernel = _about(cdsp, board)
    for pattern, name, cause, remedy in _CAUSES:
        if found := next((line for line in reversed(kernel) if re.search(pattern, line)), ""):
            return DeviceFinding(name, f"{state}: {cause}: {found}", remedy.format(start=start))
    unread = (
        " Whether it has crashed is in the kernel's log, which this user may not read: sudo dmesg."
        if board.kernel is None
        else ""
    )
    return DeviceFinding(
        "dsp-offline",
        f"{state}, although its firmware is there: {next(iter(board.firmware))}",
        f"Start it: {start}.{unread} If it is offline after each boot, the kernel has looked for"
        " the firmware before the root file system was mounted: add the firmware to the initramfs,"
        " or install the udev rule 59-fastrpc-remoteproc.rules of the fastrpc package.",
    )


def _no_processor(board: Board) -> DeviceFinding:
    label = [node for node in board.tree or () if node.label == "cdsp"]
    if board.tree is not None and not label:
        return DeviceFinding(
            "device-tree-without-dsp",
            "the device tree has no FastRPC node of a compute DSP",
            "Use the device tree of this board from its vendor's kernel; is this a board with a"
            " Hexagon DSP?",
        )
    if label and not any(node.enabled for node in label):
        return DeviceFinding(
            "device-tree-disabled",
            "the device tree disables the compute DSP (status is not okay)",
            "Use the device tree of this board from its vendor's kernel, or an overlay that sets"
            ' status = "okay".',
        )
    others = ", ".join(p.name for p in board.processors)
    return DeviceFinding(
        "remoteproc-missing",
        "the kernel knows no compute DSP"
        + (f", but {others}" if others else ": /sys/class/remoteproc has none"),
        "Load its driver: sudo modprobe qcom_q6v5_pas; if there is none, use the vendor's kernel.",
    )


def _nodes(board: Board, facts: Facts, *, answers: bool) -> Iterator[DeviceFinding]:
    nodes = _rpc_nodes(facts)
    if not nodes and not answers and board.cdsp and board.cdsp.state in RUNNING:
        without = board.tree is not None and not any(n.label == "cdsp" for n in board.tree)
        yield DeviceFinding(
            "device-tree-without-fastrpc" if without else "fastrpc-driver-missing",
            "the DSP is running, but there is no device node /dev/fastrpc-cdsp",
            "Use a device tree with a fastrpc node for the compute DSP."
            if without
            else "Load the kernel's driver: sudo modprobe fastrpc; a kernel without it lacks"
            " CONFIG_QCOM_FASTRPC.",
        )
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
        yield DeviceFinding(
            "dma-heap-missing",
            f"there is no {DMA_HEAP}: rpcmem_alloc() fails, and sessions end with 0x68",
            "Use a kernel with CONFIG_DMABUF_HEAPS_SYSTEM; in a container, pass the node on.",
        )


def _forbidden(name: str, node: Node, board: Board, facts: Facts) -> DeviceFinding:
    user = facts.user or str(facts.uid)
    what = f"{user} may not use {_described(node)}"
    if node.group in board.member_of - board.groups:
        return DeviceFinding(
            "group-session",
            f"{what}: the user is in the group {node.group}, but this session began before",
            "Log in again: end the user's sessions there, such as the connection that ssh keeps, or"
            " restart the board.",
        )
    if node.group in ("", "?", "root"):
        return DeviceFinding(
            name,
            f"{what}: no group of users owns it",
            "Install the udev rules of the fastrpc package (60-fastrpc.rules), which give it the"
            " group fastrpc; or run as another user.",
        )
    remedy = f"Add the user to its group: sudo usermod -aG {node.group} {user}; then log in again."
    return DeviceFinding(name, what, remedy)


def _described(node: Node) -> str:
    return f"{node.path} (mode {node.mode or 'unknown'}, {node.owner}:{node.group})"


def _library(board: Board, facts: Facts) -> Iterator[DeviceFinding]:
    if not facts.cdsprpc.path:
        yield DeviceFinding(
            "libcdsprpc-missing",
            "there is no libcdsprpc, which programs call the DSP through",
            "Install it on the device: Debian has it in libfastrpc1, Ubuntu in qcom-fastrpc1.",
        )
    elif len({*board.libraries.values()}) > 1:
        first = {digest: path for path, digest in reversed([*board.libraries.items()])}
        listed = ", ".join(reversed(first.values()))
        yield DeviceFinding(
            "libcdsprpc-twice",
            f"there are several libcdsprpc, and programs load the first one: {listed}",
            f"Remove {facts.cdsprpc.path} if the system's package did not install it, such as one"
            " from an SDK.",
        )


def _shell(board: Board, facts: Facts) -> Iterator[DeviceFinding]:
    shell = facts.shell.path
    stale = [f for f in board.configured if not any(p.startswith(f"{f}/") for p in board.shells)]
    if stale:
        yield DeviceFinding(
            "configuration-stale",
            f"the board's configuration in /usr/share/qcom/conf.d names {stale[0]}, which has no"
            " DSP shell",
            "Install the package with the DSP files of this board (hexagon-dsp-binaries), or"
            " correct DSP_LIBRARY_PATH there.",
        )
    elif not shell and board.shells:
        yield DeviceFinding(
            "configuration-missing",
            f"libcdsprpc does not look in the directory of {next(iter(board.shells))}",
            f"Name it for the machine {facts.model or 'of this board'!r}: DSP_LIBRARY_PATH in a"
            " file of /usr/share/qcom/conf.d.",
        )
    elif not shell:
        yield DeviceFinding(
            "shell-missing",
            "there is no DSP shell: sessions end with 0x80000600",
            "Install the package with the DSP files of this board (hexagon-dsp-binaries).",
        )
    if not shell:
        return
    if not shell.endswith(f"/{UNSIGNED}"):
        yield DeviceFinding(
            "shell-unsigned-missing",
            f"there is {shell}, but no {UNSIGNED}: sessions of unsigned skels end with 0x80000416",
            "Install the DSP files of the same release that contain it, or sign the skels.",
        )
    else:
        yield DeviceFinding("shell", f"the DSP shell is {shell}")


def _builds(board: Board, facts: Facts) -> Iterator[DeviceFinding]:
    shell = board.shells.get(facts.shell.path, "")
    firmware = {build: path for path, build in board.firmware.items() if build}
    if shell and firmware and shell not in firmware:
        build, path = next(iter(firmware.items()))
        yield DeviceFinding(
            "firmware-mismatch",
            f"the firmware {path} is of the build {build}, and the DSP shell is of {shell}",
            "Install the firmware and the DSP files of one release, and restart the board.",
        )
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
            yield DeviceFinding(
                "selinux",
                f"SELinux denies to {denied[1]} {denied[2]} in the context {denied[3]}",
                "Run from a context that the policy allows, such as adb shell or an app that"
                " declares libcdsprpc.so with uses-native-library; or add a rule to the policy.",
            )
            return


def _sessions(board: Board) -> Iterator[DeviceFinding]:
    about = _about(board.cdsp, board) if board.cdsp else []
    if lines := [line for line in about if "No session available" in line]:
        banks = next((node.banks for node in board.tree or () if node.label == "cdsp"), 0)
        yield DeviceFinding(
            "sessions-exhausted",
            f"the kernel had no session of the DSP left: {lines[-1]}",
            "End other programs that use the DSP"
            + (f"; the device tree gives it {banks} context banks." if banks else "."),
        )
