"""Whether a device can do what a target requires, according to its capability card."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from buildtool.device.card import OK, Card, card_file, read_card, system_files
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.device.facts import Facts
from buildtool.project.model import Target
from buildtool.project.requirements import parse_requirement


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
