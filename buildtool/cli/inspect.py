"""`buildtool inspect FILE`: facts about a program or library."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from buildtool.cli.options import Json, print_json
from buildtool.cli.show import show

if TYPE_CHECKING:
    from buildtool.core.elf import Elf


def inspect(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An ELF file.")],
    *,
    skel: Annotated[
        str,
        typer.Option(
            "--skel", metavar="ARCH", help="Fail unless FILE is a skel for this DSP arch."
        ),
    ] = "",
    sysroot: Annotated[
        str,
        typer.Option(
            "--sysroot",
            metavar="SYSROOT",
            help="With --skel: check against the DSP shell of a pulled sysroot.",
        ),
    ] = "",
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors and warnings only.")
    ] = False,
    json: Json = False,
) -> None:
    """Print an ELF file's machine, SONAME, needed libraries and symbols."""
    from buildtool.core.elf import read_elf
    from buildtool.core.errors import UsageError
    from buildtool.project.archs import HEXAGON_ARCHS
    from buildtool.sdk.sysroot import find_sysroot
    from buildtool.toolchains.check_skel import check_skel
    from buildtool.toolchains.dsp_shells import device_shell

    if skel and skel not in HEXAGON_ARCHS:
        raise UsageError(
            f"there is no Hexagon arch {skel!r}",
            why=f"known: {', '.join(HEXAGON_ARCHS)}",
            remedy="Name one of these archs.",
        )
    if sysroot and not skel:
        raise UsageError(
            "--sysroot is for checking a skel", remedy="Name the arch of its DSP: --skel ARCH"
        )
    device = device_shell(find_sysroot(sysroot), skel) if sysroot else None
    warnings: list[str] = []
    elf = check_skel(file, skel, device=device, warn=warnings.append) if skel else read_elf(file)
    if json:
        print_json({**_facts(elf), "warnings": warnings})
    elif not quiet:
        for name, value in _facts(elf).items():
            text = "\n".ljust(17).join(value) if isinstance(value, list) else value
            show(f"{name.replace('_', ' '):<15} {text or '–'}")
    for warning in () if json else warnings:
        show(f"warning: {warning}", file=sys.stderr)


def _facts(elf: Elf) -> dict[str, Any]:
    return {
        "file": str(elf.path),
        "machine": elf.machine,
        "hexagon_arch": elf.hexagon_arch or None,
        "type": elf.kind,
        "soname": elf.soname or None,
        "needed": list(elf.needed),
        "idl_digests": list(elf.notes),
        "exports": sorted(elf.exports),
        "imports": sorted(elf.imports),
        "weak_imports": sorted(elf.weak_imports),
    }
