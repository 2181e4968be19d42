"""Proposes a project file for an existing CMake tree, with reasons for its lines.

Components that others find with find_package() are recognised by what these ask for.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Listener
from buildtool.plan.plan import plan_target
from buildtool.project.components import Host
from buildtool.project.keys import HEXAGON_ARCHS, arch_number
from buildtool.project.model import Header, Project, Target
from buildtool.project.read import FILE_NAME, parse_project
from buildtool.propose.candidates import EMULATED_ARCH, Candidate, CandidateFinder, SideComponent
from buildtool.propose.cmake_tree import LISTING, CMakeTree
from buildtool.propose.component_tables import ComponentTables
from buildtool.propose.configure import Configurator, Configured, ConfigureFailure, ConfigureResult
from buildtool.propose.options import avoid_package
from buildtool.propose.proposal import Line, Proposal, Table, Unknown, toml_text
from buildtool.propose.target_sides import DSP, HOST, SDK_EVIDENCE, SKEL, TextHints
from buildtool.sdk.packaged_tools import find_cmake
from buildtool.sdk.tool_search import NamedToolMissingError, ToolMissingError
from buildtool.toolchains.select_profiles import dsp_sdk

PREFIX = "buildtool-init-"
QF_BITS_SINCE = 0x79
QF_EVIDENCE = re.compile(r"\bQ6_V(?:qf|[sh]f_equals_Vqf)\w*")


def propose(tree: CMakeTree, name: str, listener: Listener) -> Proposal:
    """A project file with the name `name` for `tree`; without tables if it has no component.

    Runs CMake on the projects of the tree, in a directory that is deleted afterwards.  Raises
    `UsageError` if the tree's directory cannot contain a project, or if the tree contains a name
    that is not valid in a project file.
    """
    parse_project(tree.root / FILE_NAME, f'[project]\nname = "{name}"')
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as scratch:
        return _propose(tree, name, Path(scratch).resolve(), listener)


def _propose(tree: CMakeTree, name: str, scratch: Path, listener: Listener) -> Proposal:
    unknown = [
        Unknown(problem, "Add what is missing to buildtool.toml.") for problem in tree.unread
    ]
    hints = TextHints(tree)
    sdk = next(filter(None, (hints.search(SDK_EVIDENCE, folder) for folder in hints.projects)), "")
    dsp_toolchain, missing = _dsp_toolchain(tree.root, sdk)
    configurator = Configurator(tree.root, scratch, dsp_toolchain, listener)
    finder = CandidateFinder(hints, configurator)
    candidates = with_needs(finder.candidates(), configurator)
    made = ComponentTables(hints, candidates)
    components = made.tables()
    unknown += [*finder.unknown, *made.unknown, *([missing] if missing else [])]
    if not components:
        return Proposal((), tuple(unknown))
    header = [Line("name", name), *_version(candidates)]
    skels = [
        table for table in components if table.name.startswith(("skel.", "dsp.")) and not table.off
    ]
    targets, more = _targets(skels, sdk, dsp_toolchain, _qf_code(candidates, hints))
    tables = (Table("project", "", tuple(header)), *components, *targets)
    proposal = Proposal(tables, (*unknown, *more))
    _check(proposal, tree.root, configurator)
    return proposal


def _version(candidates: Iterable[Candidate]) -> list[Line]:
    """The VERSION of project() in the top directory."""
    top = next((c.first(HOST) for c in candidates if c.folder == "."), None)
    for call in top.calls if top else ():
        if call.name == "project" and call.file == LISTING:
            version = call.after("VERSION")
            if re.fullmatch(r"[0-9][0-9A-Za-z.+-]*", version):
                return [Line("version", version, f"project() in {call.where}")]
    return []


def _dsp_toolchain(root: Path, sdk: str) -> tuple[str, Unknown | None]:
    """The `dsp-toolchain` of a tree with evidence `sdk`: "sdk" if an SDK is installed, "llvm" if
    there is none."""
    if not sdk:
        return "auto", None
    target = Target("ubuntu-aarch64", (EMULATED_ARCH,), dsp_toolchain="sdk")
    try:
        dsp_sdk(Project(root, Header("init"), {}, {}, {}), target)
    except BuildtoolError as error:
        is_named = isinstance(error, NamedToolMissingError)
        if isinstance(error, ToolMissingError) and not is_named:
            return "llvm", None
        what = f"{sdk}: it uses the Hexagon SDK, but {error.message}"
        return "auto", Unknown(what, f"{error.remedy} Then run buildtool init again.")
    return "sdk", None


def _qf_code(candidates: Iterable[Candidate], hints: TextHints) -> str:
    """Where the sources for the DSP first calculate with qf values; "" if they do not."""
    results = (candidate.first(side) for candidate in candidates for side in (SKEL, DSP))
    sources = (
        str(path.relative_to(hints.tree.root))
        for result in results
        for target in (result.linked if isinstance(result, Configured) else ())
        for path in target.sources
        if path.is_relative_to(hints.tree.root)
    )
    return hints.search_sources(QF_EVIDENCE, sources)


def _targets(
    skels: list[Table], sdk: str, dsp_toolchain: str, qf: str
) -> tuple[list[Table], list[Unknown]]:
    lists = [table.get("archs", HEXAGON_ARCHS) for table in skels]
    archs = tuple(arch for arch in HEXAGON_ARCHS if all(arch in archs for archs in lists))
    unknown = []
    if skels and not archs:
        unknown.append(
            Unknown("the skels have no common arch", "Correct 'archs' of the skels and targets.")
        )
    base = [Line("platform", "ubuntu-aarch64")]
    if dsp_toolchain == "llvm":
        why = f"it uses the Hexagon SDK ({sdk}), for which buildtool has open replacements"
        base.append(Line("dsp-toolchain", "llvm", why))
    elif sdk:
        why = f"it uses the Hexagon SDK: {sdk}"
        base.append(Line("dsp-toolchain", "sdk", why, sure=dsp_toolchain == "sdk"))
    if not any(table.get("archs", ()) for table in skels):
        # For the SDK's variables, a target without skels has an arch too.
        archs = (EMULATED_ARCH,) if skels or dsp_toolchain == "sdk" else ()
    why = "build fewer in less time" if len(archs) > 1 else ""
    one = [Line("archs", archs, why)] if archs else []
    if qf and dsp_toolchain != "sdk" and archs and arch_number(archs[-1]) >= QF_BITS_SINCE:
        why = (
            f"it calculates with qf values ({qf}), which open LLVM may keep on the stack, where v79"
            " and newer keep 32 of their 36 bits. With this line that is a warning"
        )
        one.append(Line("allow", ("qf-values",), why))
    tables = [Table("target.sim", "the emulated device", (*base, *one))]
    return tables, unknown


def _check(proposal: Proposal, root: Path, configurator: Configurator) -> None:
    """Check the proposal: read it as a project file, and plan its targets."""
    project = parse_project(root / FILE_NAME, toml_text(proposal))
    for name, target in project.targets.items():
        skels = {arch: configurator.profile(arch) for arch in target.archs}
        plan_target(project, name, find_cmake(), configurator.profile(""), skels)


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
