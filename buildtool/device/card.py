"""The capability card of a device: what its DSP is said to do, what it does, and whether that is
what a target requires.

`buildtool probe` writes it.  It is kept in the user's cache, like the facts about devices, and is
true for the libraries and the DSP shell of which it has the digests.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

from buildtool.core.cache import cache_dir
from buildtool.core.files import file_digest, read_checksummed, write_checksummed
from buildtool.core.value import Described, computed
from buildtool.device.configuration import DIRECTORY
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError, DeviceFinding
from buildtool.device.facts import Facts, SystemFile
from buildtool.device.known_facts import key_of
from buildtool.project.model import Target
from buildtool.project.runs import parse_requirement

SCHEMA = 1
OK, ABSENT, DIFFERS, UNTESTED = "ok", "absent", "differs", "untested"


class Capability(Described):
    """One thing that a DSP can do, or cannot; requirements compare `value`."""

    name: Annotated[str, "name of the capability"]
    claimed: Annotated[str, 'what libcdsprpc says about it; "" for nothing']
    found: Annotated[str, "what was seen"]
    state: Annotated[
        str,
        "ok; absent, if it is neither claimed nor there; differs, if it is not what is claimed, or"
        " does not work; untested",
        ("ok", "absent", "differs", "untested"),
    ] = OK
    value: Annotated[float, "its number, in `unit`; 0 if it has none"] = 0
    unit: Annotated[str, 'unit of `value`; "" for none'] = ""


class Card(Described):
    """What was found out about a device."""

    device: Annotated[str, "name of the device"]
    date: Annotated[str, "when it was probed, in UTC (RFC 3339)"]
    release: Annotated[str, 'id of the release that ran there; "" if a rung is broken before']
    model: Annotated[str, '"" if it is unknown']
    soc: Annotated[str, '"" if it is unknown']
    platform: Annotated[str, "platform of the device", ("ubuntu-aarch64", "android")]
    cdsprpc: Annotated[SystemFile, "the system's libcdsprpc"]
    shell: Annotated[SystemFile, "the DSP shell"]
    firmware: Annotated[tuple[str, ...], "builds of the DSP's firmware"]
    ok: Annotated[bool, "whether no rung is broken, and no capability differs"] = computed(
        lambda self: (
            all(rung.ok for rung in self.rungs)
            and all(row.state != DIFFERS for row in self.capabilities)
        )
    )
    rungs: Annotated[
        tuple[DeviceFinding, ...],
        "in the order in which a DSP comes up; a broken one that prevents calls is the last",
    ]
    capabilities: Annotated[tuple[Capability, ...], "what the DSP does; none after a broken rung"]


def system_files(device: Device, facts: Facts) -> tuple[SystemFile, SystemFile]:
    """libcdsprpc and the DSP shell of `device`, which has these `facts`."""
    if not device.emulated:
        return facts.cdsprpc, facts.shell
    from buildtool.device.sysroot.source import SHELL  # noqa: PLC0415 - sim only

    emulator = device.emulated.emulator
    return (
        SystemFile(f"/lib/{emulator.cdsprpc.name}", file_digest(emulator.cdsprpc)),
        SystemFile(SHELL, file_digest(emulator.shell)),
    )


def card_file(device: Device) -> Path:
    """Where the card of `device` is kept: one for each SoC that the emulated device imitates."""
    name = device.emulated.soc.directory if device.emulated else key_of(device)
    return cache_dir() / DIRECTORY / f"card-{name}.json"


def keep_card(file: Path, card: Card) -> None:
    """Write `card` to `file`; raises `OSError`."""
    write_checksummed(file, {"schema": SCHEMA, "card": card.as_json()})


def card_text(card: Card) -> str:
    """`card` as JSON, for a file that is shared."""
    return json.dumps({"schema": SCHEMA, **card.as_json()}, indent=2) + "\n"


def read_card(file: Path) -> Card | None:
    """The card in `file`; None if there is none that can be read."""
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        known = read_checksummed(file)
        if known["schema"] == SCHEMA:
            return _from_json(known["card"])
    return None


def _from_json(document: dict[str, Any]) -> Card:
    """The card that `as_json` gives; raises `LookupError`, `TypeError`, `ValueError`."""
    fields = {name: value for name, value in document.items() if name != "ok"}
    rungs = (DeviceFinding(row["name"], row["what"], row["remedy"]) for row in document["rungs"])
    return Card(
        **{
            **fields,
            "cdsprpc": SystemFile(**document["cdsprpc"]),
            "shell": SystemFile(**document["shell"]),
            "firmware": tuple(document["firmware"]),
            "rungs": tuple(rungs),
            "capabilities": tuple(Capability(**row) for row in document["capabilities"]),
        }
    )


class RequirementsError(DeviceError):
    """The card of a device lacks what the target requires."""

    code = "requirements"


def check_requirements(
    device: Device,
    facts: Facts,
    target: Target,
    *,
    force: bool = False,
    note: Callable[[str], object] = lambda _: None,
) -> None:
    """Raise `DeviceError` unless the card of `device`, which has these `facts`, has what `target`
    requires.  With `force`, `note` gets what is wrong instead."""
    soc = f" --soc {device.emulated.soc.name}" if device.emulated else ""
    remedy = f"buildtool probe {device.name}{soc}"
    card = read_card(card_file(device))
    error = DeviceError
    if not card:
        message, why = f"there is no capability card of {device.name}", "the target has `requires`"
    elif (card.cdsprpc, card.shell) != system_files(device, facts):
        message = f"the capability card of {device.name} is out of date"
        why = f"libcdsprpc or the DSP shell have changed since {card.date}"
    else:
        unmet = unmet_by(card, target.requires)
        if not unmet:
            return
        error = RequirementsError
        message = f"{device.name} does not have what the target {device.target!r} requires"
        why, remedy = "; ".join(unmet), "Use another device, or change `requires`"
    if not force:
        raise error(message, why=why, remedy=f"{remedy}. To run nevertheless: --force.")
    note(f"{message} ({why}); continuing because of --force")


def current_card(device: Device, facts: Facts) -> Card | None:
    """The card of `device`, which has these `facts`, unless it is out of date."""
    card = read_card(card_file(device))
    return card if card and (card.cdsprpc, card.shell) == system_files(device, facts) else None


def unmet_by(card: Card, requires: Iterable[str]) -> list[str]:
    """Why the card does not have each requirement that it lacks."""
    return [problem for text in requires if (problem := _problem(text, card))]


def _problem(text: str, card: Card) -> str:
    """Why the card does not have the requirement `text`; "" if it does."""
    wanted = parse_requirement(text)
    row = next((row for row in card.capabilities if row.name == wanted.name), None)
    if not row:
        return f"{text}: the card has no {wanted.name}"
    if row.state != OK:
        return f"{text}: {row.state}, {row.found}"
    return "" if wanted.met_by(row.value) else f"{text}: {row.found}"
