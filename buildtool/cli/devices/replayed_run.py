"""`buildtool run --replay`: the run of a capture or bundle again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from buildtool.cli.devices.program_options import ProgramOptions
from buildtool.cli.options import BuildOptions, check_excluded
from buildtool.cli.parameters import CommandLine
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json
from buildtool.core.errors import UsageError
from buildtool.deploy.ready import DeviceChoice
from buildtool.flow.replays import choice_of, project_of
from buildtool.run.bundle.replay import Replay, opened_replay
from buildtool.run.program import RunRequest

_NOT_BUILT = "the release is that of the bundle, and is not built"


def replayed_run(
    file: Path,
    device: str,
    program: ProgramOptions,
    choice: DeviceChoice,
    line: CommandLine,
    *,
    build: BuildOptions,
    farf: bool,
    tty: bool,
    json: bool,
) -> int:
    """Repeat the run of the bundle `file` on `device`; options are in addition to what it says.

    Returns the exit status.
    """
    from buildtool.cli.devices.program_options import run_for_command, show_end

    screen = Screen(quiet=True, verbose=build.verbose)
    with opened_replay(file.absolute()) as replay:
        if replay.release:
            built = {"--target": choice.target, "--build-type": choice.build_type}
            checked = {"--strict-isa": choice.strict_isa, "--sanitize": choice.sanitize}
            check_with_replay({**built, **checked})
        project = project_of(replay)
        run = replay.file.run
        request = program.request(run, line.program, farf=farf, terminal=tty)
        _check_masked(replay, request, given=bool(line.program))
        result = run_for_command(
            *(project, device, request, choice_of(replay, device, choice), screen),
            options=build.for_engine(),
            json=json,
            replay=replay,
        )
    if json:
        print_json({**result.as_json(), "bundle": None, "trace": None})
    return show_end(result, request, screen)


def check_with_replay(given: Mapping[str, object], why: str = _NOT_BUILT) -> None:
    """Raise `UsageError` for an option with a value, of those that say what a bundle says."""
    remedy = "Omit {other}. Another program of the release is named after --."
    check_excluded("--replay", given, why, remedy)


def _check_masked(replay: Replay, request: RunRequest, *, given: bool) -> None:
    """Raises `UsageError` for values that were replaced because they are secrets, unless they, or
    another program with its arguments, are `given`."""
    missing = [name for name in replay.file.masked_env if name not in request.env]
    if missing:
        raise UsageError(
            f"the values of {', '.join(missing)} are not in {replay.path}",
            why="they are secrets, which are replaced in captures and bundles",
            remedy=f"Give your own: {' '.join(f'--env {name}=VALUE' for name in missing)}",
        )
    if replay.file.masked_arguments and not given:
        words = ", ".join(str(number) for number in replay.file.masked_arguments)
        raise UsageError(
            f"arguments of the program in {replay.path} were secrets, which are replaced: {words}",
            why=f"the program is {' '.join(request.command)}",
            remedy="Name it with its arguments after --.",
        )
