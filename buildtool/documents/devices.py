"""What `devices` and `probe` print."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict


class DeviceObject(TypedDict):
    name: Annotated[str, "name of the device"]
    transport: Annotated[
        str,
        "how commands reach it",
        ("emulated", "ssh", "adb", "local"),
    ]
    address: Annotated[str, 'host, serial number, or labgrid:PLACE; "" for sim and this machine']
    target: Annotated[str, 'its target; "" for the project\'s default target']
    root: Annotated[str, 'directory that releases are installed below; "" for the default']
    tags: Annotated[list[str], "its user's names for groups of devices"]
    file: Annotated[str | None, "devices.toml that it is in; null for sim"]


class DevicesDocument(TypedDict):
    devices: Annotated[list[DeviceObject], "the devices that are configured"]


SystemFileObject = Annotated[dict[str, Any], "buildtool.device.facts:SystemFile"]


NodeObject = Annotated[dict[str, Any], "buildtool.device.facts:Node"]


class FactsObject(TypedDict):
    platform: Annotated[
        str,
        "platform of the device",
        ("ubuntu-aarch64", "android"),
    ]
    machine: Annotated[str, "what uname -m prints there"]
    model: Annotated[str, 'model of the device; "" if it is unknown']
    soc: Annotated[str, 'SoC; "" if it is unknown']
    arch: Annotated[str, 'DSP arch; "" if no DSP is known']
    arch_source: Annotated[str, "how the DSP arch is known"]
    glibc: Annotated[str, 'version of its glibc; "" on Android and if it is unknown']
    api: Annotated[int, "Android API level; 0 elsewhere"]
    page_size: Annotated[int, "bytes in a page of memory; 0 if it is unknown"]
    root: Annotated[str, "absolute path that releases are installed below"]
    free: Annotated[int, "bytes available there"]
    unwritable: Annotated[str, 'why releases cannot be installed there; "" if they can']
    hard_links: Annotated[bool, "whether hard links can be made there"]
    links: Annotated[bool, "whether symbolic links can be made there"]
    executable: Annotated[bool, "whether programs there can be executed"]
    boot: Annotated[str, 'ID of the current boot; "" if it is unknown']
    user: Annotated[str, "user that runs commands"]
    uid: Annotated[int, "ID of that user"]
    home: Annotated[str, "home directory of that user"]
    tools: Annotated[list[str], "programs found on the device"]
    cdsprpc: Annotated[SystemFileObject, "its FastRPC library"]
    shell: Annotated[SystemFileObject, "its DSP shell"]
    nodes: Annotated[list[NodeObject], "device nodes of DSPs, accelerators and shared memory"]
    capabilities: Annotated[
        dict[str, int],
        "what libcdsprpc answers about the DSP, by attribute of remote.h in lower case",
    ]


class DeviceFactsDocument(FactsObject):
    device: Annotated[str, "name of the device"]


class DeviceAddedDocument(TypedDict):
    device: Annotated[DeviceObject, "what was added"]
    facts: Annotated[FactsObject, "what the device says about itself"]


DeviceFindingObject = Annotated[dict[str, Any], "buildtool.device.errors:DeviceFinding"]


class DeviceCheckDocument(TypedDict):
    device: Annotated[str, "name of the device"]
    target: Annotated[str, 'target that was checked; "" outside of a project']
    ok: Annotated[bool, "whether nothing is wrong"]
    findings: Annotated[list[DeviceFindingObject], "what was checked"]


HolderObject = Annotated[dict[str, Any], "buildtool.device.sharing:Holder"]


class UnlockDocument(TypedDict):
    device: Annotated[str, "name of the device"]
    holder: Annotated[HolderObject | None, "who held the lock; null for nobody"]


class CurrentReleaseObject(TypedDict):
    project: Annotated[str, "name of the project"]
    deployment: Annotated[str, "id of its release that is current on the device"]


LastTestObject = Annotated[dict[str, Any], "buildtool.device.status:LastRun"]


class DeviceStatusObject(TypedDict):
    name: Annotated[str, "name of the device"]
    transport: Annotated[str, "how commands reach it", ("emulated", "ssh", "adb", "local")]
    state: Annotated[
        str,
        "what it is doing; unknown: it cannot be asked, or its lock cannot be read",
        ("free", "in-use", "unreachable", "unknown"),
    ]
    why: Annotated[str, 'why it is unreachable or unknown; "" otherwise']
    holder: Annotated[HolderObject | None, "who holds its lock; null for nobody"]
    soc: Annotated[str, 'SoC, from remembered facts; "" if it is unknown']
    arch: Annotated[str, 'DSP arch, from remembered facts; "" if it is unknown']
    releases: Annotated[
        list[CurrentReleaseObject], "releases on it, the one that was deployed last first"
    ]
    last_test: Annotated[
        LastTestObject | None, "its last tests that this user ran from this machine; null for none"
    ]


class DevicesStatusDocument(TypedDict):
    devices: Annotated[list[DeviceStatusObject], "the devices that are configured, and sim"]


CapabilityObject = Annotated[dict[str, Any], "buildtool.device.card:Capability"]


class CardObject(TypedDict):
    device: Annotated[str, "name of the device"]
    date: Annotated[str, "when it was probed, in UTC (RFC 3339)"]
    release: Annotated[str, 'id of the release that ran there; "" if a rung is broken before']
    model: Annotated[str, '"" if it is unknown']
    soc: Annotated[str, '"" if it is unknown']
    platform: Annotated[str, "platform of the device", ("ubuntu-aarch64", "android")]
    cdsprpc: Annotated[SystemFileObject, "the system's libcdsprpc"]
    shell: Annotated[SystemFileObject, "the DSP shell"]
    firmware: Annotated[list[str], "builds of the DSP's firmware"]
    ok: Annotated[bool, "whether no rung is broken, and no capability differs"]
    rungs: Annotated[
        list[DeviceFindingObject],
        "in the order in which a DSP comes up; a broken one that prevents calls is the last",
    ]
    capabilities: Annotated[list[CapabilityObject], "what the DSP does; none after a broken rung"]


class CardDocument(CardObject):
    file: Annotated[str, "where the card is kept"]
