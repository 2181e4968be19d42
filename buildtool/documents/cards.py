"""What `probe` prints."""

from __future__ import annotations

from typing import Annotated, TypedDict

from buildtool.documents.devices import DeviceFindingObject, SystemFileObject


class CapabilityObject(TypedDict):
    name: Annotated[str, "name of the capability"]
    claimed: Annotated[str, 'what libcdsprpc says about it; "" for nothing']
    found: Annotated[str, "what was seen"]
    state: Annotated[
        str,
        "ok; absent, if it is neither claimed nor there; differs, if it is not what is claimed, or"
        " does not work; untested",
        ("ok", "absent", "differs", "untested"),
    ]
    value: Annotated[float, "its number, in `unit`; 0 if it has none"]
    unit: Annotated[str, 'unit of `value`; "" for none']


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
