"""`buildtool package [TARGET]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import BuildOptions, Json, NoCache, TargetName
from buildtool.cli.parameters import Option
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json, show
from buildtool.flow.targets import package as package_target
from buildtool.project.model import with_options
from buildtool.project.read import find_project

if TYPE_CHECKING:
    from buildtool.documents.inspection import PackageDocument
    from buildtool.release.package import Packaged


def package(
    target: TargetName = "",
    *,
    formats: Annotated[
        list[str] | None,
        Option(
            "--format -f",
            "Formats of the archives: 'deb,wheel'; may be repeated.  Default: the target's.",
            "FORMAT",
        ),
    ] = None,
    output: Annotated[
        Path | None, Option("--output -o", "Directory of the archives; default: dist.", "DIR")
    ] = None,
    verify_reproducible: Annotated[
        bool,
        Option(
            "--verify-reproducible",
            "Make the archives a second time under other conditions, and compare.",
        ),
    ] = False,
    attest: Annotated[
        bool, Option("--attest", "Write an SBOM and the provenance beside each archive.")
    ] = False,
    sign: Annotated[
        Path | None,
        Option("--sign", "Sign archives and documents with this SSH key; implies --attest.", "KEY"),
    ] = None,
    options: BuildOptions = BuildOptions(),
    no_cache: NoCache = False,
    json: Json = False,
) -> None:
    """Build what changed, and make archives of what a target ships.

    The archives are the same bytes wherever they are made of the same sources.
    """
    project = find_project(Path.cwd())
    name = target or project.header.default_target
    packaged = package_target(
        with_options(project, name, build_type=options.build_type, strict_isa=options.strict_isa),
        name,
        formats=list(dict.fromkeys(",".join(formats).split(","))) if formats else (),
        output=output.absolute() if output else None,
        twice=verify_reproducible,
        attest=attest,
        key=sign,
        listener=Screen(verbose=options.verbose),
        options=options.for_engine(use_caches=not no_cache),
    )
    if json:
        print_json(_document(packaged))
        return
    for warning in packaged.warnings:
        show(f"warning: {warning.message} [{warning.rule}]", file=sys.stderr)
        show("\n".join(f"  {line}" for line in warning.why.split("\n")), file=sys.stderr)
        show(f"  → {warning.remedy}", file=sys.stderr)
    for archive in packaged.archives:
        show(f"{_shown(archive.path)}  {archive.size:,} B")
        show(f"  sha256 {archive.sha256}")
    for document in packaged.documents:
        show(_shown(document))
    if verify_reproducible:
        show("a second build, elsewhere and without caches, made the same bytes")


def _shown(path: Path) -> Path:
    """The path relative to the current directory, if it is below that."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _document(packaged: Packaged) -> PackageDocument:
    release = packaged.release
    return {
        "target": release.target,
        "directory": str(release.directory),
        "release": release.id,
        "slices": {part.name: part.id for part in release.slices},
        "warnings": [warning.as_json() for warning in packaged.warnings],
        "archives": [archive.as_json() for archive in packaged.archives],
        "documents": [str(path) for path in packaged.documents],
        "error": None,
    }
