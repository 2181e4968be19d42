"""Reads `buildtool.toml` into a `Project`; errors have file, line, key and a suggestion."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from buildtool.core.errors import UsageError
from buildtool.core.safe_path import check_path
from buildtool.project.benches import Bench, Check, Compare, Metric
from buildtool.project.budgets import BUDGET_NAME, Budget
from buildtool.project.components import LOADER, RUNNER, Dsp, Host, Skel
from buildtool.project.model import (
    BUILT_IN_TARGET,
    SECTIONS,
    STATE,
    Data,
    ExpectedFailure,
    Header,
    Project,
    Run,
    Target,
    Test,
    Tool,
)
from buildtool.project.tables import TableReader, TomlError, parse_tables, read_toml
from buildtool.project.validate import violations

FILE_NAME = "buildtool.toml"


class NoProjectError(UsageError):
    """No project file was found."""

    code = "no-project"


class ProjectError(TomlError):
    """The project file is invalid."""

    code = "project"


def find_project(start: Path) -> Project:
    """The project of the directory `start`: its `buildtool.toml` or that of a parent directory.

    Raises `NoProjectError` if there is none, `ProjectError` if it is invalid.
    """
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return read_project(folder / FILE_NAME)
    raise NoProjectError(
        f"no {FILE_NAME} found",
        why=f"searched {start} and its parent directories",
        remedy="Change to a project's directory, or create one: buildtool init --template hvx",
    )


def find_optional_project(start: Path) -> Project | None:
    """The project of the directory `start`; None if there is none."""
    try:
        return find_project(start)
    except NoProjectError:
        return None


def read_project(file: Path) -> Project:
    """Read and validate a project file.

    Raises `ProjectError` if it is invalid, `UnsafePathError` for a directory whose name a tool
    would misread.
    """
    root = file.absolute().parent
    check_path(root, "the project")
    check_path(root / STATE, "the project's build trees")
    text = read_toml(file, ProjectError)
    cached = file.parent / STATE / "state" / "project.json"
    return _project(file, text, parse_tables(file, text, cached, ProjectError))


def parse_project(file: Path, text: str) -> Project:
    """The project that `file` would be with this text; raises the errors of `read_project`."""
    check_path(file.absolute().parent, "the project")
    import tomllib  # noqa: PLC0415 - only `init` needs it

    return _project(file, text, tomllib.loads(text))


def _project(file: Path, text: str, tables: Mapping[str, Any]) -> Project:
    reader = TableReader(file, text, ProjectError)
    _check_version(reader, tables)
    reader.known(tables, ["project", *SECTIONS], ())
    if "project" not in tables:
        raise reader.error((), "has no [project] table", 'Add: [project]\nname = "my-project"')
    header = reader.record(Header, tables["project"], ("project",))
    reader.name(header.name, ("project", "name"))
    hosts = reader.section(Host, "host", tables)
    skels = reader.section(Skel, "skel", tables)
    programs = reader.section(Dsp, "dsp", tables)
    for name in sorted(skels.keys() & programs.keys()):
        message = f"{name!r} is the name of a skel and of programs for the DSP"
        raise reader.error(("dsp", name), message, "Rename one: names of components are unique.")
    skels |= programs
    targets = reader.section(Target, "target", tables)
    if BUILT_IN_TARGET not in targets:
        archs = ("v68",) if any("v68" in skel.archs for skel in skels.values()) else ()
        targets[BUILT_IN_TARGET] = Target(platform="ubuntu-aarch64", archs=archs)
    tools = reader.section(Tool, "tool", tables)
    runs = reader.section(Run, "run", tables)
    data = reader.section(Data, "data", tables)
    tests = reader.section(Test, "test", tables)
    expected = reader.section(ExpectedFailure, "expected-failure", tables)
    measured = (
        reader.section(Bench, "bench", tables),
        reader.section(Metric, "metric", tables),
        reader.section(Check, "check", tables),
        reader.section(Compare, "compare", tables),
        reader.section(Budget, "budget", tables, names=BUDGET_NAME),
    )
    root = file.absolute().parent
    project = Project(
        *(root, header, hosts, skels, targets, tools, runs, data, tests, expected), *measured
    )
    for key, message, remedy in violations(project):
        raise reader.error(key, message, remedy)
    return _with_loader(project) if programs else project


def _with_loader(project: Project) -> Project:
    """The project with the components of this program that programs for the DSP need."""
    from buildtool import _data  # noqa: PLC0415 - few projects have such programs

    dsp = str(_data.path("dsp") / "program")
    loader = Skel(dsp, idl=f"{dsp}/dsp_program.idl")
    runner = Host(str(_data.path("host") / "dsp-program"))
    skels = {
        name: skel._replace(needs=(*skel.needs, LOADER)) if isinstance(skel, Dsp) else skel
        for name, skel in project.skels.items()
    }
    return project._replace(
        hosts={**project.hosts, RUNNER: runner}, skels={LOADER: loader, **skels}
    )


def _check_version(reader: TableReader, tables: Mapping[str, Any]) -> None:
    """Check `required-version` before anything else: other keys may be those of newer versions."""
    header = tables.get("project")
    wanted = header.get("required-version", "") if isinstance(header, dict) else ""
    if not wanted or not isinstance(wanted, str):
        return
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - few have it

    from buildtool import __version__  # noqa: PLC0415 - as above

    at = ("project", "required-version")
    try:
        fits = SpecifierSet(wanted).contains(__version__, prereleases=True)
    except InvalidSpecifier as error:
        remedy = 'Write it as for pip: required-version = ">=0.2, <1"'
        raise reader.error(at, f"{wanted!r} is not a range of versions", remedy) from error
    if not fits:
        raise reader.error(
            at,
            f"the project needs buildtool {wanted}, and this is {__version__}",
            "Install such a version of hexagon-buildtool, or change the key.",
        )
