"""The devices of `devices.toml`: in the user's configuration directory, and in the project's."""

# No `from __future__ import annotations`: the reader evaluates the annotations in every run.
import os
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.value import Value
from buildtool.device.facts import CDSP, DOMAINS
from buildtool.project.keys import Key, Violation
from buildtool.project.model import BUILT_IN_TARGET, Project
from buildtool.project.tables import NAME, TableReader, TomlError, parse_tables, read_toml, suggest
from buildtool.sdk.tool_search import NO_REQUIREMENT

if TYPE_CHECKING:
    from buildtool.core.events import Listener
    from buildtool.device.device import Device
    from buildtool.device.transports.transport import Transport

FILE_NAME = "devices.toml"
DIRECTORY = "devices"  # in the user's cache: what is remembered about devices
MAX_TEXT = 255
KEPT_RELEASES = 3
MAX_KEPT = 1000
LABGRID = "labgrid:"
_ROOT = r"(?:\$HOME|~)?(?:/[^/]+)*/?"
_KEYS_OF = {
    "address": ("ssh", "adb"),
    "via": ("ssh", "adb"),
    "port": ("ssh",),
    "adb_server": ("adb",),
    "run_as": ("adb",),
}
"""The transports to which keys apply."""


class DevicesError(TomlError):
    """A `devices.toml` is invalid."""

    code = "devices"


class ConfiguredDevice(Value):
    """`[device.NAME]`: a device, and how it is reached."""

    transport: Annotated[str, Key("how commands reach it", choices=("ssh", "adb", "local"))]
    address: Annotated[
        str,
        Key(
            "ssh: USER@HOST or a host of ~/.ssh/config; adb: the device's serial number;"
            " with 'via' the default is what the lab says"
        ),
    ] = ""
    port: Annotated[int, Key("ssh: port of the server; default: ssh's own configuration")] = 0
    target: Annotated[
        str, Key("target of the project that is built for it; default: the project's")
    ] = ""
    root: Annotated[
        str,
        Key(
            "directory on the device that releases are installed below; it may begin with ~/;"
            " default: the transport's"
        ),
    ] = ""
    tags: Annotated[tuple[str, ...], Key("names for groups of devices")] = ()
    keep: Annotated[int, Key("number of releases of a project that stay on it")] = KEPT_RELEASES
    adb_server: Annotated[str, Key("adb: HOST:PORT of an adb server on another machine")] = ""
    run_as: Annotated[
        str, Key("adb: debuggable app, as whose user commands run and whose directory is used")
    ] = ""
    via: Annotated[
        str, Key("labgrid:PLACE: the place of a lab that is acquired while it is used")
    ] = ""
    domain: Annotated[str, Key("DSP that programs of run, test and bench use", choices=DOMAINS)] = (
        CDSP
    )


SECTIONS: Mapping[str, type] = {"device": ConfiguredDevice}


def user_file() -> Path:
    """The user's `devices.toml`.  Source: the XDG Base Directory Specification, which tells
    programs to ignore a relative path."""
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    if not folder.startswith("/"):
        folder = os.path.expanduser("~/.config")  # noqa: PTH111
    return Path(folder, "buildtool", FILE_NAME)


def project_file(project: Project) -> Path:
    """The `devices.toml` beside the project file."""
    return project.root / FILE_NAME


def configured_devices(project: Project | None) -> dict[str, ConfiguredDevice]:
    """The devices by name; those beside the project file take precedence over the user's.  Raises
    `DevicesError`."""
    return {
        name: device
        for devices in devices_by_file(project).values()
        for name, device in devices.items()
    }


def devices_by_file(project: Project | None) -> dict[Path, dict[str, ConfiguredDevice]]:
    """The devices in each `devices.toml`, the one that takes precedence last."""
    caches = {user_file(): cache_dir() / DIRECTORY / "devices.json"}
    if project:
        caches[project_file(project)] = project.state / "state" / "devices.json"
    return {file: read_devices(file, cached) for file, cached in caches.items() if file.is_file()}


def read_devices(file: Path, cached: Path) -> dict[str, ConfiguredDevice]:
    """The devices in `file`, whose tables are cached in `cached`; raises `DevicesError`."""
    text = read_toml(file, DevicesError)
    return devices_in(file, text, parse_tables(file, text, cached, DevicesError))


def devices_in(file: Path, text: str, tables: Mapping[str, object]) -> dict[str, ConfiguredDevice]:
    """The devices in the tables of `file`, which contains `text`; raises `DevicesError`."""
    reader = TableReader(file, text, DevicesError)
    reader.known(tables, SECTIONS, ())
    devices = reader.section(ConfiguredDevice, "device", tables)
    for name, device in devices.items():
        for key, message, remedy in _violations(name, device):
            raise reader.error(key, message, remedy)
    return devices


def is_here(name: str, project: Project | None) -> bool:
    """Whether the device called `name` is this machine, or emulated on it; raises as `file_of`."""
    return name == BUILT_IN_TARGET or file_of(name, project)[1].transport == "local"


def open_device(
    name: str, project: Project | None, *, wait: float = 0, listener: "Listener" = lambda _: None
) -> "Device":
    """The device called `name`; nothing connects to it yet.  In a lab, others have `wait` seconds
    to release it.  Raises `UsageError` for an unknown name, `DevicesError`, and the errors of
    finding ssh or adb."""
    return device_of(name, file_of(name, project)[1], project, wait=wait, listener=listener)


def file_of(name: str, project: Project | None) -> tuple[Path, ConfiguredDevice]:
    """The file that configures the device called `name`, and what it says.  Raises `UsageError` for
    an unknown name, and `DevicesError`."""
    found = devices_by_file(project)
    for file, devices in reversed(found.items()):
        if name in devices:
            return file, devices[name]
    if name == BUILT_IN_TARGET:
        raise UsageError(f"{name} is built in", remedy="Name a device of devices.toml.")
    known = [BUILT_IN_TARGET, *(each for devices in found.values() for each in devices)]
    how = "--local" if name == "local" else "--ssh HOST"
    remedy = f"{suggest(name, known)} Add it: buildtool devices add {name} {how}"
    if project and name in project.targets:
        remedy = (
            f"It is a target: add a device with it, buildtool devices add NAME --target {name},"
            f" or run it on {BUILT_IN_TARGET}: --target {name}"
        )
    if project and name in project.runs:
        remedy = f"It is a named run: buildtool run {BUILT_IN_TARGET} {name}"
    raise UsageError(
        f"there is no device {name!r}",
        why=f"devices are configured in {_files(project)}",
        remedy=remedy,
    )


def device_of(
    name: str,
    device: ConfiguredDevice,
    project: Project | None,
    *,
    wait: float = 0,
    listener: "Listener" = lambda _: None,
) -> "Device":
    """The device called `name` that is configured so; otherwise as `open_device`."""
    from buildtool.device.device import Device  # noqa: PLC0415 - completion lists names only

    open_transport = partial(_transport, project=project)
    if device.via:
        from buildtool.device.labgrid.transport import PlaceTransport  # noqa: PLC0415 - in labs

        place = device.via.removeprefix(LABGRID)
        transport: Transport = PlaceTransport(
            place, name, device, open_transport, wait=wait, listener=listener
        )
    else:
        transport = open_transport(device)
    root = device.root
    if root.startswith("~"):
        root = "$HOME" + root[1:]
    opened = Device(
        name, device.target, root or transport.root, transport, device.tags, device.keep
    )
    return opened._replace(domain=device.domain)


def _transport(device: ConfiguredDevice, project: Project | None) -> "Transport":
    if device.transport == "local":
        from buildtool.device.transports.local import local_device  # noqa: PLC0415 - as above

        return local_device()
    requirement = project.tool(device.transport) if project else NO_REQUIREMENT
    if device.transport == "ssh":
        from buildtool.device.transports.ssh import ssh_device  # noqa: PLC0415 - as above

        return ssh_device(device.address, device.port or None, requirement)
    from buildtool.device.transports.adb import adb_device  # noqa: PLC0415 - as above

    return adb_device(
        device.address,
        server=device.adb_server,
        run_as=device.run_as,
        requirement=requirement,
    )


def _files(project: Project | None) -> str:
    places = [str(user_file()), *([str(project_file(project))] if project else [])]
    return " and ".join(places)


def _violations(name: str, device: ConfiguredDevice) -> Iterator[Violation]:
    at = ("device", name)
    if name == BUILT_IN_TARGET:
        yield at, f"{name!r} is the emulated device, which is built in", "Choose another name."
    if device.via and not re.fullmatch(LABGRID + NAME, device.via):
        yield (
            (*at, "via"),
            f"{device.via!r} is not a place of a lab",
            'Write: via = "labgrid:PLACE", with the name of a place of labgrid.',
        )
    elif device.transport != "local" and not device.via and not device.address:
        example = "USER@HOST" if device.transport == "ssh" else "SERIAL"
        yield at, "lacks the key 'address'", f'Add: address = "{example}"'
    for key, transports in _KEYS_OF.items():
        if device.transport not in transports and getattr(device, key):
            message = f"does not apply to {device.transport}"
            yield (*at, key.replace("_", "-")), message, "Remove this key."
    if device.transport != "local":
        yield from _ssh_keys(at, device) if device.transport == "ssh" else _adb_keys(at, device)
    if not 0 < device.keep < MAX_KEPT:
        yield (
            (*at, "keep"),
            f"{device.keep} is not a number of releases",
            f"Write a number from 1 to {MAX_KEPT - 1}.",
        )
    if device.root and not _is_root(device.root):
        yield (
            (*at, "root"),
            f"{device.root!r} is not an absolute directory",
            'Write a path that begins with / or ~/ and contains no "..", such as "/opt/buildtool".',
        )
    for tag in device.tags:
        if not re.fullmatch(NAME, tag):
            yield (
                (*at, "tags"),
                f"{tag!r} is not a valid tag",
                "Use letters, digits, '.', '_' and '-'; start with a letter or digit.",
            )


def _ssh_keys(at: tuple[str, str], device: ConfiguredDevice) -> Iterator[Violation]:
    from buildtool.device.transports.ssh import host_problem  # noqa: PLC0415 - for such devices

    if device.address and (problem := host_problem(device.address)):
        yield (
            (*at, "address"),
            f"{device.address!r} is not a host: {problem}",
            'Write: address = "USER@HOST", or an alias of ~/.ssh/config.',
        )
    if not 0 <= device.port < 1 << 16:
        yield (*at, "port"), f"{device.port} is not a port", "Write a number from 1 to 65535."


def _adb_keys(at: tuple[str, str], device: ConfiguredDevice) -> Iterator[Violation]:
    from buildtool.device.transports import adb  # noqa: PLC0415 - for such devices

    if device.address and not re.fullmatch(adb.SERIAL, device.address, re.ASCII):
        yield (
            (*at, "address"),
            f"{device.address!r} is not a serial number",
            "Take one that `adb devices` lists.",
        )
    server = re.fullmatch(adb.SERVER, device.adb_server, re.ASCII)
    if device.adb_server and not (server and 0 < int(server[1]) < 1 << 16):
        yield (
            (*at, "adb-server"),
            f"{device.adb_server!r} is not the address of an adb server",
            'Write: adb-server = "HOST:5037"',
        )
    if device.run_as and not re.fullmatch(adb.PACKAGE, device.run_as, re.ASCII):
        yield (
            (*at, "run-as"),
            f"{device.run_as!r} is not the name of an app",
            'Write the name of its package: run-as = "com.example.app"',
        )


def _is_root(text: str) -> bool:
    sound = text.isprintable() and len(text) <= MAX_TEXT and re.fullmatch(_ROOT, text)
    return bool(sound) and text.strip("/") != "" and not {".", ".."} & {*text.split("/")}
