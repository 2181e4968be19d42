"""What `devices` and `probe` print."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from buildtool.documents import Extended


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


FactsObject = Annotated[dict[str, Any], "buildtool.device.facts:Facts"]


class DeviceFactsDocument(Extended):
    base = "buildtool.device.facts:Facts"
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


class CardDocument(Extended):
    base = "buildtool.device.card:Card"
    file: Annotated[str, "where the card is kept"]


ComparisonObject = Annotated[dict[str, Any], "buildtool.measure.probe.losses:Comparison"]


class QualificationDocument(Extended):
    base = "buildtool.measure.probe.qualify:Qualification"
    comparison: Annotated[ComparisonObject | None, "with --compare, what is lost; null without"]
