"""Options that several commands share, and the JSON document that a command prints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from buildtool.cli.show import show_json
from buildtool.core.errors import UsageError
from buildtool.engine.jobserver import MAX_JOBS

SCHEMA = 1
"""The schema number of all documents; it changes when a key is removed or changes its meaning
(docs/json.md)."""

TargetName = Annotated[
    str,
    typer.Argument(metavar="[TARGET]", help="Target of buildtool.toml; default: the project's."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]

BUILD, DEVICE = "Build options", "Device options"
"""Headings of help pages."""

# The options of commands that build.


def _jobs(text: str) -> Any:
    return typer.Option(
        *("--jobs", "-j"), metavar="N", min=0, max=MAX_JOBS, help=text, rich_help_panel=BUILD
    )


Jobs = Annotated[int, _jobs("Commands at once, of all steps together; default: Ninja's.")]
JobsAndTests = Annotated[
    int, _jobs("Commands of the build, and CTest tests on sim, at once; default: by processors.")
]
KeepGoing = Annotated[
    bool,
    typer.Option(
        "--keep-going",
        "-k",
        help="After a failure, build what does not depend on it.",
        rich_help_panel=BUILD,
    ),
]
Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="Print all output of the tools.", rich_help_panel=BUILD),
]
BuildType = Annotated[
    str,
    typer.Option(
        "--build-type",
        metavar="TYPE",
        help="CMake build type instead of the target's: Debug, Release, ...",
        rich_help_panel=BUILD,
    ),
]
StrictIsa = Annotated[
    bool,
    typer.Option(
        "--strict-isa",
        help="Refuse instructions of skels that open LLVM's assembler does not know.",
        rich_help_panel=BUILD,
    ),
]
CompilerLauncher = Annotated[
    str,
    typer.Option(
        "--launcher",
        metavar="LAUNCHER",
        help="Compiler launcher for both sides: ccache, sccache, ... or none.",
        rich_help_panel=BUILD,
    ),
]
# The options of commands that bring releases onto devices.
DeviceTarget = Annotated[
    str,
    typer.Option(
        "--target", metavar="TARGET", help="Target; default: the device's.", rich_help_panel=DEVICE
    ),
]
Soc = Annotated[
    str,
    typer.Option(
        "--soc",
        metavar="SOC",
        help="SoC that the emulated device imitates.",
        rich_help_panel=DEVICE,
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Continue although the release does not seem to fit.",
        rich_help_panel=DEVICE,
    ),
]
Strict = Annotated[
    str,
    typer.Option(
        "--strict",
        metavar="[=front]",
        help="Stop skels on sim at the first wrong access to memory: past the end, or before"
        " the start.",
        rich_help_panel=DEVICE,
    ),
]
Sanitize = Annotated[
    bool,
    typer.Option(
        "--sanitize",
        help="Stop skels on sim at undefined behaviour in C and C++.",
        rich_help_panel=DEVICE,
    ),
]
Wait = Annotated[
    str,
    typer.Option(
        "--wait",
        metavar="[=TIME]",
        help="Wait for a device that is in use, for at most TIME.",
        rich_help_panel=DEVICE,
    ),
]
Share = Annotated[
    bool,
    typer.Option(
        "--share", help="Use the device although another command uses it.", rich_help_panel=DEVICE
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="LIST",
        help="Use several devices in parallel instead of DEVICE: names, all:TAG, tag:TAG (the first"
        " that is free) and sim:SOC, with commas between them.",
        rich_help_panel=DEVICE,
    ),
]
NoCache = Annotated[
    bool,
    typer.Option(
        "--no-cache", help="Build without the caches of earlier builds.", rich_help_panel=BUILD
    ),
]


def wait_seconds(text: str) -> float:
    """The value of --wait in seconds, without a limit for "forever"; raises `UsageError`."""
    from buildtool.project.runs import DURATION_FORM, seconds

    if text in ("", "forever"):
        return math.inf if text else 0
    try:
        return seconds(text)
    except ValueError as error:
        raise UsageError(f"--wait: {error}", remedy=DURATION_FORM) from error


def without_on(arguments: Sequence[str], *others: str) -> list[str]:
    """The arguments of a command without `--on LIST` and `others`, which also have a value."""
    rest = []
    words = iter(arguments)
    for word in words:
        if word in ("--on", *others):
            next(words, None)
        elif word.partition("=")[0] not in ("--on", *others):
            rest.append(word)
    return rest


def not_with_on(option: str) -> UsageError:
    """The error for an option that is for one device."""
    return UsageError(
        f"--on cannot be used with {option}",
        why="--on names the devices" if option == "DEVICE" else f"{option} is for one device",
        remedy=f"Omit {option}, or name one device instead of --on.",
    )


def print_json(document: Mapping[str, Any]) -> None:
    """Print the JSON document of a command, with the number of its schema."""
    show_json({"schema": SCHEMA, **document})


def here() -> Path:
    """The current directory."""
    return Path.cwd()
