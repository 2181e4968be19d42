"""The sections of what was measured: benches, with their intervals, over the releases; profiles and
traces; the capability cards of devices side by side.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.cache import cache_dir
from buildtool.core.escape import escape_line
from buildtool.core.files import read_regular
from buildtool.core.value import Value
from buildtool.device.card import Card, read_card
from buildtool.device.configuration import DIRECTORY as DEVICES
from buildtool.measure.comparison import DIRECTORY
from buildtool.report.blocks import (
    Block,
    Cell,
    Links,
    Plot,
    Plots,
    Point,
    Section,
    Table,
    Text,
    amount_of,
    moment,
    number,
    number_of,
    percent,
    plural,
    rows_of,
    size,
    text_of,
    time_of,
)

MAX_FILES = 400
MAX_BYTES = 8 << 20
"""Of a file that is read."""
MAX_PLOTS = 24
SHORT = 60
SIDES = {"dsp": "the DSP", "host": "a device's processor"}
"""Files of the last profiles in `profile`, and what was profiled."""
SHOWN = 15
MAX_CARDS = 60
MAX_ROWS = 100
SIDE_BY_SIDE = 5
"""Devices in one table, so that it can be read and printed."""
MARKS = {"ok": ("", "good"), "absent": ("–", ""), "differs": ("differs: ", "bad")}
SHORT_CELL, SHORT_NAME = 40, 100


class Measured(Value):
    """A number of a bench on a device: the median of all runs, and its interval."""

    started: float
    bench: str
    device: str
    name: str
    unit: str
    better: str
    value: float
    low: float
    high: float
    release: str

    @property
    def series(self) -> tuple[str, str, str, str]:
        return self.bench, self.device, self.name, self.unit


def read_benches(state: Path) -> tuple[list[Measured], tuple[Text, ...]]:
    """The numbers that `buildtool bench` has kept, the oldest first, and what could not be read."""
    files = sorted((state / DIRECTORY).glob("*.json"), key=_changed)[-MAX_FILES:]
    found: list[Measured] = []
    problems = []
    for file in files:
        try:
            found += _numbers(_document(file))
        except (OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
            problems.append(file.name)
    names = ", ".join(problems[:3])
    text = f"{plural(len(problems), 'result')} of benches cannot be read: {names}"
    found.sort(key=lambda each: each.started)
    return found, (Text(text, "warn"),) if problems else ()


def _changed(file: Path) -> float:
    try:
        return file.lstat().st_mtime
    except OSError:
        return 0.0


def _numbers(document: Mapping[str, Any]) -> list[Measured]:
    """The numbers of a result; none of one whose checks failed, and of a sweep."""
    if "cells" in document:
        return []
    result = document.get("this", document)
    about = {
        "started": time_of(document, "started"),
        "bench": text_of(document, "bench", SHORT),
        "device": f"{text_of(result, 'device', SHORT)} {text_of(result, 'soc', SHORT)}".rstrip(),
        "release": text_of(result, "release", 100),
    }
    return [*_metrics(result, about), *_methods(result, about)]


def _metrics(result: Mapping[str, Any], about: Mapping[str, Any]) -> Iterator[Measured]:
    for row in rows_of(result, "metrics"):
        yield Measured(
            **about,
            name=text_of(row, "name", SHORT),
            unit=text_of(row, "unit", SHORT),
            better=text_of(row, "better", SHORT),
            value=number_of(row, "median"),
            low=number_of(row, "low"),
            high=number_of(row, "high"),
        )


def _methods(result: Mapping[str, Any], about: Mapping[str, Any]) -> Iterator[Measured]:
    for row in rows_of(result, "methods"):
        name = text_of(row, "name", SHORT) or f"method {number_of(row, 'method'):.0f}"
        packets = number_of(row, "packets")
        yield Measured(
            **about,
            name=name,
            unit="packets",
            better="lower",
            value=packets,
            low=packets,
            high=packets,
        )


def benches_section(
    measured: Sequence[Measured], problems: Sequence[Text], revisions: Mapping[str, str]
) -> Section:
    """The section of the numbers; `revisions` are those of releases, by id."""
    if not measured:
        none = Text("No bench was measured.", code="buildtool bench DEVICE BENCH")
        return Section("benches", "Benches", "no bench", "", (*problems, none))
    series: dict[tuple[str, str, str, str], list[Measured]] = {}
    for each in measured:
        series.setdefault(each.series, []).append(each)
    newest = sorted(series.values(), key=lambda each: each[-1].started, reverse=True)
    rows = tuple(_row(each, revisions) for each in newest)
    columns = ("bench", "device", "number", "last", "95 % interval", "change", "runs", "revision")
    table = Table("Numbers, last measured first", columns, rows, brief=20)
    blocks: list[Block] = [*problems, table]
    plots = [_plot(each, revisions) for each in newest if len(each) > 1]
    blocks.append(Plots(tuple(plots[:MAX_PLOTS])))
    if len(plots) > MAX_PLOTS:
        blocks.append(Text(f"{len(plots) - MAX_PLOTS} other numbers are only in the table."))
    states = [row[5].state for row in rows]
    worse, better = states.count("bad"), states.count("good")
    fact = f"{plural(len(newest), 'number')}: {worse} worse, {better} better than before"
    return Section("benches", "Benches", fact, "bad" if worse else "", tuple(blocks))


def _row(series: Sequence[Measured], revisions: Mapping[str, str]) -> tuple[Cell, ...]:
    last = series[-1]
    before = next((each for each in series[-2::-1] if each.release != last.release), None)
    exact = last.low == last.high == last.value
    interval = "exact" if exact else f"{number(last.low)} to {number(last.high)}"
    return (
        Cell(last.bench),
        Cell(last.device),
        Cell(last.name),
        Cell(f"{number(last.value)} {last.unit}", number=last.value),
        Cell(interval, number=last.high - last.low),
        _change(last, before),
        Cell(str(len(series)), number=len(series)),
        Cell(_revision(last, revisions)),
    )


def _change(last: Measured, before: Measured | None) -> Cell:
    """How much the number differs from that of the release before; certain only if the intervals
    have no number in common."""
    if before is None or not before.value:
        return Cell("")
    share = (last.value / before.value - 1) * 100
    if last.low <= before.high and before.low <= last.high:
        return Cell("none" if not share else f"{percent(share)} (within intervals)", number=share)
    good = (share < 0) == (last.better != "higher")
    return Cell(percent(share), "good" if good else "bad", share)


def _revision(one: Measured, revisions: Mapping[str, str]) -> str:
    return revisions.get(one.release) or one.release[:12]


def _plot(series: Sequence[Measured], revisions: Mapping[str, str]) -> Plot:
    last = series[-1]
    points = tuple(
        Point(
            _revision(one, revisions),
            *(one.value, one.low, one.high),
            hover=f"{_revision(one, revisions)}, {moment(one.started)}: {number(one.value)}"
            f" {one.unit}, from {number(one.low)} to {number(one.high)}",
        )
        for one in series
    )
    return Plot(f"{last.bench} on {last.device}: {last.name}", last.unit or "value", points)


def profiles_section(state: Path) -> Section:
    """The section of what is in the directory `state`, `.buildtool` of a project."""
    blocks: list[Block] = []
    links = _links(state)
    for side, what in SIDES.items():
        file = state / "profile" / f"{side}.json"
        try:
            blocks.append(_functions(_document(file), what))
        except FileNotFoundError:
            pass
        except (OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
            blocks.append(Text(f"{file} is no profile that can be read", "warn"))
    if not (blocks or links):
        none = Text("No profile and no trace is kept.", code="buildtool run sim --profile")
        return Section("profiles", "Profiles and traces", "none", "", (none,))
    if links:
        blocks.append(Links(tuple(links)))
    return Section("profiles", "Profiles and traces", f"{len(links)} files", "", tuple(blocks))


def _document(file: Path) -> Any:
    """What a file of JSON contains; raises `OSError` and `ValueError`."""
    data = read_regular(file, MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError("it is too large")
    return json.loads(data)


def _functions(profile: Mapping[str, Any], what: str) -> Table:
    samples = max(1.0, amount_of(profile, "samples"))
    rows = []
    for row in rows_of(profile, "functions")[:SHOWN]:
        own = amount_of(row, "self_samples")
        packets = None if row["packets"] is None else amount_of(row, "packets")
        place = text_of(row, "file", SHORT_NAME)
        line = f"{place}:{amount_of(row, 'line'):.0f}" if place else ""
        rows.append(
            (
                Cell(text_of(row, "name", SHORT_NAME)),
                Cell(text_of(row, "module", SHORT_NAME)),
                Cell(f"{own / samples:.1%}", number=own, hover=f"{own:,.0f} samples"),
                Cell("" if packets is None else f"{packets:,.0f}", number=packets),
                Cell(line),
            )
        )
    columns = ("function", "module", "samples", "packets", "hottest line")
    return Table(f"Functions of the last profile of {what}", columns, tuple(rows), shown=SHOWN)


def _links(state: Path) -> list[tuple[str, str]]:
    """The flame graphs and the newest traces, as text and path."""
    traces = sorted((state / "traces").glob("*.pftrace"), reverse=True)[:10]
    files = [(state / "profile" / f"{side}.svg", "flame graph") for side in SIDES]
    found = []
    for file, what in [*files, *((trace, "trace") for trace in traces)]:
        if file.is_file():
            status = file.stat()
            text = f"{what} of {moment(status.st_mtime)}, {size(status.st_size)}"
            found.append((text, str(file)))
    return found


def read_cards() -> tuple[list[Card], tuple[Text, ...]]:
    """The cards that `buildtool probe` has kept of any device, and what could not be read."""
    files = sorted((cache_dir() / DEVICES).glob("card-*.json"))
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
    for at, group in enumerate(groups, 1):
        part = f", {at} of {len(groups)}" if len(groups) > 1 else ""
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
    return Cell(text if len(text) <= SHORT_CELL else f"{text[:SHORT_CELL]}…", state, hover=text)


def _line(text: str) -> str:
    return escape_line(text[:500])
