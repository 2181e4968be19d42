"""`buildtool package` without its options: most calls have none, and need no typer."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import flow
from buildtool.cli.screen import Screen
from buildtool.cli.show import show
from buildtool.project.read import find_project

if TYPE_CHECKING:
    from buildtool.engine.context import Options
    from buildtool.release.package import Packaged


def package_target(
    target: str = "",
    *,
    formats: Sequence[str] = (),
    output: Path | None = None,
    twice: bool = False,
    attest: bool = False,
    key: Path | None = None,
    verbose: bool = False,
    build_type: str = "",
    strict_isa: bool = False,
    as_json: bool = False,
    options: Options | None = None,
) -> None:
    """Make the archives of `target` ("": the project's default), and print the result."""
    project = find_project(Path.cwd())
    name = target or project.header.default_target
    project = flow.with_options(project, name, build_type=build_type, strict_isa=strict_isa)
    packaged = flow.package(
        project,
        name,
        formats=formats,
        output=output.absolute() if output else None,
        twice=twice,
        attest=attest,
        key=key,
        listener=Screen(verbose=verbose),
        options=options,
    )
    if as_json:
        from buildtool.cli.options import print_json

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
    if twice:
        show("a second build, elsewhere and without caches, made the same bytes")


def _shown(path: Path) -> Path:
    """The path relative to the current directory, if it is below that."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _document(packaged: Packaged) -> dict[str, object]:
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
