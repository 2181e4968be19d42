"""The section of profiles and traces: the functions of the last profile, and the files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from buildtool.core.files import read_regular
from buildtool.report.blocks import Block, Cell, Links, Section, Table, Text
from buildtool.report.records import amount_of, moment, rows_of, size, text_of

SIDES = {"dsp": "the DSP", "host": "a device's processor"}
"""Files of the last profiles in `profile`, and what was profiled."""
TRACES = "traces"
MAX_BYTES = 8 << 20
SHOWN = 15
SHORT = 100


def profiles_section(state: Path) -> Section:
    """The section of what is in the directory `state`, `.buildtool` of a project."""
    blocks: list[Block] = []
    links = _links(state)
    for side, what in SIDES.items():
        file = state / "profile" / f"{side}.json"
        try:
            blocks.append(_functions(json.loads(_read(file)), what))
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


def _read(file: Path) -> bytes:
    data = read_regular(file, MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError("it is too large")
    return data


def _functions(profile: Mapping[str, Any], what: str) -> Table:
    samples = max(1.0, amount_of(profile, "samples"))
    rows = []
    for row in rows_of(profile, "functions")[:SHOWN]:
        own = amount_of(row, "self_samples")
        packets = None if row["packets"] is None else amount_of(row, "packets")
        place = text_of(row, "file", SHORT)
        line = f"{place}:{amount_of(row, 'line'):.0f}" if place else ""
        rows.append(
            (
                Cell(text_of(row, "name", SHORT)),
                Cell(text_of(row, "module", SHORT)),
                Cell(f"{own / samples:.1%}", number=own, hover=f"{own:,.0f} samples"),
                Cell("" if packets is None else f"{packets:,.0f}", number=packets),
                Cell(line),
            )
        )
    columns = ("function", "module", "samples", "packets", "hottest line")
    return Table(f"Functions of the last profile of {what}", columns, tuple(rows), shown=SHOWN)


def _links(state: Path) -> list[tuple[str, str]]:
    """The flame graphs and the newest traces, as text and path."""
    traces = sorted((state / TRACES).glob("*.pftrace"), reverse=True)[:10]
    files = [(state / "profile" / f"{side}.svg", "flame graph") for side in SIDES]
    found = []
    for file, what in [*files, *((trace, "trace") for trace in traces)]:
        if file.is_file():
            status = file.stat()
            text = f"{what} of {moment(status.st_mtime)}, {size(status.st_size)}"
            found.append((text, str(file)))
    return found
