"""Conan 2, from its Python package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from buildtool.sdk.program import python_package
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    FoundTool,
    Problem,
    require_usable,
    satisfies,
    search,
    tool_identity,
)

OLDEST = "2.34"
"""The oldest version that is tested; recipes and lockfiles follow its conventions."""
INSTALL = f"Install it beside buildtool: python -m pip install 'conan>={OLDEST},<3'"


class Conan(FoundTool, kw_only=True):
    """A found Conan; `where` is the directory of the package."""

    @property
    def command(self) -> tuple[str, ...]:
        """The command: Conan is run as a module, because its program may use another Python."""
        return (sys.executable, "-P", "-m", "conans.conan")


def find_conan() -> Conan:
    """Find the Conan that is installed beside buildtool.

    Raises `ToolMissingError` if there is none, `ToolUnfitError` if it is too old.
    """
    spec = importlib.util.find_spec("conan")
    found = search(
        "Conan",
        requirement=NO_REQUIREMENT,
        variables=(),
        default_paths=[Path(place) for place in (spec.submodule_search_locations or ())]
        if spec
        else [],
        probe=_probe,
        install_remedy=INSTALL,
    )
    return require_usable("Conan", found)


def _probe(package: Path) -> Conan | None:
    installed = python_package("conan")
    if not installed or not (package / "__init__.py").is_file():
        return None
    version = installed.version
    problems: tuple[Problem, ...] = ()
    if not satisfies(version, f">={OLDEST}"):
        problems = (Problem(f"version {version} is older than {OLDEST}", INSTALL),)
    return Conan(
        where=package,
        version=version,
        identity=tool_identity("conan", version, {}),
        problems=problems,
    )
