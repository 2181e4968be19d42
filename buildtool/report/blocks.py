"""What sections of a report are made of, and how records for them are read, which may be damaged.

The `state` of a thing is "good", "bad", "warn", or "" for none of these.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from buildtool.core.escape import escape
from buildtool.core.history import read_history
from buildtool.core.value import Value

MAX_TEXT = 2000
MAX_NUMBER = 1e18
MAX_TIME = 1 << 34
ITEMS = 2000
"""Of a list in a record: the others are not read."""
_Record = TypeVar("_Record")
V = TypeVar("V", bound=Value)


class Bar(Value):
    """A bar in a cell: where it begins and ends, from 0 to 1."""

    begin: float
    end: float
    state: str


class Strip(Value):
    """A row of small squares in a cell: (state, hover text) of each."""

    squares: tuple[tuple[str, str], ...]


class Cell(Value):
    """A cell of a table; `number` is what it is sorted by, if that is not the text; `hover` is the
    complete text where it is shortened."""

    text: str
    state: str = ""
    number: float | None = None
    hover: str = ""
    graphic: Bar | Strip | None = None


class Table(Value):
    """A table; the first cell of a row names it.  `shown` are the rows without those that are
    folded in HTML, `brief` is how many rows Markdown shows.  `sortable` tables have no order that
    matters."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    shown: int = 25
    brief: int = 10
    sortable: bool = True


class Point(Value):
    """A value of a plot, and the interval that it is in."""

    label: str
    value: float
    low: float
    high: float
    state: str = ""
    hover: str = ""


class Plot(Value):
    """Values over builds, releases or runs, the oldest first: bars from 0, or points with
    intervals."""

    title: str
    unit: str
    points: tuple[Point, ...]
    bars: bool = False


class Plots(Value):
    """Plots side by side."""

    plots: tuple[Plot, ...]


class Text(Value):
    """A paragraph; `code` is a command that follows it."""

    text: str
    state: str = ""
    code: str = ""


class Finding(Value):
    """A failure, with what is known of it: lines of (word, text)."""

    title: str
    when: str
    lines: tuple[tuple[str, str], ...]


class Links(Value):
    """Files on this machine: (text, absolute path)."""

    links: tuple[tuple[str, str], ...]


class Folded(Value):
    """Blocks below a line that opens them; not in Markdown."""

    title: str
    blocks: tuple[Block, ...]


Block = Table | Plots | Text | Finding | Links | Folded


class Section(Value):
    """A section; `fact` is its result in few words for the top of the report."""

    name: str
    title: str
    fact: str
    state: str
    blocks: tuple[Block, ...]


def records(
    state: Path, name: str, parse: Callable[[Mapping[str, Any]], _Record]
) -> tuple[list[_Record], tuple[Text, ...]]:
    """The lines of a history as `parse` returns them, and what could not be read.  `parse` raises
    `LookupError`, `TypeError` or `ValueError`."""
    history = read_history(state, name)
    found, wrong = [], 0
    for line in history.lines:
        try:
            found.append(parse(line))
        except (LookupError, TypeError, ValueError):
            wrong += 1
    problems = [history.problem] if history.problem else []
    if wrong:
        problems.append(f"{wrong} lines of the history of {name} are no records; left out")
    return found, tuple(Text(problem, "warn") for problem in problems)


Time = Annotated[float, "seconds since the epoch"]


def reader(kind: type[V]) -> Callable[[Mapping[str, Any]], V]:
    """What reads a value of this kind from an object with its fields, for `records`."""
    return partial(_value_of, kind)


def _value_of(kind: Any, data: Any) -> Any:
    """`data` as the type `kind`: texts are escaped and cut, numbers are not negative, and an object
    has all fields without a default.  Raises `LookupError`, `TypeError` and `ValueError`."""
    origin, inner, row = get_origin(kind), get_args(kind), {"it": data}
    if kind is str:
        return text_of(row, "it")
    if kind is bool:
        return data is True
    if kind == Time:
        return time_of(row, "it")
    if kind in (int, float):
        return kind(amount_of(row, "it"))
    if origin is UnionType:  # X | None
        return None if data is None else _value_of(inner[0], data)
    if origin is tuple and isinstance(data, list):
        return tuple(_value_of(inner[0], each) for each in data[:ITEMS])
    if not isinstance(data, dict):
        raise ValueError(f"{str(data)[:80]} is no object")
    if origin is Mapping:
        some = islice(data.items(), ITEMS)
        return {_value_of(str, name): _value_of(inner[1], each) for name, each in some}
    hints, fixed = get_type_hints(kind, include_extras=True), kind._field_defaults
    names = [name for name in kind._fields if name in data or name not in fixed]
    return kind(**{name: _value_of(hints[name], data[name]) for name in names})


def text_of(row: Mapping[str, Any], key: str, limit: int = MAX_TEXT) -> str:
    """A text without control characters but line breaks; raises `LookupError` and `ValueError`."""
    value = row[key]
    if not isinstance(value, str):
        raise ValueError(f"{key} is no text")
    value = escape(value[: limit + 1])
    return value if len(value) <= limit else f"{value[:limit]}…"


def number_of(row: Mapping[str, Any], key: str) -> float:
    """A finite number of reasonable size; raises `LookupError` and `ValueError`."""
    value = row[key]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{key} is no number")
    if not abs(value) <= MAX_NUMBER:  # also for NaN
        raise ValueError(f"{key} is too large")
    return float(value)


def amount_of(row: Mapping[str, Any], key: str) -> float:
    """A number that is not negative; raises `LookupError` and `ValueError`."""
    value = number_of(row, key)
    if value < 0:
        raise ValueError(f"{key} is negative")
    return value


def time_of(row: Mapping[str, Any], key: str) -> float:
    """A time in seconds since the epoch; raises `LookupError` and `ValueError`."""
    value = amount_of(row, key)
    if value >= MAX_TIME:
        raise ValueError(f"{key} is no time")
    return value


def rows_of(row: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    """A list of objects; raises `LookupError` and `ValueError`."""
    value = row[key]
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise ValueError(f"{key} is no list of objects")
    return value[:ITEMS]


def moment(seconds: float) -> str:
    """A time for people, in the time zone of this machine."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def duration(seconds: float) -> str:
    """A duration for people."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {rest} s"


def size(count: float) -> str:
    """A number of bytes for people."""
    for unit, step in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if abs(count) >= step:
            return f"{count / step:,.1f} {unit}"
    return f"{count:,.0f} B"


def number(value: float) -> str:
    """A number for people, with the digits that matter."""
    if value == round(value) and abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:,.4g}" if abs(value) < 1e5 else f"{value:,.0f}"


def percent(change: float) -> str:
    """A change in percent with its sign."""
    return f"{change:+.1f} %".replace("-", "−")


def plural(count: int, noun: str) -> str:
    """The number with its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
