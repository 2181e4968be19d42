"""The facts about one ELF file that `buildtool inspect` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from buildtool.cli.show import show
from buildtool.contract.inspection import BESIDE, NeededLibrary, resolve
from buildtool.contract.rules.host_system import needed_glibc
from buildtool.core.elf.machine import machine_name
from buildtool.core.elf.read import Elf
from buildtool.core.elf.symbols import VersionNeed
from buildtool.toolchains.system_libraries import DeviceShell

if TYPE_CHECKING:
    from buildtool.documents.inspection import ElfFacts, LibraryObject, VersionNeedObject


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
        "libraries": [_library(row) for row in resolution.libraries],
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


def _library(row: NeededLibrary) -> LibraryObject:
    return {
        "name": row.name,
        "where": row.where,
        "path": row.path or None,
        "symbols": list(row.symbols),
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
