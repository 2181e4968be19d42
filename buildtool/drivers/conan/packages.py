"""The identity and licences of the packages that a component was built with.

Source: Conan's reference of `conan install --format=json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from buildtool.core.value import Value
from buildtool.drivers.conan.home import read_json, unexpected_output
from buildtool.plan.plan import CMakeStep

GRAPH = "graph.json"


class ConanPackage(Value):
    """A package of the device's side, of which code may be in a release.

    `revision` identifies its recipe and sources, `package_id` its settings and options; `licences`
    are as its recipe names them; `folder` is the directory of its files.  The revision of the
    binary is left out: it differs from one machine that built the package to another.
    """

    name: str
    version: str
    user: str
    channel: str
    revision: str
    package_id: str
    licences: tuple[str, ...]
    folder: Path

    @property
    def purl(self) -> str:
        """The package URL.  Source: the purl specification, type `conan`."""
        qualifiers = {"channel": self.channel, "rrev": self.revision, "user": self.user}
        text = "&".join(f"{name}={quote(v, safe='')}" for name, v in qualifiers.items() if v)
        name, version = quote(self.name, safe=""), quote(self.version, safe="")
        return f"pkg:conan/{name}@{version}{'?' if text else ''}{text}"


def step_packages(step: CMakeStep) -> tuple[ConanPackage, ...]:
    """The packages that are installed for a step; raises `ToolError` for an unexpected graph."""
    return read_packages(step.packages / GRAPH) if step.conan else ()


def read_packages(graph: Path) -> tuple[ConanPackage, ...]:
    """The packages in Conan's graph, by name; without those of the build machine and of tests.

    Raises `ToolError` if the graph is not as expected.
    """
    data = read_json(graph)
    try:
        _, *others = data["graph"]["nodes"].values()
        shipped = [
            _package(node)
            for node in others
            if node["context"] == "host" and node["package_folder"] and not node.get("test")
        ]
        return tuple(sorted(dict.fromkeys(shipped)))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unexpected_output(graph, repr(error)) from error


def _package(node: Mapping[str, Any]) -> ConanPackage:
    licence = node["license"] or ()
    return ConanPackage(
        name=str(node["name"]),
        version=str(node["version"]),
        user=node["user"] or "",
        channel=node["channel"] or "",
        revision=node["rrev"] or "",
        package_id=node["package_id"] or "",
        licences=(licence,) if isinstance(licence, str) else tuple(map(str, licence)),
        folder=Path(node["package_folder"]),
    )
