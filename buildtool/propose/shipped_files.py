"""The files that a component ships: those of its install() rules, or files of its build tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from buildtool.core.value import Value
from buildtool.drivers.cmake.install_rules import InstallRule
from buildtool.propose.configure import LINKED, Configured
from buildtool.propose.proposal import Line
from buildtool.propose.target_sides import SidedTarget

_SPECIAL = re.compile(r"[*?\[\]]")


class ShippedFiles(Value):
    """The lines `targets`, `install` and `artifacts` of a component.

    `left_out` lists files that cannot ship, with reasons; `nothing` says why nothing ships, or is
    "".  `files` are the shipped files: the path in a release, and the file.
    """

    lines: tuple[Line, ...] = ()
    left_out: tuple[str, ...] = ()
    nothing: str = ""
    files: tuple[tuple[str, Path], ...] = ()


def shipped_files(
    configured: Configured,
    made: Sequence[SidedTarget],
    *,
    without: Collection[str] = (),
    tests: Collection[str] = (),
    generic: Callable[[str], str] = lambda text: text,
) -> ShippedFiles:
    """How the programs and libraries `made` of a configured tree get into a release.

    `without` are targets of the default build that must not be built; `generic` replaces the DSP
    arch in names by `{arch}`.  Programs in `tests` ship only if there is nothing else to ship.
    """
    rules = configured.installation.rules
    names = {row.target.name for row in made}
    others = [target.name for target in configured.linked if target.name not in names]
    if names - {*tests} or any(rule.files for rule in rules):
        made = [row for row in made if row.target.name not in tests]
        names -= {*tests}
    installed = [rule for rule in rules if (rule.target in names if names else rule.files)]
    excluded = list(dict.fromkeys([*others, *without]))
    why = (
        "install() rules may need what is left out"
        if excluded
        else _install_problem(configured, rules)
    )
    files = [(f"{rule.destination}/{n}".strip("/"), f) for rule in rules for f, n in rule.files]
    if installed and not why:
        return ShippedFiles(files=_release_paths(files, configured))
    if not made:
        return ShippedFiles(
            nothing=why or "it makes no program and no shared library, and installs none"
        )
    lines: list[Line] = []
    if excluded:
        more = ", …" if len(excluded) > 3 else ""
        chosen = tuple(dict.fromkeys(generic(row.target.name) for row in made))
        lines.append(Line("targets", chosen, f"without {', '.join(excluded[:3])}{more}"))
    artifacts, left_out = _artifacts(configured, made, generic)
    if not artifacts:
        return ShippedFiles(left_out=left_out, nothing="; ".join(left_out))
    if rules and why:
        lines.append(Line("install", False, why))
        files = []
    lines.append(Line("artifacts", artifacts, "no install() rule installs these"))
    files += [(row.target.artifacts[0].name, row.target.artifacts[0]) for row in made]
    return ShippedFiles(tuple(lines), left_out, files=_release_paths(files, configured))


def _release_paths(
    files: Sequence[tuple[str, Path]], configured: Configured
) -> tuple[tuple[str, Path], ...]:
    """The paths in a release, as in `release.layout`."""
    placed = []
    for name, file in files:
        library = ".so" in Path(name).suffixes
        if not configured.step.arch:
            folder = "" if "/" in name else "lib/" if library else "bin/"
            placed.append((folder + name, file))
        elif library:
            placed.append((f"dsp/{Path(name).name}", file))
    return tuple(placed)


def _install_problem(configured: Configured, rules: Sequence[InstallRule]) -> str:
    """Why the install() rules would fail after a default build; "" if they would not."""
    every = {target.name for target in configured.model.targets if target.kind in LINKED}
    for rule in rules:
        where = Path(rule.destination)
        if where.is_absolute() and not where.is_relative_to(configured.step.output):
            return f"an install() rule has the absolute destination {rule.destination}"
        if rule.optional:
            continue
        if rule.target in every - configured.names:
            return f"an install() rule needs {rule.target}, which is not built by default"
        for file, _ in rule.files if rule.kind in ("file", "directory") else ():
            if not file.is_relative_to(configured.step.tree) and not file.exists():
                return f"an install() rule needs {file}, which does not exist"
    return ""


def _artifacts(
    configured: Configured, made: Sequence[SidedTarget], generic: Callable[[str], str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files of `made` in the build tree as globs; and those that cannot ship, with reasons."""
    found: dict[str, str] = {}
    left_out: list[str] = []
    tree = configured.step.tree
    for row in made:
        artifact = row.target.artifacts[0]
        if not artifact.is_relative_to(tree):
            left_out.append(f"{row.target.name} is built outside the build tree: {artifact}")
        elif artifact.name in found:
            left_out.append(f"{row.target.name}: another {artifact.name} is already shipped")
        else:
            found[artifact.name] = _pattern(artifact, configured, generic)
    return tuple(dict.fromkeys(found.values())), tuple(left_out)


def _pattern(artifact: Path, configured: Configured, generic: Callable[[str], str]) -> str:
    path = generic(str(artifact.relative_to(configured.step.tree)))
    # A versioned library is loaded by its SONAME.
    versions = any(name.startswith(f"{artifact}.") for name in configured.built)
    return _SPECIAL.sub("?", path) + ("*" if versions else "")
