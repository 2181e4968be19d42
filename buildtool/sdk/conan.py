"""Conan 2: the Python package beside this one."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from buildtool.sdk.python_package import python_package
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
"""The oldest that this is tested with; its recipes and lockfiles are used as that one does."""
INSTALL = f"Install it beside buildtool: python -m pip install 'conan>={OLDEST},<3'"


class Conan(FoundTool, kw_only=True):
    """A found Conan; `where` is the directory of the package."""

    @property
    def command(self) -> tuple[str, ...]:
        """What starts it: as a module, for its program may be another Python's."""
        return (sys.executable, "-P", "-m", "conans.conan")


def find_conan() -> Conan:
    """The Conan that is installed beside buildtool.

    Raises `ToolMissingError` when there is none, `ToolUnfitError` for an older one.
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
