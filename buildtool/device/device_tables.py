"""Changes the tables of a `devices.toml`; everything else in the file stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.files import write_if_changed
from buildtool.core.lock import locked
from buildtool.device.configuration import (
    DIRECTORY,
    FILE_NAME,
    ConfiguredDevice,
    DevicesError,
    devices_in,
)
from buildtool.project.tables import NAME, parse_tables, read_toml

Devices = Mapping[str, ConfiguredDevice]


def table_of(name: str, device: ConfiguredDevice) -> str:
    """The table of a device in TOML."""
    lines = [_header(name)]
    for field, value in device._asdict().items():
        if value != ConfiguredDevice._field_defaults.get(field):
            text = json.dumps([*value] if isinstance(value, tuple) else value, ensure_ascii=False)
            lines.append(f"{field.replace('_', '-')} = {text}")
    return "\n".join([*lines, ""])


def append_device(file: Path, name: str, device: ConfiguredDevice) -> None:
    """Append the table of a device to `file`.  Raises `UsageError` when the file has a device of
    this name, or cannot have another table at its end, and `DevicesError` when it is invalid."""
    _check_name(name)
    table = table_of(name, device)

    def append(text: str, former: Devices) -> tuple[str, Devices]:
        _check_new(name, former, file)
        ends = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{ends}{table}", {**former, name: device}

    cannot = f"{FILE_NAME} cannot have another table at its end"
    _change(file, append, cannot, f"Add to {file} by hand:\n{table}")


def remove_device(file: Path, name: str) -> None:
    """Remove the table of the device `name`, which `file` has.  Raises `UsageError` when it has
    another form than a table of lines, and `DevicesError`."""

    def remove(text: str, former: Devices) -> tuple[str, Devices]:
        lines = text.splitlines(keepends=True)
        header = re.compile(_header_pattern(name))
        start = next((n for n, line in enumerate(lines) if header.match(line)), len(lines))
        rest = range(start + 1, len(lines))
        end = next((n for n in rest if lines[n].lstrip().startswith("[")), len(lines))
        while end < len(lines) and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1  # comments and blank lines before the next table stay with it
        kept = "".join([*lines[:start], *lines[end:]])
        return kept, {key: value for key, value in former.items() if key != name}

    _change(file, remove, *_by_hand(file, name))


def rename_device(file: Path, name: str, new: str) -> None:
    """Change the name of the device `name`, which `file` has; raises as `append_device`."""
    _check_name(new)

    def rename(text: str, former: Devices) -> tuple[str, Devices]:
        _check_new(new, former, file)
        renamed = re.sub(_header_pattern(name), lambda _: _header(new), text, count=1)
        return renamed, {new if key == name else key: value for key, value in former.items()}

    _change(file, rename, *_by_hand(file, name))


def _header(name: str) -> str:
    return f"[device.{name}]" if "." not in name else f"[device.{json.dumps(name)}]"


def _header_pattern(name: str) -> str:
    quoted = rf"(?:\"{re.escape(name)}\"|'{re.escape(name)}'|{re.escape(name)})"
    return rf"(?m)^[ \t]*\[[ \t]*device[ \t]*\.[ \t]*{quoted}[ \t]*\]"


def _by_hand(file: Path, name: str) -> tuple[str, str]:
    return (
        f"the table of {name} in {file} has a form that is not changed here",
        f"Edit {file} by hand.",
    )


def _check_name(name: str) -> None:
    if not re.fullmatch(NAME, name):
        raise UsageError(
            f"{name!r} is not a name for a device",
            remedy="Use letters, digits, '.', '_' and '-'; start with a letter or digit.",
        )


def _check_new(name: str, former: Devices, file: Path) -> None:
    if name in former:
        raise UsageError(
            f"there is a device {name!r} already",
            why=f"{file} has it: {former[name].transport} {former[name].address}",
            remedy="Choose another name, or edit that file.",
        )


def _change(
    file: Path, change: Callable[[str, Devices], tuple[str, Devices]], cannot: str, remedy: str
) -> None:
    """Replace the text of `file` by what `change` makes of it, if that has the devices that
    `change` says; otherwise raise `UsageError(cannot)`."""
    file = file.resolve()  # it may be a link into a directory of configuration files
    with locked(cache_dir() / DIRECTORY / "add.lock"):
        text = read_toml(file, DevicesError) if file.exists() else ""
        fresh, wanted = change(text, _devices(file, text))
        why = "the result would have other devices"
        try:
            found = _devices(file, fresh)
        except DevicesError as error:
            found, why = {}, str(error).partition("\n")[0]
        if found != wanted:
            raise UsageError(cannot, why=why, remedy=remedy)
        mode = file.stat().st_mode & 0o777 if file.exists() else 0o644
        write_if_changed(file, fresh, mode=mode)


def _devices(file: Path, text: str) -> dict[str, ConfiguredDevice]:
    return devices_in(file, text, parse_tables(file, text, None, DevicesError))
