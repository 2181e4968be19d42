"""The SoCs that the emulated device can imitate."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.value import Value
from buildtool.device.facts import CDSP
from buildtool.project.keys import arch_number

DEFAULT_SOC = "QCS6490"  # Radxa Dragon Q6A

_ZEROS, _TESTSIG = "hmx=zeros", "testsig"


class Soc(Value):
    """One SoC: the arch of its compute DSP, the size of its VTCM in MiB, whether it has HMX, and
    the archs of all its DSPs.  With `hmx_zeros` the float half of its HMX is fused off:
    instructions give zeros.  With `testsig` its board has a test signature: signed processes load
    skels without one of their own."""

    name: str
    arch: str
    vtcm_mb: int
    hmx: bool
    domains: Mapping[str, str]
    hmx_zeros: bool = False
    testsig: bool = False

    @property
    def directory(self) -> str:
        """The name of its device root."""
        name = self.name.lower() + ("-hmx-zeros" if self.hmx_zeros else "")
        return name + ("-testsig" if self.testsig else "")


def find_soc(name: str) -> Soc:
    """The SoC called `name`, upper or lower case, by its own name or an alias, or the first one
    with the DSP arch `name`; `,hmx=zeros` behind the name fuses off the float half of its HMX,
    `,testsig` puts a test signature on its board.  Raises `UsageError` with a suggestion."""
    socs = known_socs()
    plain, *properties = name.lower().split(",")
    zeros = _ZEROS in properties
    of_arch = (soc for soc in socs.values() if soc.arch == plain)
    if soc := socs.get(plain.upper()) or next(of_arch, None):
        if not {*properties} <= {_ZEROS, _TESTSIG}:
            raise UsageError(
                f"--soc {name}: unknown property of the emulated device",
                why=f"known: {_ZEROS}, the float half of HMX is fused off; {_TESTSIG}, signed"
                " processes load skels without a signature",
                remedy=f"Write --soc {name.partition(',')[0]},{_ZEROS}",
            )
        return soc._replace(
            hmx=soc.hmx or zeros,
            hmx_zeros=soc.hmx_zeros or zeros,
            testsig=_TESTSIG in properties,
        )
    import difflib  # noqa: PLC0415 - only for the error

    close = difflib.get_close_matches(plain.upper(), socs, n=1, cutoff=0.5)
    raise UsageError(
        f"there is no SoC {name!r} for the emulated device",
        why=f"known: {'; '.join(f'{arch}: {names}' for arch, names in names_by_arch().items())}",
        remedy=f"Did you mean {close[0]!r}?" if close else "Name one of these, or an arch.",
    )


def names_by_arch() -> dict[str, str]:
    """The names of the SoCs with each DSP arch."""
    socs = known_socs()
    archs = sorted({soc.arch for soc in socs.values()}, key=arch_number)
    return {arch: ", ".join(n for n, soc in socs.items() if soc.arch == arch) for arch in archs}


def default_soc(archs: Collection[str], domain: str = CDSP) -> Soc:
    """The SoC that is imitated if none is named, for skels of `archs`: the first one of the table
    whose DSP `domain` runs some of them."""
    socs = known_socs()
    oldest = min(map(arch_number, archs), default=0)
    having = [soc for soc in socs.values() if domain in soc.domains]
    fitting = (soc for soc in having if arch_number(soc.domains[domain]) >= oldest)
    return next(fitting, (having or [socs[DEFAULT_SOC]])[0])


def known_socs() -> dict[str, Soc]:
    """All SoCs by name, other names included."""
    lines = Path(__file__).with_name("socs.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {
        name: Soc(name, arch, int(vtcm_mb), hmx != "-", _domains(arch, dsps), hmx == "zeros")
        for first, arch, vtcm_mb, hmx, dsps, *others in rows
        for name in (first, *" ".join(others).split())
    }


def _domains(arch: str, dsps: str) -> Mapping[str, str]:
    others = (dsp.split(":") for dsp in dsps.split(",") if dsp != "-")
    return {CDSP: arch, **dict(others)}
