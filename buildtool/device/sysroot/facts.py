"""The SoC and the board of a device, from the files that describe them.

The directories of DSP files that a board's own configuration names.

The open libcdsprpc reads `/usr/share/qcom/conf.d/*.yaml`, where the device tree's model has a
`DSP_LIBRARY_PATH` below `/usr/share/qcom`.  Source: quic/fastrpc, src/fastrpc_config_parser.c.
"""

from __future__ import annotations

import contextlib
import re

from buildtool.device.emulated.device import CONFIGURATION
from buildtool.device.emulated.socs import Soc, known_socs
from buildtool.device.sysroot.device_files import PLACES, DeviceFiles, PullError, first, resolve

MAX_FACT = 1 << 20
MAX_TEXT = 120
EMULATED = f"/{CONFIGURATION}"
# Android's build properties that name a SoC, the most exact one first.
PROPERTIES = ("ro.soc.model", "ro.vendor.qti.soc_model", "ro.vendor.qti.soc_name")
_COMPATIBLE = re.compile(r"qcom,([a-z0-9]+)(?:-[a-z0-9.-]+)?")
_SOC = re.compile(r"[A-Z]{2,4}\d{3,5}[A-Z0-9]{0,4}|X\d[A-Z]\d{5,6}")  # SM8550, X1E80100


def read_soc(device: DeviceFiles) -> tuple[str, str]:
    """The device's SoC ("QCS6490") and board; each empty when unknown.  A SoC in this project's
    table is preferred to others that the device mentions."""
    known = known_socs()
    mentioned = [name for name in _mentioned(device) if _SOC.fullmatch(name)]
    fitting = [name for name in mentioned if name in known] or mentioned
    models = [_text(device, path) for path in PLACES.model]
    return fitting[0] if fitting else "", next((text for text in models if text), "")


def known_soc(name: str) -> Soc | None:
    """The SoC's row in socs.tsv."""
    return known_socs().get(name)


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
        data = device.read(found.path, MAX_FACT) if found else b""
    except PullError:  # not an error: often only root can read /sys
        return ""
    text = data.decode("utf-8", errors="replace").replace("\0", "\n")
    if lines:
        return text
    line = text.strip().splitlines()[0] if text.strip() else ""
    return "".join(c for c in line if c.isprintable())[:MAX_TEXT]


BASE = "/usr/share/qcom"
MAX_BYTES = 1 << 20
MAX_FILES = 1024  # as many as libcdsprpc reads


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
