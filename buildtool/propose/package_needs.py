"""Components whose packages other components find with find_package()."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from buildtool.project.components import Host
from buildtool.propose.candidates import Candidate, SideComponent
from buildtool.propose.configure import Configurator, Configured, ConfigureFailure, ConfigureResult
from buildtool.propose.options import avoid_package
from buildtool.propose.target_sides import HOST

_PACKAGE = re.compile(r"([A-Za-z0-9_.+]+?)(?:-config|Config)\.cmake")


def with_needs(candidates: Sequence[Candidate], configurator: Configurator) -> list[Candidate]:
    """The candidates, reconfigured if another candidate installs a package that they find."""
    found = list(candidates)
    for _ in range(len(found)):  # a candidate that now configures may install another's package
        before = list(found)
        for at, candidate in enumerate(found):
            sides = {
                side: _with_needs(candidate.folder, side, part, found, configurator)
                for side, part in candidate.sides.items()
            }
            found[at] = candidate._replace(sides=sides)
        if found == before:
            break
    return [_without_missing_package(candidate, configurator) for candidate in found]


def _without_missing_package(candidate: Candidate, configurator: Configurator) -> Candidate:
    """The candidate, configured for ARM64 without a package that nothing provides, if it can be."""
    part = candidate.sides.get(HOST)
    if part is None or part.needs or not isinstance(part.first, ConfigureFailure):
        return candidate
    assert isinstance(part.component, Host)
    if not (found := avoid_package(part.first, part.component, configurator)):
        return candidate
    result, component, why = found
    again = part._replace(
        component=component, results={"": result}, why={**part.why, "defines": why}
    )
    return candidate._replace(sides={**candidate.sides, HOST: again})


def _with_needs(
    folder: str,
    side: str,
    part: SideComponent,
    others: Sequence[Candidate],
    configurator: Configurator,
) -> SideComponent:
    parts = {o.folder: o.sides[side] for o in others if o.folder != folder and side in o.sides}
    wanted = {c.words[0].lower() for c in part.first.calls if c.name == "find_package" and c.words}
    needs = tuple(
        other
        for other, its in parts.items()
        if folder not in its.needs and wanted & _provided_packages(its.first)
    )
    if not needs or needs == part.needs:
        return part
    results: dict[str, ConfigureResult] = {}
    for arch in part.archs:
        outputs = {
            n: _provisional_install(parts[n].results.get(arch, parts[n].first)) for n in needs
        }
        results[arch] = configurator(part.component, arch, outputs)
    again = part._replace(needs=needs, results=results)
    worse = isinstance(part.first, Configured) and isinstance(again.first, ConfigureFailure)
    return part if worse else again


def _provided_packages(result: ConfigureResult) -> set[str]:
    """The packages that the install() rules install, in lower case."""
    rules = result.installation.rules if isinstance(result, Configured) else ()
    names = [name for rule in rules for _, name in rule.files]
    return {match[1].lower() for name in names if (match := _PACKAGE.fullmatch(name))}


def _provisional_install(result: ConfigureResult) -> Path:
    """A directory with the files that a component installs; built files are empty."""
    if not isinstance(result, Configured):
        return Path()
    output = result.step.output
    for rule in result.installation.rules if not output.exists() else ():
        for file, name in rule.files:
            place = Path(os.path.normpath(output / rule.destination / name))
            if not place.is_relative_to(output) or place.exists():
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            if file.is_dir():
                place.symlink_to(file)
            elif file.is_file():
                shutil.copy(file, place)
                # Beside an export's file there is one for each build type.
                for one in file.parent.glob(f"{file.stem}-*") if rule.kind == "export" else ():
                    shutil.copy(one, place.with_name(one.name))
            else:
                place.touch()
    output.mkdir(parents=True, exist_ok=True)
    return output
