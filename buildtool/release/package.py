"""Makes the archives of a release, each only when its contents have changed."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from buildtool import __version__
from buildtool.contract.finding import Finding
from buildtool.core.errors import UsageError
from buildtool.core.files import replace_file, value_digest
from buildtool.core.lock import locked_temporary_file
from buildtool.core.stored import read_value, write_value
from buildtool.core.value import Described, Value
from buildtool.engine.result import BuildResult
from buildtool.inputs.file_states import FileStates
from buildtool.project.model import FORMAT_PLATFORMS, FORMATS, Project, Target
from buildtool.release.document import ReleaseSource
from buildtool.release.formats.entries import CONAN, Package, PackageEntry
from buildtool.release.slices import Release
from buildtool.release.supply_chain.licences import LicenceFile, check_redistribution

_ENTRIES = "buildtool.release.formats.entries"
WRITERS = {
    "tar.zst": (".tar.zst", _ENTRIES, "write_tar_archive"),
    "zip": (".zip", _ENTRIES, "write_zip_archive"),
    "deb": (".deb", "buildtool.release.formats.deb", "write"),
    "wheel": (".whl", "buildtool.release.formats.wheel", "write"),
    "jnilibs": (".aar", "buildtool.release.formats.jnilibs", "write"),
    "conan": (CONAN, _ENTRIES, "write_conan"),
}
"""The formats: suffix, module, and the function there that writes a package to a path."""
VERSION = 2
"""Changes when the same release results in other archives."""


class Archive(Described):
    """An archive that is up to date: its format, path, size in bytes and sha256."""

    format: Annotated[str, "format of the archive"]
    path: Annotated[Path, "path of the archive"]
    size: Annotated[int, "its size in bytes"]
    sha256: Annotated[str, "sha256 of its bytes"]


class Packaged(Value):
    """A release, what its check has found, its archives, and the documents and signatures beside
    these."""

    build: BuildResult
    release: Release
    warnings: tuple[Finding, ...]
    archives: tuple[Archive, ...]
    documents: tuple[Path, ...] = ()


class _Recorded(Value):
    """What is known of a release with the `key`."""

    key: str
    warnings: tuple[Finding, ...]
    archives: tuple[Archive, ...] = ()


class Ingredients(Value):
    """The data from which the archives of a release are made."""

    project: Project
    build: BuildResult
    release: Release
    source: ReleaseSource
    licences: tuple[LicenceFile, ...]

    @property
    def idl(self) -> tuple[Path, ...]:
        """The IDL files of the skels in the release."""
        steps = (result.step for result in self.build.steps)
        skels = dict.fromkeys(step.component for step in steps if step.arch)
        files = dict.fromkeys(self.project.skels[name].idl for name in skels)
        return tuple(self.project.root / name for name in files if name)

    def document(self) -> dict[str, Any]:
        """The document `release.json`.  Raises `OSError` and `ElfError`."""
        from buildtool.release.document import release_document  # noqa: PLC0415 - see package_of()

        licences = {file.path: file.source for file in self.licences}
        return release_document(self.project, self.build, self.release, self.source, licences)

    def key(self, file_states: FileStates) -> str:
        """The digest of everything that shapes the archives."""
        project, target = self.project, self.project.targets[self.release.target]
        steps = [
            [s.step.name, s.step.profile.digest, s.step.tools_version] for s in self.build.steps
        ]
        return value_digest(
            [
                *(VERSION, __version__),
                *(project.header, target._asdict(), self.release.slices, steps, self.source),
                _wheel_build(project, self.release.target),
                [file_states.state(path) for path in self.idl],
                [[file.path, file_states.state(file.source)] for file in self.licences],
            ]
        )


def make_package(
    made_of: Ingredients, formats: Sequence[str], output: Path, file_states: FileStates
) -> Packaged:
    """Check the release, and make its archives in the directory `output`, unless all of this was
    done before.

    Raises `OSError`, and `BuildtoolError` for a release that breaks its contract or that a format
    cannot hold.
    """
    plan = made_of.build.plan
    note = plan.state / "packages" / f"{plan.target}.json"
    key = made_of.key(file_states)
    recorded = read_value(note, _Recorded, VERSION)
    if not recorded or recorded.key != key:
        from buildtool.release.check import check_release  # noqa: PLC0415 - reads all files

        check_redistribution(made_of.project, made_of.build.steps)
        target = made_of.project.targets[plan.target]
        recorded = _Recorded(key, check_release(target, made_of.build, made_of.release))
    known = {archive.format: archive for archive in recorded.archives}
    archives = {
        name: archive
        for name in formats
        if (archive := known.get(name))
        and archive.path.parent == output
        and file_states.state(archive.path) == archive.sha256
    }
    if missing := [name for name in formats if name not in archives]:
        package = package_of(made_of)
        archives |= {name: _write(name, package, output, file_states) for name in missing}
        known |= archives
        write_value(note, recorded._replace(archives=tuple(known.values())), VERSION)
    return Packaged(
        made_of.build, made_of.release, recorded.warnings, tuple(archives[name] for name in formats)
    )


def _wheel_build(project: Project, target_name: str) -> str:
    """The build tag that wheels of a target have when those of another target have the same name
    and version, and are for the same systems; the default target has none.  Source:
    packaging.python.org, "Binary distribution format"."""

    def systems(name: str) -> tuple[str, object]:
        target = project.targets[name]
        return target.platform, target.api if target.platform == "android" else target.glibc

    same = [name for name in project.targets if systems(name) == systems(target_name)]
    same.sort(key=lambda name: name != project.header.default_target)
    number = same.index(target_name)
    return f"{number}_{re.sub(r'[^a-z0-9]+', '_', target_name.lower())}" if number else ""


def attest_package(made_of: Ingredients, packaged: Packaged, key: Path | None) -> Packaged:
    """Write the documents of each archive beside it, and sign all of them if there is a `key`.

    Raises `OSError`, `SignatureError`, `ToolMissingError` and `ToolError`.
    """
    from buildtool.release.supply_chain.attach import attach, find_parts  # noqa: PLC0415 - rare

    archives = {archive.path: archive.sha256 for archive in packaged.archives}
    shipped = {file.path for file in packaged.release.files}
    parts = find_parts(packaged.build.steps, shipped)
    formats = [archive.format for archive in packaged.archives]
    documents = attach(archives, made_of.document(), parts, options={"formats": formats}, key=key)
    return packaged._replace(documents=documents)


def check_formats(names: Sequence[str], target: Target) -> None:
    """Raises `UsageError` for no format, an unknown one, and one that is not for the target."""
    if not names:
        raise UsageError(
            "there is no archive to make",
            why="'formats' of the target is empty",
            remedy=f"Name one there, or here: --format {FORMATS[0]}.",
        )
    for name in names:
        platform = FORMAT_PLATFORMS.get(name, target.platform)
        if platform != target.platform:
            raise UsageError(
                f"{name!r} is a format for {platform}",
                why=f"the target is for {target.platform}",
                remedy="Take another format, or another target.",
            )
        if name not in FORMATS:
            raise UsageError(
                f"{name!r} is not a format of archives",
                remedy=f"Take one of: {', '.join(FORMATS)}.",
            )


def check_output(output: Path) -> None:
    """Raises `UsageError` if archives cannot be made in `output`; changes nothing."""
    if os.path.lexists(output) and not output.is_dir():
        raise UsageError(
            f"{output} is not a directory",
            why="it is a link to nothing" if output.is_symlink() else "archives are made in one",
            remedy="Remove it, or name another directory: --output DIR.",
        )


def package_of(made_of: Ingredients) -> Package:
    """Raises `FormatError` for names that archives cannot have."""
    from buildtool.release.check import check_packable  # noqa: PLC0415
    from buildtool.release.document import NAME, document_text  # noqa: PLC0415 - usually up to date

    project, release = made_of.project, made_of.release
    document = made_of.document()
    entries = [
        *(
            PackageEntry(file.path, file.mode, release.directory / file.path)
            for file in release.files
        ),
        *(PackageEntry(link.path, 0o777, b"", link.target) for link in release.links),
        *(PackageEntry(file.path, 0o644, file.source) for file in made_of.licences),
        PackageEntry(NAME, 0o644, document_text(document)),
    ]
    target = project.targets[release.target]
    package = Package(
        name=project.name,
        version=project.header.version,
        target=release.target,
        platform=target.platform,
        glibc=target.glibc,
        api=target.api,
        epoch=made_of.source.epoch,
        entries=tuple(sorted(entries, key=lambda entry: entry.path)),
        idl=made_of.idl,
        archs=release.archs,
        description=project.header.description,
        maintainer=project.header.maintainer,
        programs=target.programs,
        deb_depends=target.deb_depends,
        deb_skels=target.deb_skels,
        wheel_build=_wheel_build(project, release.target),
    )
    check_packable(package.entries, package.stem)
    return package


def _write(name: str, package: Package, output: Path, states: FileStates) -> Archive:
    suffix, module, function = WRITERS[name]
    write = getattr(importlib.import_module(module), function)
    file_name = f"{package.stem}{suffix}"
    if name == "wheel":
        from buildtool.release.formats.wheel import wheel_file_name  # noqa: PLC0415

        file_name = wheel_file_name(package)
    path = output / file_name
    from buildtool.release.supply_chain.attach import remove_documents  # noqa: PLC0415

    output.mkdir(parents=True, exist_ok=True)
    with locked_temporary_file(output, ".package.") as fresh:
        try:
            write(package, fresh)
        except OSError as error:  # a full disk has no name
            raise OSError(error.errno, error.strerror, error.filename or str(path)) from error
        replace_file(fresh, path)
    remove_documents(path)
    return Archive(name, path, path.stat().st_size, states.with_fresh_stats().state(path))
