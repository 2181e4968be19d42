"""`buildtool inspect PATH…`: facts about programs and libraries, and what is wrong with them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from buildtool.cli.options import Json
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.show import print_json, show, show_files, show_json
from buildtool.contract.inspection import (
    ARCHIVE,
    BESIDE,
    RULES,
    inspect_directory,
    inspect_file,
    libraries_beside,
    resolve,
)
from buildtool.contract.inspection import sarif as sarif_document
from buildtool.contract.rules.host_system import needed_glibc
from buildtool.core.elf.file import machine_name
from buildtool.core.elf.read import Elf, read_elf
from buildtool.core.elf.symbols import VersionNeed
from buildtool.core.errors import UsageError
from buildtool.toolchains.system_libraries import DeviceShell, device_shell

if TYPE_CHECKING:
    from buildtool.contract.inspection import Inspection
    from buildtool.documents.inspection import (
        ElfDocument,
        ElfFacts,
        VersionNeedObject,
    )
    from buildtool.sdk.sysroot import Sysroot


def inspect(
    paths: Annotated[
        list[Path] | None,
        Argument("PATH...", "ELF files, directories and archives."),
    ] = None,
    *,
    skel: Annotated[
        str,
        Option("--skel", "Fail unless each PATH is a skel for this DSP arch.", "ARCH"),
    ] = "",
    sysroot: Annotated[
        str,
        Option(
            "--sysroot",
            "Check skels and releases against the device of a pulled sysroot.",
            "SYSROOT",
        ),
    ] = "",
    rules: Annotated[bool, Option("--rules", "List all rules with their reasons.")] = False,
    quiet: Annotated[bool, Option("--quiet -q", "Print errors and warnings only.")] = False,
    json: Json = False,
    sarif: Annotated[
        bool, Option("--sarif", "Print the findings as a SARIF 2.1.0 document.")
    ] = False,
) -> int:
    """Check files, directories and archives by the rules for releases.

    For an ELF file it also prints facts: machine, SONAME, needed libraries and where they are,
    segments, notes, symbols. For an archive it prints its files.
    """
    from buildtool.project.keys import HEXAGON_ARCHS
    from buildtool.release.unpack import is_archive
    from buildtool.sdk.sysroot import find_sysroot

    if rules:
        _show_rules(json=json)
        return 0
    if not paths:
        raise UsageError("there is nothing to inspect", remedy="Name a file: inspect PATH")
    if json and sarif:
        raise UsageError("--json cannot be used with --sarif", remedy="Choose one of them.")
    if skel and skel not in HEXAGON_ARCHS:
        raise UsageError(
            f"there is no Hexagon arch {skel!r}",
            why=f"known: {', '.join(HEXAGON_ARCHS)}",
            remedy="Name one of these archs.",
        )
    if sysroot and not skel and any(path.is_file() and not is_archive(path) for path in paths):
        raise UsageError(
            "--sysroot is for checking a skel, a release or an archive",
            remedy="Name the arch of the skel's DSP: --skel ARCH",
        )
    device = find_sysroot(sysroot) if sysroot else None
    if skel:
        _check_skels(paths, skel, device, quiet=quiet, json=json)
        return 0
    elves = {path: read_elf(path) for path in paths if not path.is_dir() and not is_archive(path)}
    found = [_inspect(path, device, show=not (quiet or json or sarif)) for path in paths]
    if sarif:
        show_json(sarif_document(found))
    elif json:
        if len(paths) == 1 and elves:
            document: ElfDocument = {
                **facts(elves[paths[0]]),
                "warnings": [],
                "findings": [finding.as_json() for finding in found[0].findings],
            }
            print_json(document)
        else:
            print_json({"inspected": [inspection.as_json() for inspection in found]})
    else:
        for path, inspection in zip(paths, found, strict=True):
            if path in elves and not quiet:
                show_facts(elves[path])
            _show(inspection, quiet=quiet)
    return int(any(inspection.error_count for inspection in found))


def _inspect(path: Path, sysroot: Sysroot | None, *, show: bool) -> Inspection:
    """Check a file, a directory or an archive; with `show`, print what an archive contains."""
    from buildtool.release.unpack import is_archive, unpack

    if path.is_dir():
        return inspect_directory(path, sysroot=sysroot)
    if not is_archive(path):
        return inspect_file(path)
    import tempfile

    from buildtool.core.processes.interrupts import signals_as_interrupt

    with signals_as_interrupt(), tempfile.TemporaryDirectory(prefix="buildtool-") as folder:
        files = Path(folder, "files")
        unpack(path, files)
        if show:
            show_files(files)
        return inspect_directory(files, ARCHIVE, str(path), sysroot)


def _check_skels(
    files: Sequence[Path], arch: str, sysroot: Sysroot | None, *, quiet: bool, json: bool
) -> None:
    """Check that each file is a skel for `arch`; raises `ContractError`."""
    from buildtool.contract.build_checks import check_skel

    if json and len(files) > 1:
        raise UsageError("--skel with --json checks one file", remedy="Name one file.")
    device = device_shell(sysroot, arch) if sysroot else None
    for file in files:
        warnings: list[str] = []
        elf = check_skel(file, arch, _beside(file), device=device, warn=warnings.append, own=False)
        if json:
            document: ElfDocument = {
                **facts(elf, device),
                "warnings": warnings,
                "findings": [],
            }
            print_json(document)
        elif not quiet:
            show_facts(elf, device)
        for warning in () if json else warnings:
            show(f"warning: {warning}", file=sys.stderr)


def _beside(file: Path) -> list[Path]:
    """The libraries beside a file that it needs."""

    return [path for path in libraries_beside(file).values() if path.parent == file.parent]


def _show_rules(*, json: bool) -> None:

    rules = list(RULES)
    if json:
        print_json({"rules": [rule.as_json() for rule in rules]})
        return
    for rule in rules:
        show(f"{rule.name}\n  {rule.requirement}\n  {rule.reason}\n")


def _show(inspection: Inspection, *, quiet: bool) -> None:
    """Print the findings by file, and the verdict."""
    paths = dict.fromkeys(finding.path for finding in inspection.findings)
    for path in paths:
        show(f"{path or inspection.path}:")
        for finding in inspection.findings:
            if finding.path == path:
                show(f"  {finding.severity}: {finding.message} [{finding.rule}]")
                show("\n".join(f"    {line}" for line in finding.why.split("\n")))
                show(f"    → {finding.remedy}")
    if not quiet:
        counts = {
            "release": inspection.releases if inspection.kind in ("directory", "archive") else 0,
            "file": inspection.files,
        }
        verdict = [_count(number, what) for what, number in counts.items() if number]
        verdict += [
            _count(inspection.error_count, "error"),
            _count(inspection.warning_count, "warning"),
        ]
        show(f"{inspection.path}: {', '.join(verdict)}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def show_facts(elf: Elf, shell: DeviceShell | None = None) -> None:
    """Print the facts, one in a line or several."""
    for name, text in _lines(elf, shell):
        show(f"{name:<16} {text or '–'}")


def facts(elf: Elf, shell: DeviceShell | None = None) -> ElfFacts:
    """The facts of the document; a skel's imports are looked up in `shell`, by default in all."""
    resolution = resolve(elf, shell)
    return {
        "file": str(elf.path),
        "machine": elf.machine,
        "machine_name": machine_name(elf.machine),
        "bits": elf.bits,
        "hexagon_arch": elf.hexagon_arch or None,
        "type": elf.kind,
        "soname": elf.soname or None,
        "needed": list(elf.needed),
        "libraries": [row.as_json() for row in resolution.libraries],
        "runpath": list(elf.runpath),
        "interpreter": elf.interpreter or None,
        "build_id": elf.build_id or None,
        "idl_digests": list(elf.notes),
        "load_alignments": list(elf.load_alignments),
        "tls_size": elf.tls_size,
        "tls_alignment": elf.tls_alignment or None,
        "text_relocations": elf.text_relocations,
        "executable_stack": bool((elf.stack_flags or 0) & 1),
        "stripped": not elf.debug_sections,
        "glibc": needed_glibc(elf) or None,
        "version_needs": [_version_need(need) for need in elf.version_needs],
        "android_api": elf.android_api or None,
        "exports": sorted(elf.exports),
        "imports": sorted(elf.imports),
        "weak_imports": sorted(elf.weak_imports),
        "unresolved": list(resolution.unresolved),
    }


def _version_need(need: VersionNeed) -> VersionNeedObject:
    return {
        "library": need.library,
        "version": need.version,
        "weak": need.weak,
        "symbols": list(need.symbols),
    }


def _lines(elf: Elf, shell: DeviceShell | None) -> Iterator[tuple[str, str]]:
    found: dict[str, Any] = {**facts(elf, shell)}
    for name, value in found.items():
        text = value
        if name == "machine_name":
            continue  # in the line of the machine
        if name == "machine":
            text = f"{value} ({machine_name(value)}, {elf.bits} bits)"
        elif name == "load_alignments":
            text = ", ".join(map(hex, value))
        elif name == "libraries":
            text = _listed(_library_line(row) for row in value)
        elif name == "version_needs":
            text = _listed(_version_lines(elf))
        elif isinstance(value, list):
            text = _listed(value)
        elif isinstance(value, bool):
            text = "yes" if value else "no"
        yield name.replace("_", " "), str(text or "")


def _listed(rows: Any) -> str:
    return "\n".ljust(18).join(rows)


def _library_line(row: dict[str, Any]) -> str:
    count = len(row["symbols"])
    used = f", {count} {'symbol' if count == 1 else 'symbols'}" if count else ""
    return f"{row['name']}: {row['path'] if row['where'] == BESIDE else row['where']}{used}"


def _version_lines(elf: Elf) -> Iterator[str]:
    """One line for each library: its versions."""
    for library in dict.fromkeys(need.library for need in elf.version_needs):
        needs = (need for need in elf.version_needs if need.library == library)
        versions = (f"{need.version}{' (weak)' if need.weak else ''}" for need in needs)
        yield f"{library}: {', '.join(versions)}"
