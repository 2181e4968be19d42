"""The section of devices: their capability cards side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from buildtool.core.cache import cache_dir
from buildtool.core.escape import escape_line
from buildtool.device.card import Card, read_card
from buildtool.device.configuration import DIRECTORY
from buildtool.report.blocks import Block, Cell, Section, Table, Text, plural

MAX_CARDS = 60
MAX_BYTES = 1 << 20
MAX_ROWS = 100
SIDE_BY_SIDE = 5
"""Devices in one table, so that it can be read and printed."""
MARKS = {"ok": ("", "good"), "absent": ("–", ""), "differs": ("differs: ", "bad")}
SHORT = 40


def read_cards() -> tuple[list[Card], tuple[Text, ...]]:
    """The cards that `buildtool probe` has kept of any device, and what could not be read."""
    files = sorted((cache_dir() / DIRECTORY).glob("card-*.json"))
    cards, problems = [], []
    for file in files[:MAX_CARDS]:
        card = read_card(file) if file.is_file() and file.stat().st_size < MAX_BYTES else None
        if card and _is_sound(card):
            cards.append(card)
        else:
            problems.append(Text(f"{file} is no card that can be read", "warn"))
    if len(files) > MAX_CARDS:
        problems.append(Text(f"{len(files) - MAX_CARDS} other cards are left out", "warn"))
    return sorted(cards, key=lambda card: (card.soc, card.device)), tuple(problems)


def _is_sound(card: Card) -> bool:
    texts: list[object] = [*card[:6], *card.firmware]
    texts += [text for row in card.capabilities for text in row[:4]]
    texts += [text for rung in card.rungs for text in rung[:3]]
    return all(isinstance(text, str) for text in texts)


def devices_section(cards: Sequence[Card], problems: Sequence[Text]) -> Section:
    """The section of `cards`."""
    if not cards:
        none = Text("No device was probed.", code="buildtool probe DEVICE")
        return Section("devices", "Devices", "no card", "", (*problems, none))
    blocks: list[Block] = [*problems]
    names = [*dict.fromkeys(row.name for card in cards for row in card.capabilities)][:MAX_ROWS]
    groups = [cards[at : at + SIDE_BY_SIDE] for at in range(0, len(cards), SIDE_BY_SIDE)]
    for number, group in enumerate(groups, 1):
        part = f", {number} of {len(groups)}" if len(groups) > 1 else ""
        blocks.append(_table(group, names, f"Capabilities of devices{part}"))
    bad = sum(not card.ok for card in cards)
    fact = f"{plural(len(cards), 'device')}, {bad} with differences"
    return Section("devices", "Devices", fact, "bad" if bad else "good", tuple(blocks))


def _table(cards: Sequence[Card], names: Sequence[str], caption: str) -> Table:
    facts = [
        ("model", [Cell(_line(card.model)) for card in cards]),
        ("system", [Cell(_line(card.platform)) for card in cards]),
        ("firmware", [_short(_line(", ".join(card.firmware))) for card in cards]),
        ("probed", [Cell(_line(card.date)[:10], hover=_line(card.date)) for card in cards]),
        ("verdict", [_verdict(card) for card in cards]),
    ]
    by_name = [{row.name: row for row in card.capabilities} for card in cards]
    facts += [(name, [_cell(rows.get(name)) for rows in by_name]) for name in names]
    heads = tuple(_line(f"{card.device} {card.soc}".rstrip()) for card in cards)
    rows = tuple((Cell(_line(name)), *cells) for name, cells in facts)
    return Table(caption, ("", *heads), rows, shown=MAX_ROWS, brief=6, sortable=False)


def _verdict(card: Card) -> Cell:
    if card.ok:
        return Cell("as claimed", "good")
    broken = next((rung for rung in card.rungs if rung.remedy), None)
    return _short(_line(broken.what), "bad") if broken else Cell("differs", "bad")


def _cell(row: Any) -> Cell:
    if row is None:
        return Cell("not probed")
    mark, state = MARKS.get(row.state, ("not tested: ", "warn"))
    claimed = f" (claimed: {row.claimed})" if row.claimed else ""
    found = _line(row.found)
    text = mark if row.state == "absent" else f"{mark}{found}".rstrip(": ") or row.state
    return _short(text, state)._replace(hover=_line(f"{found}{claimed}"))


def _short(text: str, state: str = "") -> Cell:
    return Cell(text if len(text) <= SHORT else f"{text[:SHORT]}…", state, hover=text)


def _line(text: str) -> str:
    return escape_line(text[:500])
