"""The directories of DSP files that a board's own configuration names.

The open libcdsprpc reads `/usr/share/qcom/conf.d/*.yaml`, where the device tree's model has a
`DSP_LIBRARY_PATH` below `/usr/share/qcom`.  Source: quic/fastrpc, src/fastrpc_config_parser.c.
Only the plain form of these files is understood, a key a line.
"""

from __future__ import annotations

from buildtool.deploy.sysroot.device_files import DeviceFiles, first, resolve
from buildtool.deploy.sysroot.places import PLACES

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
    """`DSP_LIBRARY_PATH` of the machine `model` in a configuration file, else ""."""
    depth = -1
    for line in text.splitlines():
        key, value = _key(line.strip())
        if not key:
            continue
        indent = len(line) - len(line.lstrip())
        if key == model:
            depth = indent
        elif 0 <= depth < indent and key == "DSP_LIBRARY_PATH":
            return value.split(" #")[0].strip().strip("\"'")
        elif indent <= depth:
            depth = -1
    return ""


def _key(line: str) -> tuple[str, str]:
    """Key and value of a line `key: value`, whose key may be quoted; empty for other lines."""
    quote = line[:1] if line[:1] in ("'", '"') else ""
    key, colon, value = line.removeprefix(quote).partition(f"{quote}:")
    return (key, value.strip()) if colon and not line.startswith("#") else ("", "")
