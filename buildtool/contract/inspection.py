"""Checks a file or a directory: the releases in it, and files that no release contains.

For a file it also finds the libraries that it needs, and where they are.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from buildtool.contract.finding import ERROR, Finding, Rule, rules_of, sarif_document, sarif_uri
from buildtool.contract.release_json import ReleaseFileError, read_promise
from buildtool.contract.rules import (
    any_file,
    declared,
    host_libraries,
    host_system,
    skels,
    vector_instructions,
)
from buildtool.contract.rules.skels import IN_SHELL
from buildtool.contract.subject import (
    LIBRARIES,
    NOTHING,
    ORIGINS,
    RELEASE_FILE,
    Promise,
    Subject,
    device_libraries,
    read_tree,
)
from buildtool.core.elf.file import EM_HEXAGON
from buildtool.core.elf.read import Elf, ElfError, is_elf, read_dynamic, read_elf
from buildtool.core.value import Described, Value, computed
from buildtool.project.keys import HEXAGON_ARCHS
from buildtool.sdk.sysroot import Sysroot
from buildtool.toolchains.cdsprpc import is_cdsprpc, known_exports, system_cdsprpc
from buildtool.toolchains.system_libraries import (
    DeviceShell,
    device_shell,
    missing_names,
    sysroot_libraries,
)

RULES = tuple(
    rules_of(Rule, declared, host_system, host_libraries, skels, vector_instructions, any_file)
)


def check(subject: Subject) -> list[Finding]:
    """All findings, in the order of the rules, and for each rule of the paths."""
    found = [finding for rule in RULES for finding in rule.check(subject)]
    order = {rule.name: index for index, rule in enumerate(RULES)}
    return sorted(found, key=lambda finding: (order[finding.rule], finding.path))


FILE, RELEASE, DIRECTORY, ARCHIVE = "file", "release", "directory", "archive"
MAX_RELEASES = 1000


class Inspection(Described):
    """The result of inspecting `path`."""

    path: Annotated[str, "the PATH"]
    kind: Annotated[str, "what it is", ("file", "release", "directory", "archive")]
    files: Annotated[int, "number of its files"]
    releases: Annotated[int, "number of the releases in it"]
    error_count: Annotated[int, "number of errors"] = computed(
        lambda self: sum(finding.severity == ERROR for finding in self.findings)
    )
    warning_count: Annotated[int, "number of warnings"] = computed(
        lambda self: len(self.findings) - self.error_count
    )
    findings: Annotated[tuple[Finding, ...], "what breaks a rule"]


def inspect_file(file: Path) -> Inspection:
    """Check one file; names are resolved against the libraries beside it, if it needs some."""
    files = {**libraries_beside(file), file.name: file}
    findings = check(Subject(files, whole=False))
    own = (finding for finding in findings if finding.path == file.name)
    return Inspection(str(file), FILE, 1, 0, tuple(own))


def inspect_directory(
    directory: Path, kind: str = "", path: str = "", sysroot: Sysroot | None = None
) -> Inspection:
    """Check all files below `directory`; `path` is what it is called, by default its path.

    Each directory with a release.json is checked as a release, the other files as foreign files.
    With `sysroot` they are checked against that device.  Raises `OSError`, `ReleaseFileError`.
    """
    path = path or str(directory)
    tree = read_tree(directory)
    tops = _releases(directory, tree)
    findings, files = list[Finding](), 0
    for top in tops:
        promise = read_promise(directory / top, f"{path}/{top}".rstrip("/"))
        subject = read_tree(directory / top, _for_device(promise, sysroot))
        findings += _below(top, check(subject))
        files += len(subject.files)
    rest = _without(tree, tops)
    if rest.files or rest.links or rest.special or not tops:
        findings += check(rest._replace(promise=_for_device(NOTHING, sysroot)))
    return Inspection(
        path,
        kind or (RELEASE if "" in tops else DIRECTORY),
        files + len(rest.files),
        len(tops),
        tuple(findings),
    )


def _releases(directory: Path, tree: Subject) -> list[str]:
    """The directories with a release.json, relative to `directory`, none of them in another."""
    if (directory / RELEASE_FILE).is_file():
        return [""]
    tops = {path.rpartition("/")[0] for path in tree.files if path.endswith(f"/{RELEASE_FILE}")}
    outer = [top for top in tops if not any(str(p) in tops for p in PurePosixPath(top).parents)]
    if len(outer) > MAX_RELEASES:
        raise ReleaseFileError(
            f"{len(outer)} releases are too many",
            why=f"at most {MAX_RELEASES} are inspected at once",
            remedy="Name the directories of fewer releases.",
        )
    return sorted(outer)


def _without(tree: Subject, tops: Iterable[str]) -> Subject:
    """The files of `tree` that are in none of the directories `tops`."""
    inside = tuple(f"{top}/" if top else "" for top in tops)
    if not inside:
        return tree
    return Subject(
        {path: file for path, file in tree.files.items() if not path.startswith(inside)},
        {path: text for path, text in tree.links.items() if not path.startswith(inside)},
        special=tuple(path for path in tree.special if not path.startswith(inside)),
    )


def _below(top: str, findings: Iterable[Finding]) -> Iterable[Finding]:
    for finding in findings:
        yield finding._replace(path=f"{top}/{finding.path}".rstrip("/")) if top else finding


def _for_device(promise: Promise, sysroot: Sysroot | None) -> Promise:
    if not sysroot:
        return promise
    shells = {arch: device_shell(sysroot, arch) for arch in HEXAGON_ARCHS}
    return promise._replace(
        system_libraries=promise.system_libraries | sysroot_libraries(sysroot.root),
        cdsprpc=system_cdsprpc(sysroot.platform, sysroot),
        shells={arch: shell for arch, shell in shells.items() if shell},
    )


BESIDE, DEVICE, MISSING = "beside", "device", "missing"
MAX_LIBRARIES = 1000


class NeededLibrary(Described):
    """A library that a file needs, itself or through another one."""

    name: Annotated[str, "name by which it is needed"]
    where: Annotated[
        str,
        "in the directory of the file or of a RUNPATH with $ORIGIN, on every device of the"
        " platform, or neither",
        ("beside", "device", "missing"),
    ]
    path: Annotated[str | None, "its path if it is beside the file"]
    symbols: Annotated[tuple[str, ...], "imports of the file that it has, as far as they are known"]


class Resolution(Value):
    """The libraries that a file needs, and the names that none of them is known to export.

    A missing library, and one of the device whose exports are not known, may have these names.
    """

    libraries: tuple[NeededLibrary, ...]
    unresolved: tuple[str, ...]


def libraries_beside(file: Path) -> Mapping[str, Path]:
    """The libraries that `file` needs, and those that they need, by the names that they are needed
    by: in the directory of the file, in lib/ beside bin/, or where a RUNPATH with $ORIGIN leads.
    """
    found: dict[str, Path] = {}
    waiting = [file]
    while waiting and len(found) < MAX_LIBRARIES:
        path = waiting.pop()
        try:
            dynamic = read_dynamic(path)
        except ElfError:
            continue  # the checks of the file report it
        beside_bin = [file.parent.parent / LIBRARIES] if file.parent.name == "bin" else []
        folders = [file.parent, *beside_bin, *_folders(path, dynamic.runpath)]
        for name in dynamic.needed:
            if name in found or "/" in name:
                continue
            there = next((f / name for f in folders if _is_library(f / name)), None)
            if there:
                found[name] = there
                waiting.append(there)
    found.pop(file.name, None)
    return found


def _folders(file: Path, runpath: tuple[str, ...]) -> Iterator[Path]:
    for entry in runpath:
        origin, _, rest = entry.partition("/")
        if origin in ORIGINS:
            yield Path(posixpath.normpath(file.parent / rest.lstrip("/")))


def _is_library(path: Path) -> bool:
    try:
        return path.is_file() and is_elf(path)
    except OSError:
        return False


def resolve(elf: Elf, shell: DeviceShell | None = None) -> Resolution:
    """Where the libraries and the imports of a file are found; `shell` is that of a device."""
    paths = libraries_beside(elf.path)
    unresolved = set(elf.imports)
    is_hexagon = elf.machine == EM_HEXAGON
    of_device = IN_SHELL if is_hexagon else device_libraries(Subject({elf.path.name: elf.path}))
    rows = []
    for name in dict.fromkeys((*elf.needed, *paths)):
        exports = _exports(paths[name]) if name in paths else _device_exports(elf, name)
        where = MISSING
        if name in paths:
            where = BESIDE
        elif name in of_device or (is_cdsprpc(name) and not is_hexagon):
            where = DEVICE
        symbols = tuple(sorted(elf.imports & exports))
        rows.append(
            NeededLibrary(name, where, str(paths[name]) if name in paths else None, symbols)
        )
        unresolved -= exports
    if elf.hexagon_arch:
        missing = missing_names(frozenset(unresolved), elf.hexagon_arch, shell)
        unresolved = set(missing.everywhere)
    return Resolution(tuple(rows), tuple(sorted(unresolved)))


def _exports(path: Path) -> frozenset[str]:
    try:
        return read_elf(path).exports
    except ElfError:
        return frozenset()


def _device_exports(elf: Elf, name: str) -> frozenset[str]:
    """The exports of the library `name` of the device, as far as the symbol versions that `elf`
    needs show them; for libcdsprpc, all known exports."""
    if is_cdsprpc(name):
        return frozenset(known_exports())
    return frozenset(n for need in elf.version_needs if need.library == name for n in need.symbols)


def sarif(inspections: Iterable[Inspection]) -> dict[str, Any]:
    """The SARIF document of inspections."""
    numbers = {rule.name: number for number, rule in enumerate(RULES)}
    results = [
        _sarif_result(inspection, finding, numbers[finding.rule])
        for inspection in inspections
        for finding in inspection.findings
    ]
    return sarif_document(RULES, results)


def _sarif_result(inspection: Inspection, finding: Finding, number: int) -> dict[str, Any]:
    text = "\n".join((f"{finding.message}: {finding.why}.", finding.remedy))
    file, inside = inspection.path, finding.path
    if inspection.kind not in (ARCHIVE, FILE) and inside:
        file = f"{file}/{inside}"
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": sarif_uri(file)}}}
    if inspection.kind == ARCHIVE and inside:
        name = inside.encode(errors="surrogateescape").decode(errors="replace")
        location["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "resource"}]
    return {
        "ruleId": finding.rule,
        "ruleIndex": number,
        "level": finding.severity,
        "message": {"text": text.encode(errors="surrogateescape").decode(errors="replace")},
        "locations": [location],
    }
