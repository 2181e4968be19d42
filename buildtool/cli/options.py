"""Parameters that several commands share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from buildtool.cli.parameters import Argument, Option, OptionGroup
from buildtool.core.errors import UsageError
from buildtool.engine.jobserver import MAX_JOBS

if TYPE_CHECKING:
    from buildtool.core.events import Listener
    from buildtool.deploy.ready import DeviceChoice
    from buildtool.engine.options import Options
    from buildtool.project.model import Project

BUILD, DEVICE = "Build options", "Device options"
"""Headings of help pages."""

TargetName = Annotated[
    str, Argument("[TARGET]", "Target of buildtool.toml; default: the project's.")
]
Json = Annotated[bool, Option("--json", "Print one JSON document.")]
BuildType = Annotated[
    str,
    Option(
        "--build-type",
        "CMake build type instead of the target's: Debug, Release, ...",
        "TYPE",
        heading=BUILD,
    ),
]
StrictIsa = Annotated[
    bool,
    Option(
        "--strict-isa",
        "Refuse instructions of skels that open LLVM's assembler does not know.",
        heading=BUILD,
    ),
]
NoCache = Annotated[
    bool, Option("--no-cache", "Build without the caches of earlier builds.", heading=BUILD)
]
Soc = Annotated[
    str,
    Option(
        "--soc", "SoC that the emulated device imitates, or its DSP arch.", "SOC", heading=DEVICE
    ),
]
Wait = Annotated[
    str,
    Option(
        "--wait",
        "Wait for a device that is in use: for at most TIME (90s, 10m), or forever.",
        "TIME",
        heading=DEVICE,
    ),
]
Share = Annotated[
    bool,
    Option("--share", "Use the device although another command uses it.", heading=DEVICE),
]


ExpectDsp = Annotated[
    bool,
    Option(
        "--expect-dsp",
        "Count calls of the DSP; a program that does not use it has failed.",
        heading=DEVICE,
    ),
]

Domain = Annotated[
    str,
    Option(
        "--domain",
        "DSP that the program uses in place of the cdsp: cdsp1, gdsp0, adsp, ...",
        "DOMAIN",
        heading=DEVICE,
    ),
]
Signed = Annotated[
    bool,
    Option(
        "--signed",
        "Use a signed process of the DSP: requests for unsigned ones are left out.",
        heading=DEVICE,
    ),
]


class BuildOptions(OptionGroup):
    """The options of commands that build."""

    jobs: Annotated[
        int,
        Option(
            "--jobs -j",
            "Jobs at once, of the build and of CTest on sim; default: by processors.",
            "N",
            heading=BUILD,
            most=MAX_JOBS,
        ),
    ] = 0
    keep_going: Annotated[
        bool,
        Option(
            "--keep-going -k", "After a failure, build what does not depend on it.", heading=BUILD
        ),
    ] = False
    verbose: Annotated[
        bool,
        Option("--verbose -v", "Print all output of the tools and tests.", heading=BUILD),
    ] = False
    build_type: BuildType = ""
    strict_isa: StrictIsa = False
    launcher: Annotated[
        str,
        Option(
            "--launcher",
            "Compiler launcher for both sides: ccache, sccache, ... or none.",
            "LAUNCHER",
            heading=BUILD,
        ),
    ] = ""

    def for_engine(self, *, use_caches: bool = True) -> Options:
        from buildtool.engine.options import Options

        return Options(self.jobs, self.keep_going, self.launcher, use_caches=use_caches)


class OneDeviceOptions(OptionGroup):
    """The options of commands that bring a release onto a device."""

    force: Annotated[
        bool,
        Option("--force", "Continue although the release does not seem to fit.", heading=DEVICE),
    ] = False
    target: Annotated[
        str, Option("--target", "Target; default: the device's.", "TARGET", heading=DEVICE)
    ] = ""
    soc: Soc = ""
    wait: Wait = ""
    share: Share = False

    def choice(self, build: BuildOptions, **others: Any) -> DeviceChoice:
        """The options for a device.  `others` are fields that not all commands have."""
        from buildtool.deploy.ready import DeviceChoice

        return DeviceChoice(
            target=self.target,
            soc=self.soc,
            force=self.force,
            build_type=build.build_type,
            strict_isa=build.strict_isa,
            wait=wait_seconds(self.wait),
            share=self.share,
            **others,
        )


class DeviceOptions(OneDeviceOptions):
    """The options of commands that can use several devices."""

    on: Annotated[
        str | None,
        Option(
            "--on",
            "Use several devices in parallel instead of DEVICE: names, all:TAG, tag:TAG (the first"
            " that is free) and sim:SOC, with commas between them.",
            "LIST",
            heading=DEVICE,
        ),
    ] = None


class CheckOptions(OptionGroup):
    """The options of commands that check skels on the emulated device."""

    strict: Annotated[
        bool,
        Option(
            "--strict",
            "Stop skels on sim at the first access past the end of memory.",
            heading=DEVICE,
        ),
    ] = False
    strict_front: Annotated[
        bool,
        Option("--strict-front", "As --strict, for accesses before its start.", heading=DEVICE),
    ] = False
    sanitize: Annotated[
        bool,
        Option(
            "--sanitize", "Stop skels on sim at undefined behaviour in C and C++.", heading=DEVICE
        ),
    ] = False

    def for_choice(self) -> dict[str, Any]:
        """The fields of `DeviceChoice`; raises `UsageError`."""
        if self.strict:
            check_excluded(
                *("--strict", {"--strict-front": self.strict_front}),
                why="memory of any size either ends or begins at an unmapped page",
                remedy="Run twice, with one of them each.",
            )
        strict = "front" if self.strict_front else "back" if self.strict else ""
        return {"strict": strict, "sanitize": self.sanitize}


class TraceOptions(OptionGroup):
    """The options of commands that run programs, for a trace."""

    trace: Annotated[
        bool,
        Option(
            "--trace",
            "Write a trace for Perfetto: build, push, calls of the DSP, events of bt_trace.h.",
            heading=DEVICE,
        ),
    ] = False
    trace_file: Annotated[
        Path | None,
        Option("--trace-file", "Write it as FILE; implies --trace.", "FILE", heading=DEVICE),
    ] = None

    @property
    def wanted(self) -> bool:
        return self.trace or self.trace_file is not None

    @contextlib.contextmanager
    def traced(self, project: Project, listener: Listener) -> Iterator[Listener]:
        """For the block, a listener that also records, if a trace is wanted."""
        if not self.wanted:
            yield listener
            return
        from buildtool.run.trace.recorder import traced

        with traced(project, self.trace_file, listener) as recorder:
            yield recorder

    def file_of(self, listener: Listener) -> str | None:
        """The path of the trace for which `listener`, of `traced`, records; None for none."""
        if not self.wanted:
            return None
        from buildtool.run.trace.recorder import TraceRecorder

        return str(listener.file) if isinstance(listener, TraceRecorder) else None


def checked_domain(name: str) -> str:
    """The value of --domain; raises `UsageError`."""
    from buildtool.device.facts import DOMAINS
    from buildtool.project.tables import suggest

    if name and name not in DOMAINS:
        raise UsageError(
            f"--domain {name}: there is no such DSP",
            why=f"the names of FastRPC are {', '.join(DOMAINS)}",
            remedy=suggest(name, DOMAINS),
        )
    return name


def wait_seconds(text: str) -> float:
    """The value of --wait in seconds, without a limit for "forever"; raises `UsageError`."""
    from buildtool.project.runs import DURATION_FORM, seconds

    if text in ("", "forever"):
        return float("inf") if text else 0
    try:
        return seconds(text)
    except ValueError as error:
        raise UsageError(
            f"--wait: {error}", remedy=f"{DURATION_FORM} Without a limit: --wait forever"
        ) from error


def without_on(words: Sequence[str], *others: str) -> list[str]:
    """The words of a command line without `--on LIST` and `others`, which also have a value."""
    rest = []
    remaining = iter(words)
    for word in remaining:
        if word in ("--on", *others):
            next(remaining, None)
        elif word.partition("=")[0] not in ("--on", *others):
            rest.append(word)
    return rest


def check_excluded(
    option: str, others: Mapping[str, object], why: str = "", remedy: str = "Omit one of them."
) -> None:
    """Raise `UsageError` if one of the `others` has a value, too; texts may name it as {other}."""
    for other in filter(others.get, others):
        raise UsageError(
            f"{option} cannot be used with {other}",
            why=why.format(other=other),
            remedy=remedy.format(other=other),
        )


def check_with_on(given: Mapping[str, object]) -> None:
    """Raise `UsageError` for an option with a value, of those that are for one device."""
    for option in filter(given.get, given):
        raise not_with_on(option)


def not_with_on(option: str) -> UsageError:
    """The error for an option that is for one device."""
    return UsageError(
        f"--on cannot be used with {option}",
        why="--on names the devices" if option == "DEVICE" else f"{option} is for one device",
        remedy=f"Omit {option}, or name one device instead of --on.",
    )
