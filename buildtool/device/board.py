"""The board of a device: its SoC and name, from the files that describe them; and its DSP in
addition to the facts: the kernel's side of FastRPC.

Sources: the kernel's remoteproc class in sysfs and its FastRPC device tree binding; for the builds
of firmware and shells, fastrpc-healthcheck of quic/fastrpc.  The open libcdsprpc reads
`/usr/share/qcom/conf.d/*.yaml`, where the device tree's model has a `DSP_LIBRARY_PATH` below
`/usr/share/qcom`: quic/fastrpc, src/fastrpc_config_parser.c.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping

from buildtool.core.value import Value
from buildtool.device.emulated.device import CONFIGURATION
from buildtool.device.emulated.socs import known_socs
from buildtool.device.script import Parts, printable
from buildtool.device.sysroot.device_files import (
    PLACES,
    DeviceFiles,
    PrintedFiles,
    PullError,
    first,
    resolve,
)

REMOTEPROC = "/sys/class/remoteproc"
TEXTS = tuple(f"{REMOTEPROC}/*/{name}".lstrip("/") for name in ("name", "state", "firmware"))
IMAGES = ("lib/firmware", "usr/lib/firmware", "vendor/firmware_mnt/image", "vendor/firmware")
TOPICS = r"remoteproc|q6v5|fastrpc|adsprpc|cdsp|arm-smmu|avc: *denied"
MAX_ITEMS = 64
_BUILD = re.compile(r"[\w.+-]{1,120}", re.ASCII)
_FILES = ("name", "state", "firmware")
MAX_TEXT = 120
EMULATED = f"/{CONFIGURATION}"
# Android's build properties that name a SoC, the most exact one first.
PROPERTIES = ("ro.soc.model", "ro.vendor.qti.soc_model", "ro.vendor.qti.soc_name")
_COMPATIBLE = re.compile(r"qcom,([a-z0-9]+)(?:-[a-z0-9.-]+)?")
_SOC = re.compile(r"[A-Z]{2,4}\d{3,5}[A-Z0-9]{0,4}|X\d[A-Z]\d{5,6}")  # SM8550, X1E80100
BASE = "/usr/share/qcom"
MAX_BYTES = 1 << 20
MAX_FILES = 1024  # as many as libcdsprpc reads


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
    board's configuration names.  `skels` are the skels of the compute DSP, also in directories that
    are not searched; `arch_folder` has a directory of them for each arch, "" if its libcdsprpc is
    too old to look there.  `health` is the reason why
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
    skels: tuple[str, ...] = ()
    arch_folder: str = ""
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
        skels=tuple(printable(path.encode()) for path in parts.lines("skels")),
        arch_folder=folder if (folder := parts.text("arch_folder")).startswith("/") else "",
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


def read_soc(device: DeviceFiles) -> tuple[str, str]:
    """The device's SoC ("QCS6490") and board; each empty when unknown.  A SoC in this project's
    table is preferred to others that the device mentions."""
    known = known_socs()
    mentioned = [name for name in _mentioned(device) if _SOC.fullmatch(name)]
    fitting = [name for name in mentioned if name in known] or mentioned
    models = [_text(device, path) for path in PLACES.model]
    return fitting[0] if fitting else "", next((text for text in models if text), "")


def emulated_arch(device: DeviceFiles) -> str:
    """The DSP arch of an emulated device, whose shell serves all archs; else ""."""
    arch = _property(_text(device, EMULATED, lines=True), ("arch",))
    return f"v{arch}" if re.fullmatch(r"[0-9a-f]{2}", arch) else ""


def _mentioned(device: DeviceFiles) -> list[str]:
    names = [_property(_text(device, EMULATED, lines=True), ("soc",))]
    for path in PLACES.properties:
        names.append(_property(_text(device, path, lines=True), PROPERTIES))
    for path in PLACES.compatible:
        names += _COMPATIBLE.findall(_text(device, path, lines=True))
    names += [_text(device, path) for path in PLACES.soc0]
    return [name.strip().upper() for name in names if name.strip()]


def _property(text: str, keys: tuple[str, ...]) -> str:
    """The value of the first of `keys` in lines `key=value`."""
    for key in keys:
        if value := re.search(rf"^{re.escape(key)}=(.*)$", text, flags=re.MULTILINE):
            return value[1]
    return ""


def _text(device: DeviceFiles, path: str, *, lines: bool = False) -> str:
    """A small text file of the device, "" without one; one printable line unless `lines`."""
    try:
        found = first(device, [path])
        data = device.read(found.path, MAX_BYTES) if found else b""
    except PullError:  # not an error: often only root can read /sys
        return ""
    text = data.decode("utf-8", errors="replace").replace("\0", "\n")
    if lines:
        return text
    line = text.strip().splitlines()[0] if text.strip() else ""
    return "".join(c for c in line if c.isprintable())[:MAX_TEXT]


def board_shells(device: DeviceFiles) -> list[str]:
    """The directories that the board's configuration names; none without a configuration."""
    found = first(device, PLACES.model)
    folder = resolve(device, f"{BASE}/conf.d")
    if not found or not folder or folder.entry.kind != "directory":
        return []
    lines = device.read(found.path, MAX_BYTES).decode("utf-8", errors="replace").splitlines()
    model = lines[0].rstrip("\0") if lines else ""
    named = ""
    for name in device.names(folder.path)[:MAX_FILES]:
        file = resolve(device, f"{folder.path}/{name}")
        if name.endswith((".yaml", ".yml")) and file and file.entry.kind == "file":
            text = device.read(file.path, MAX_BYTES).decode("utf-8", errors="replace")
            named = library_path(text, model) or named
    return [f"{BASE}/{part.strip('/')}" for part in named.split(";") if part.strip("/")]


def library_path(text: str, model: str) -> str:
    """`DSP_LIBRARY_PATH` of the machine `model` in a configuration file, else "".  What precedes a
    mistake in the file counts, as in libcdsprpc."""
    import yaml  # noqa: PLC0415 - slow to import; few devices have such a file

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    key = ""
    in_machines = in_model = False
    with contextlib.suppress(yaml.YAMLError):
        for event in yaml.parse(text, loader):
            if isinstance(event, yaml.MappingEndEvent):
                in_model = False
            elif isinstance(event, yaml.ScalarEvent):
                if in_model and key == "DSP_LIBRARY_PATH":
                    return str(event.value)
                key = event.value
                in_model = in_model or (in_machines and key == model)
                in_machines = in_machines or key == "machines"
    return ""
