"""The table of `buildtool devices`, in the width of a terminal."""

from __future__ import annotations

import time
from collections.abc import Sequence

from buildtool.cli.devices.live.device_watch import DeviceRow
from buildtool.cli.table import Table
from buildtool.core.escape import escape
from buildtool.device.sharing.holder import duration

HEADING = ("device", "transport", "state", "SoC", "arch", "release", "last test")
DROPPED = ("transport", "SoC", "arch", "last test", "release")
"""The columns that are left out of a narrow table, the first one first."""
MIN_STATE = 20
"""Columns of the text about the state for which others are left out."""
GAP = 2
DIGITS = 8
"""Digits of an id that are shown."""


def table_text(rows: Sequence[DeviceRow], project: str, width: int = 0) -> str:
    """The table of `rows`; the releases are those of `project` if it is not "".

    With a `width`, no line is longer: columns are left out, and texts are shortened.
    """
    cells = [[escape(cell) for cell in _cells(row, project)] for row in rows]
    heading = list(HEADING)
    if not width:
        return Table(heading, cells).text()
    for dropped in (*DROPPED, ""):
        left = _left_for_state(heading, cells, width)
        if left >= MIN_STATE:
            break
        if dropped:
            at = heading.index(dropped)
            for line in (heading, *cells):
                del line[at]
    at = heading.index("state")
    for row in cells:
        row[at] = shortened(row[at], max(left, 1))
    lines = Table(heading, cells).text().splitlines()
    return "\n".join(shortened(line, width) for line in lines)


def _left_for_state(heading: list[str], cells: list[list[str]], width: int) -> int:
    others = [at for at, name in enumerate(heading) if name != "state"]
    taken = sum(max(len(line[at]) for line in (heading, *cells)) + GAP for at in others)
    return width - taken


def _cells(row: DeviceRow, project: str) -> tuple[str, ...]:
    return (
        *(row.name, row.transport, _state(row), row.soc or "-", row.arch or "-"),
        *(_release(row, project), _last_test(row)),
    )


def _state(row: DeviceRow) -> str:
    if row.status.holder:
        return f"in use by {row.status.holder}"
    return f"{row.state}: {row.why}" if row.why else row.state or "asking …"


def _release(row: DeviceRow, project: str) -> str:
    releases = row.status.releases
    if project:
        return releases.get(project, "-")[:DIGITS]
    if not releases:
        return "-"
    name, id_ = next(iter(releases.items()))
    more = f" and {len(releases) - 1} more" if len(releases) > 1 else ""
    return f"{name} {id_[:DIGITS]}{more}"


def _last_test(row: DeviceRow) -> str:
    if not row.last:
        return "-"
    last = row.last
    result = f"{last.bad} of {last.tests} failed" if last.bad else f"{last.tests} passed"
    age = max(time.time() - last.ended, 0)
    ago = f"{age / 86400:.0f} days" if age >= 2 * 86400 else duration(age)
    return f"{result}, {ago} ago"


def shortened(text: str, width: int) -> str:
    """`text`, with "…" at its end if it is longer than `width`."""
    return text if len(text) <= width else f"{text[: width - 1]}…"
