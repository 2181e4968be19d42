"""`buildtool devices`: the devices that programs are deployed to and run on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.devices.device_lock import DeviceName, lock, unlock
from buildtool.cli.devices.status import status
from buildtool.cli.options import Json
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.show import print_json, show
from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.project.model import BUILT_IN_TARGET, Project
from buildtool.project.runs import MAX_PORT

if TYPE_CHECKING:
    from buildtool.device.configuration import ConfiguredDevice
    from buildtool.device.device import Device
    from buildtool.device.facts import Facts
    from buildtool.documents.devices import (
        DeviceAddedDocument,
        DeviceCheckDocument,
        DeviceObject,
        DevicesDocument,
    )

HELP = "Show, add and check the devices that programs run on."


def list_(*, json: Json = False) -> None:
    """List the devices that are configured."""
    from buildtool.device.configuration import devices_by_file

    rows = {BUILT_IN_TARGET: _row(BUILT_IN_TARGET, None, None)}
    for file, devices in devices_by_file(_project()).items():
        rows |= {name: _row(name, device, file) for name, device in devices.items()}
    if json:
        document: DevicesDocument = {"devices": [*rows.values()]}
        print_json(document)
        return
    width = max(map(len, rows))
    for name, row in rows.items():
        parts = [f"{row['transport']} {row['address']}".strip()]
        parts += [f"target {row['target']}"] if row["target"] else []
        parts += [f"tags {' '.join(row['tags'])}"] if row["tags"] else []
        show(f"{name:<{width}}  {', '.join(parts)}")


def add(
    name: Annotated[
        str,
        Argument("[NAME]", "Name of the device; default: the host's or model's."),
    ] = "",
    *,
    ssh: Annotated[str, Option("--ssh", "USER@HOST, or a host of ~/.ssh/config.", "HOST")] = "",
    adb: Annotated[
        str,
        Option("--adb", "Serial number; default: the only attached device.", "SERIAL"),
    ] = "",
    local: Annotated[bool, Option("--local", "This machine, which is a board.")] = False,
    port: Annotated[
        int, Option("--port", "With --ssh: port of the server.", "PORT", most=MAX_PORT)
    ] = 0,
    target: Annotated[
        str,
        Option("--target", "Its target; default: one that fits.", "TARGET"),
    ] = "",
    beside: Annotated[
        bool,
        Option("--project", "Add it to the project's devices.toml, not to yours."),
    ] = False,
    json: Json = False,
) -> None:
    """Connect to a device, and add it to devices.toml."""
    from buildtool.deploy.check_device import propose_name, propose_target
    from buildtool.device.configuration import (
        ConfiguredDevice,
        configured_devices,
        device_of,
        project_file,
        user_file,
    )
    from buildtool.device.device_tables import append_device, table_of
    from buildtool.device.known_facts import facts_of
    from buildtool.project.model import find_target
    from buildtool.project.read import find_project

    if bool(ssh) + bool(adb) + local > 1:
        raise UsageError(
            "--ssh, --adb and --local cannot be used together", remedy="Pass one of them."
        )
    if port and not ssh:
        raise UsageError("--port is for --ssh", remedy="Pass --ssh HOST, or omit --port.")
    project = find_project(Path.cwd()) if beside else _project()
    if target and project:
        find_target(project, target)
    model = ""
    if not (ssh or local):
        adb, model = _attached(adb, project)
    name = name or ("local" if local else propose_name(ssh or model or adb))
    if known := configured_devices(project).get(name):
        raise UsageError(
            f"there is a device {name!r} already: {known.transport} {known.address}".rstrip(),
            why="names of devices are unique",
            remedy="Choose another name: buildtool devices add NAME …",
        )
    transport = "local" if local else "ssh" if ssh else "adb"
    device = ConfiguredDevice(transport, ssh or adb, port)
    facts = facts_of(device_of(name, device, project), refresh=True)
    if project and not target:
        target = propose_target(facts, project.targets)
    device = device._replace(target=target)
    file = project_file(project) if project and beside else user_file()
    append_device(file, name, device)
    if json:
        document: DeviceAddedDocument = {
            "device": _row(name, device, file),
            "facts": facts.as_json(),
        }
        print_json(document)
        return
    _show_facts(facts)
    show(f"added to {file}:")
    for line in table_of(name, device).splitlines():
        show(f"  {line}")
    if project and not target:
        show(f"! no target of {project.name} fits: buildtool devices check {name} --target TARGET")


def remove(name: DeviceName) -> None:
    """Remove a device from devices.toml. Nothing is removed from the device."""
    from buildtool.device.configuration import file_of
    from buildtool.device.device_tables import remove_device

    file, _ = file_of(name, _project())
    remove_device(file, name)
    show(f"removed {name} from {file}")


def rename(
    name: DeviceName,
    new: Annotated[str, Argument("NAME", "Its new name.")],
) -> None:
    """Change the name of a device in devices.toml."""
    from buildtool.device.configuration import file_of
    from buildtool.device.device_tables import rename_device

    file, _ = file_of(name, _project())
    rename_device(file, name, new)
    show(f"renamed {name} to {new} in {file}")


def facts(name: DeviceName, *, json: Json = False) -> None:
    """Print what a device says about itself."""
    from buildtool.device.known_facts import remember_facts
    from buildtool.device.read_facts import read_facts

    device = _device(name, _project())
    found = read_facts(device)
    remember_facts(device, found)
    if json:
        print_json({"device": name, **found.as_json()})
    else:
        _show_facts(found)


def check(
    name: DeviceName,
    *,
    target: Annotated[str, Option("--target", "Target; default: the device's.", "TARGET")] = "",
    json: Json = False,
) -> int:
    """Check that a device can be reached and its target can run there."""
    from buildtool.deploy.check_device import check_device
    from buildtool.device.configuration import configured_devices
    from buildtool.device.errors import DeviceFinding
    from buildtool.device.known_facts import remember_facts
    from buildtool.device.read_facts import read_facts_and_board
    from buildtool.device.sharing import holder_of
    from buildtool.project.model import find_target
    from buildtool.project.read import find_project

    project = find_project(Path.cwd()) if target else _project()
    connected = _device(name, project)
    found, board = read_facts_and_board(connected)
    remember_facts(connected, found)
    if project and not target:
        device = configured_devices(project).get(name)
        target = device.target if device else BUILT_IN_TARGET
        target = target or project.header.default_target
    findings = check_device(found, board, target, find_target(project, target) if project else None)
    if holder := None if name == BUILT_IN_TARGET else holder_of(connected):
        findings = (*findings, DeviceFinding("in-use", f"{name} is in use by {holder}"))
    wrong = sum(1 for finding in findings if finding.remedy)
    if json:
        document: DeviceCheckDocument = {
            "device": name,
            "target": target,
            "ok": not wrong,
            "findings": [finding.as_json() for finding in findings],
        }
        print_json(document)
    else:
        for finding in findings:
            show(f"{'!' if finding.remedy else 'ok'} {finding.what}")
            if finding.remedy:
                show(f"  → {finding.remedy}")
    return int(wrong > 0)


COMMANDS = (status, list_, add, remove, rename, facts, check, lock, unlock)


def _project() -> Project | None:
    """The project of the current directory, if there is one."""
    from buildtool.project.read import find_optional_project

    return find_optional_project(Path.cwd())


def _row(name: str, device: ConfiguredDevice | None, file: Path | None) -> DeviceObject:
    """A device as a JSON object; None for `sim`."""
    return {
        "name": name,
        "transport": device.transport if device else "emulated",
        "address": (device.address or device.via) if device else "",
        "target": device.target if device else BUILT_IN_TARGET,
        "root": device.root if device else "",
        "tags": [*device.tags] if device else [],
        "file": str(file) if file else None,
    }


def _device(name: str, project: Project | None) -> Device:
    """The device `name`, which may be `sim`."""
    from buildtool.device.configuration import open_device

    if name != BUILT_IN_TARGET:
        return open_device(name, project)
    from buildtool.cli.screen import Screen
    from buildtool.device.emulated.device import open_emulated
    from buildtool.device.emulated.socs import DEFAULT_SOC, find_soc

    root = cache_dir() / "device" / DEFAULT_SOC.lower()
    return open_emulated(root, find_soc(DEFAULT_SOC), Screen(quiet=True), BUILT_IN_TARGET)


def _attached(serial: str, project: Project | None) -> tuple[str, str]:
    """Serial number and model of the device `serial`, or of the only one that adb lists."""
    from buildtool.deploy.check_device import attached_devices
    from buildtool.sdk.tool_search import NO_REQUIREMENT

    devices = attached_devices(project.tool("adb") if project else NO_REQUIREMENT)
    found = [device for device in devices if serial in ("", device.serial)]
    listed = ", ".join(f"{d.serial} ({d.state})" for d in devices) or "none"
    if len(found) == 1 and found[0].state == "device":
        return found[0].serial, found[0].model
    raise UsageError(
        f"adb is not connected to {serial}" if serial else "which device to add is not clear",
        why=f"attached over adb: {listed}",
        remedy="Name one: --ssh HOST, or --adb SERIAL. Allow USB debugging on a device that is"
        " unauthorized.",
    )


def _show_facts(facts: Facts) -> None:
    from buildtool.device.facts import CDSP

    libraries = [facts.cdsprpc.path or "none", facts.cdsprpc.sha256[:12]]
    shell = [facts.shell.path or "none", facts.shell.sha256[:12]]
    system = f"glibc {facts.glibc or 'unknown'}"
    if facts.platform == "android":
        system = f"API level {facts.api or 'unknown'}"
    user = f"{facts.user} ({facts.uid})"
    rows = {
        "model": facts.model or "unknown",
        "SoC": facts.soc or "unknown",
        "system": f"{facts.platform}, {facts.machine}, {system}",
        "page size": str(facts.page_size),
        "DSP": f"{facts.arch or 'none known'}: {facts.arch_source}",
        "other DSPs": ", ".join(
            f"{name} {arch or 'of unknown arch'}"
            for name, arch in facts.domains.items()
            if name != CDSP
        ),
        "libcdsprpc": " ".join(libraries),
        "DSP shell": " ".join(shell),
        "user": user,
        "root": f"{facts.root}, {facts.free >> 20:,} MiB free"
        + f", not writable: {facts.unwritable}" * bool(facts.unwritable),
    }
    for title, text in rows.items():
        if text:
            show(f"{title:<11} {text}")
    for node in facts.nodes:
        rights = "".join(
            letter if right else "-"
            for letter, right in (("r", node.readable), ("w", node.writable))
        )
        show(f"{'node':<11} {rights} {node.path} (mode {node.mode}, {node.owner}:{node.group})")
