"""The SoCs that the emulated device can imitate."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.value import Value
from buildtool.project.archs import arch_number

DEFAULT_SOC = "QCS6490"  # Radxa Dragon Q6A


class Soc(Value):
    """One SoC: the arch of its compute DSP, the size of its VTCM in MiB, and whether it has HMX."""

    name: str
    arch: str
    vtcm_mb: int
    hmx: bool


def find_soc(name: str) -> Soc:
    """The SoC called `name`, upper or lower case, by its own name or an alias.

    Raises `UsageError` with a suggestion.
    """
    socs = known_socs()
    if soc := socs.get(name.upper()):
        return soc
    import difflib  # noqa: PLC0415 - only for the error

    close = difflib.get_close_matches(name.upper(), socs, n=1, cutoff=0.5)
    raise UsageError(
        f"there is no SoC {name!r} for the emulated device",
        why=f"known: {', '.join(socs)}",
        remedy=f"Did you mean {close[0]!r}?" if close else "Name one of these.",
    )


def default_soc(archs: Collection[str]) -> Soc:
    """The SoC that is imitated if none is named, for skels of `archs`: the first one of the table
    whose DSP runs some of them."""
    socs = known_socs()
    oldest = min(map(arch_number, archs), default=0)
    fitting = (soc for soc in socs.values() if arch_number(soc.arch) >= oldest)
    return next(fitting, socs[DEFAULT_SOC])


def known_socs() -> dict[str, Soc]:
    """All SoCs by name, other names included."""
    lines = Path(__file__).with_name("socs.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {
        name: Soc(name, arch, int(vtcm_mb), hmx == "hmx")
        for first, arch, vtcm_mb, hmx, *others in rows
        for name in (first, *" ".join(others).split())
    }
