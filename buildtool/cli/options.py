"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from buildtool.cli.show import show_json
from buildtool.engine.jobserver import MOST_JOBS

SCHEMA = 1
"""The schema of all documents, see docs/json.md: another number when a key goes or changes."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]

# Those of what builds.
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", min=0, max=MOST_JOBS, help="Commands at once, of all steps together."
    ),
]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", "-k", help="After a failure build what does not need it.")
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print all that the tools print.")]
BuildType = Annotated[
    str, typer.Option(help="CMake's build type, in place of the target's: Debug, Release, ...")
]
Launcher = Annotated[
    str, typer.Option(help="Compiler launcher of both sides: ccache, sccache, ... or none.")
]


def print_json(document: Mapping[str, Any]) -> None:
    """Print the one JSON document of a command, with the number of its schema."""
    show_json({"schema": SCHEMA, **document})


def here() -> Path:
    """The directory that the command was started in."""
    return Path.cwd()
