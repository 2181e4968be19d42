"""The SoCs that the emulated device can stand in for."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass
from pathlib import Path

from buildtool.core.errors import UsageError

DEFAULT_SOC = "QCS6490"  # Radxa Dragon Q6A


@dataclass(frozen=True, slots=True)
class Soc:
    """One SoC: the arch of its compute DSP and the size of its VTCM in MiB."""

    name: str
    arch: str
    vtcm_mb: int


def find_soc(name: str) -> Soc:
    """The SoC called `name`, upper or lower case, by its own name or an alias.

    Raises `UsageError` with a suggestion.
    """
    socs = known_socs()
    if soc := socs.get(name.upper()):
        return soc
    close = difflib.get_close_matches(name.upper(), socs, n=1, cutoff=0.5)
    raise UsageError(
        f"the emulated device knows no SoC {name!r}",
        why=f"known: {', '.join(socs)}",
        remedy=f"Did you mean {close[0]!r}?" if close else "Name one of these.",
    )


def known_socs() -> dict[str, Soc]:
    """The whole table, aliases included."""
    table = tomllib.loads((Path(__file__).parent / "socs.toml").read_text(encoding="utf-8"))
    return {
        alias: Soc(alias, row["arch"], row["vtcm_mb"])
        for name, row in table.items()
        for alias in (name, *row.get("alias", ()))
    }
