"""What sections of a report are made of, whatever they are written as.

The `state` of a thing is "good", "bad", "warn", or "" for none of these.
"""

from __future__ import annotations

from buildtool.core.value import Value


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
