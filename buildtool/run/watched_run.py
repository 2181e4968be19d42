"""Options of a run on the emulated device for its DSP process: strict memory, debugger, reports of
crashes and of calls that take long.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.lock import held_temporary_directory, locked
from buildtool.core.value import Value
from buildtool.run.method_counts import (
    FailedCall,
    MethodCounts,
    read_failed_calls,
    read_method_counts,
)

if TYPE_CHECKING:
    from buildtool.deploy.ready import Ready
    from buildtool.project.model import Project
    from buildtool.run.attended import ProgramRun
    from buildtool.run.profile.profile import Profile
    from buildtool.run.program import RunRequest

CRASHED = "the DSP process crashed"
"""How the text of each crash begins."""
ENDED_BY_QEMU = "most likely an instruction that qemu does not emulate"
"""The text of libcdsprpc about a process that QEMU has ended.  Source: emulator/cdsprpc/watch.c."""
# Not compiled: most runs do not crash.
_CRASH = rf"(?m)^(?:\S+: )?((?:{CRASHED}|the program crashed on the ARM64 side): .*)((?:\n  .*)*)"
_BUFFER = r"[\d,]+ bytes? (?:past|before) |byte [\d,]+ of "
_LINE = r"\([^()]+:\d+\)"
PLACES = 3
"""Functions that say where a crash was."""
PREFIX = "buildtool-run-"
STRICT = "BUILDTOOL_SIM_STRICT"
"""The variable for the memory of skels: back, front, or "" (`DeviceChoice.strict`)."""
SOCKET_BYTES = 107
"""Of the path of a socket, without its terminator.  Source: unix(7), sun_path."""
POLL_SECONDS = 0.5
END_SECONDS = 2
"""How long DSP processes may report calls after the program has ended."""


class WatchedRun(Value):
    """The files in which the DSP's processes report crashes, and counts of methods; the path of the
    socket at which one waits for a debugger, "" for none; and the variables that say so to the
    device's libcdsprpc."""

    crashes: Path
    counts: Path
    socket: str
    variables: Mapping[str, str]


class DspReport:
    """What is known of the DSP processes of a program after it has ended: how one crashed, in a
    line, "" if none did, and all about crashes; the counts of methods; their calls that failed; and
    the profile, if there is to be one."""

    crash = crash_text = ""
    methods: tuple[MethodCounts, ...] = ()
    failed: tuple[FailedCall, ...] = ()
    profile: Profile | None = None


@contextlib.contextmanager
def watched_dsp(run: ProgramRun) -> Iterator[tuple[RunRequest, DspReport]]:
    """Watch the DSP process of the program that runs in the block: strictly or for a debugger, as
    `run.choice` says.

    Yields the request for the program, and a report, which is complete after the block; the
    listener gets the explanation of crashes.
    """
    project, ready, choice, listener = run.project, run.ready, run.choice, run.listener
    report = DspReport()
    with contextlib.ExitStack() as stack:
        watched = stack.enter_context(watched_run(choice.strict, debug=choice.debug))
        request = run.request._replace(env={**watched.variables, **run.request.env})
        profiled = None
        if choice.profile:
            from buildtool.run.profile.profiled_run import profiled_run  # noqa: PLC0415 - seldom

            profiled = stack.enter_context(profiled_run(ready))
            request = request._replace(env={**profiled.variables, **request.env})
        try:
            if watched.socket:
                from buildtool.run.debug_run import debugger  # noqa: PLC0415 - seldom

                terminal = not request.terminal and run.streams is None  # which LLDB may have
                place = ready.release, watched.socket
                with debugger(project, *place, listener, terminal=terminal) as reads_terminal:
                    yield request._replace(input=request.input and not reads_terminal), report
            else:
                with named_long_calls(project, ready.release.debug, watched.crashes, listener):
                    yield request, report
        finally:  # also when it took too long
            crashes = explain_crashes(project, ready, watched.crashes)
            report.crash, report.crash_text = first_line(crashes), "\n".join(crashes)
            report.methods = read_method_counts(watched.counts)
            report.failed = read_failed_calls(watched.counts)
            report.profile = profiled.profile() if profiled else None
            for text in crashes:
                listener(Note(text))


def explain_crashes(project: Project, ready: Ready, reports: Path) -> tuple[str, ...]:
    """A text of some lines for each crash that is reported in the file `reports`, which may be
    missing, and one for packets of the release's skels at which QEMU may have ended."""
    if not reports.is_file() or not reports.stat().st_size:
        return ()
    from buildtool.diagnose import explain_crash  # noqa: PLC0415 - only after a crash

    debug = ready.release.debug
    crashes = explain_crash.explain_crashes(project, debug, reports)
    if not crashes and not explain_crash.explain_long_calls(project, debug, reports):
        return (f"{CRASHED}: its report is damaged",)
    if any(ENDED_BY_QEMU in text for text in crashes):
        with contextlib.suppress(Exception):  # pyelftools raises anything
            return (*crashes, _undecoded(ready))
    return crashes


def explain_reports(project: Project, ready: Ready, reports: Path) -> tuple[str, ...]:
    """The texts of `explain_crashes` and `explain_long_calls` for a program that has ended."""
    if not reports.is_file():
        return ()
    wait_for_reports(reports)
    crashes = explain_crashes(project, ready, reports)
    if not reports.stat().st_size:
        return crashes
    return (*crashes, *explain_long_calls(project, ready.release.debug, reports))


def _undecoded(ready: Ready) -> str:
    from buildtool.device.emulated.device import configuration  # noqa: PLC0415 - only after a crash
    from buildtool.run.profile.recording import undecoded_packets  # noqa: PLC0415

    return undecoded_packets(ready, configuration(Path(ready.site.device.root)))


def first_line(texts: tuple[str, ...]) -> str:
    """How the first crash in these texts happened, "" without any."""
    crashes = (text for text in texts if text.startswith(CRASHED))
    return next(crashes, "").partition("\n")[0]


def crash_place(text: str) -> Mapping[str, str]:
    """Where the first crash in a text was, which may have other lines: "what" happened, the
    "buffer" that was missed, and "at" which function: the innermost one, and those that have called
    it up to one whose line is known.  What is not known is left out."""
    found = re.search(_CRASH, text)
    if not found:
        return {}
    lines = [line.strip() for line in found[2].splitlines()]
    path = [line for line in lines if line.startswith(("at ", "by "))][:PLACES]
    known = next((at for at, line in enumerate(path) if re.search(_LINE, line)), 0)
    parts = {
        "what": found[1],
        "buffer": next((line for line in lines if re.match(_BUFFER, line)), ""),
        "at": "\n".join(path[: known + 1]).removeprefix("at "),
    }
    return {word: part for word, part in parts.items() if part}


@contextlib.contextmanager
def watched_run(strict: str, *, debug: bool) -> Iterator[WatchedRun]:
    """Prepare a run, whose files are removed at its end; raises `UsageError`."""
    # The path of a socket is limited, so it is not below the project.
    with held_temporary_directory(PREFIX) as folder:
        crashes, counts = folder / "crashes", folder / "counts"
        for file in (crashes, counts):
            file.touch(mode=0o600)
        socket = f"{folder}/dsp" if debug else ""
        if len(os.fsencode(socket)) > SOCKET_BYTES:
            raise UsageError(
                f"--debug needs a shorter temporary directory than {folder.parent}",
                why=f"the path of a socket has at most {SOCKET_BYTES} bytes",
                remedy="Set TMPDIR to a short path: TMPDIR=/tmp",
            )
        variables = {
            "BUILDTOOL_SIM_CRASHES": str(crashes),
            "BUILDTOOL_SIM_COUNTS": str(counts),
            STRICT: strict,
            "BUILDTOOL_SIM_DEBUG": socket,
        }
        given = {name: text for name, text in variables.items() if text}
        yield WatchedRun(crashes, counts, socket, given)


def wait_for_reports(reports: Path) -> None:
    """Wait until no DSP process can add to the file `reports`: each keeps a lock on it, and reports
    the calls that were running when its program ended."""
    with contextlib.suppress(TimeoutError), locked(reports, timeout=END_SECONDS):
        pass


def explain_long_calls(project: Project, debug: Path, reports: Path) -> tuple[str, ...]:
    """A text for each call that is reported in the file `reports` because it takes long; `debug`
    has the debug information of the release."""
    from buildtool.diagnose import explain_crash  # noqa: PLC0415 - only after such a report

    return explain_crash.explain_long_calls(project, debug, reports)


@contextlib.contextmanager
def named_long_calls(
    project: Project, debug: Path, reports: Path, listener: Listener
) -> Iterator[None]:
    """During the block, pass on the explanations of the calls that DSP processes report in the file
    `reports`."""
    ended = threading.Event()
    explained = 0

    def note() -> None:
        nonlocal explained
        for text in explain_long_calls(project, debug, reports)[explained:]:
            explained += 1
            listener(Note(text))

    def follow() -> None:
        size = 0
        while not ended.wait(POLL_SECONDS):
            if reports.stat().st_size != size:
                size = reports.stat().st_size
                note()

    follower = threading.Thread(target=follow, daemon=True)
    follower.start()
    try:
        yield
    finally:
        ended.set()
        follower.join()
        wait_for_reports(reports)
        if reports.stat().st_size:
            note()
