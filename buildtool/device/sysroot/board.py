"""The directories of DSP files that a board's own configuration names.

The open libcdsprpc reads `/usr/share/qcom/conf.d/*.yaml`, where the device tree's model has a
`DSP_LIBRARY_PATH` below `/usr/share/qcom`.  Source: quic/fastrpc, src/fastrpc_config_parser.c.
"""

from __future__ import annotations

import contextlib

from buildtool.device.sysroot.device_files import PLACES, DeviceFiles, first, resolve

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
    """`DSP_LIBRARY_PATH` of the machine `model` in a configuration file, else "".

    What precedes a mistake in the file counts, as in libcdsprpc.
    """
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
