"""Checks a file or a directory: the releases in it, and files that no release contains."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from buildtool.contract.check import check
from buildtool.contract.finding import ERROR, Finding
from buildtool.contract.promise import NOTHING, Promise
from buildtool.contract.release_json import ReleaseFileError, read_promise
from buildtool.contract.subject import RELEASE_FILE, Subject, read_tree
from buildtool.core.value import Value
from buildtool.project.archs import HEXAGON_ARCHS
from buildtool.sdk.sysroot import Sysroot
from buildtool.toolchains.cdsprpc import system_cdsprpc
from buildtool.toolchains.dsp_shells import device_shell
from buildtool.toolchains.system_libraries import sysroot_libraries

FILE, RELEASE, DIRECTORY, ARCHIVE = "file", "release", "directory", "archive"
MAX_RELEASES = 1000


class Inspection(Value):
    """The result of inspecting `path`, which is a `FILE`, `RELEASE`, `DIRECTORY` or `ARCHIVE`.

    `files` is the number of files without each release.json, `releases` that of the releases.
    """

    path: str
    kind: str
    files: int
    releases: int
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        return sum(finding.severity == ERROR for finding in self.findings)

    @property
    def warnings(self) -> int:
        return len(self.findings) - self.errors


def inspect_file(file: Path) -> Inspection:
    """Check one file; names are resolved against the libraries beside it, if it needs some."""
    from buildtool.contract.beside import libraries_beside  # noqa: PLC0415 - only `inspect` needs it

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
