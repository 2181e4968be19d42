"""`buildtool run [DEVICE] [RUN] [-- PROGRAM [ARGUMENT...]]`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from buildtool.cli.options import (
    DEVICE,
    BuildType,
    CompilerLauncher,
    DeviceTarget,
    Force,
    Jobs,
    Json,
    KeepGoing,
    On,
    Sanitize,
    Share,
    Soc,
    Strict,
    StrictIsa,
    Verbose,
    Wait,
    not_with_on,
    wait_seconds,
    without_on,
)
from buildtool.cli.typer_classes import ARGUMENTS, StrictCommand
from buildtool.project.model import BUILT_IN_TARGET


class RunCommand(StrictCommand):
    """Keeps the arguments after `--` apart: all of them are the program's."""

    without_value = StrictCommand.without_value | {"--bundle": "--bundle=default"}
    examples = (
        ("buildtool run", "The only program of the target, on sim."),
        ("buildtool run q6a -- bin/demo -n 3", "A program of the release with arguments."),
        ("buildtool run q6a probe --timeout 2m", "[run.probe] of buildtool.toml."),
        ("buildtool run sim --soc SM8550", "On the emulated device, as another chip."),
        ("buildtool run phone --farf --pull log", "With the DSP's messages; fetch a file."),
    )

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" in args:
            cut = args.index("--")
            ctx.obj = args[cut + 1 :]
            args = args[:cut]
        return super().parse_args(ctx, args)


COMMAND_CLASS = RunCommand


def run(
    ctx: typer.Context,
    device: Annotated[
        str, typer.Argument(metavar="[DEVICE]", help="Device to run on; default: sim.")
    ] = "sim",
    name: Annotated[
        str, typer.Argument(metavar="[RUN]", help="Named run: [run.RUN] in buildtool.toml.")
    ] = "",
    *,
    env: Annotated[
        list[str] | None,
        typer.Option(
            "--env",
            "-e",
            metavar="NAME=VALUE",
            help="Set a variable for the program; may be repeated.",
        ),
    ] = None,
    cwd: Annotated[
        str,
        typer.Option(
            "--cwd", metavar="DIR", help="Working directory on the device; default: the release."
        ),
    ] = "",
    timeout: Annotated[
        str,
        typer.Option("--timeout", metavar="TIME", help="End the program after TIME: 90s, 2m, 1h."),
    ] = "",
    pull: Annotated[
        list[str] | None,
        typer.Option(
            "--pull",
            metavar="FILE",
            help="Fetch FILE at the end (as HERE: FILE:HERE); may be repeated.",
        ),
    ] = None,
    forward: Annotated[
        list[str] | None,
        typer.Option(
            "--forward",
            metavar="PORT",
            help="Make a TCP port of the device reachable here (as HERE: HERE:PORT); may be"
            " repeated.",
        ),
    ] = None,
    farf: Annotated[bool, typer.Option("--farf", help="Show and keep what the DSP logs.")] = False,
    dsp_may_crash: Annotated[
        bool,
        typer.Option("--dsp-may-crash", help="A crash of the DSP process is no failure."),
    ] = False,
    tty: Annotated[bool, typer.Option("--tty", "-t", help="Give the program a terminal.")] = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="First verify the release on the device.", rich_help_panel=DEVICE
        ),
    ] = False,
    strict: Strict = "",
    sanitize: Sanitize = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", help="Debug the DSP process of sim with LLDB.", rich_help_panel=DEVICE
        ),
    ] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", "-w", help="Run again whenever a source changes, until Ctrl-C."),
    ] = False,
    bundle: Annotated[
        str,
        typer.Option(
            "--bundle",
            metavar="[=FILE]",
            help="On failure, write an archive with output, logs and facts; =none: not even in CI.",
        ),
    ] = "",
    force: Force = False,
    target: DeviceTarget = "",
    soc: Soc = "",
    jobs: Jobs = 0,
    keep_going: KeepGoing = False,
    verbose: Verbose = False,
    build_type: BuildType = "",
    strict_isa: StrictIsa = False,
    launcher: CompilerLauncher = "",
    on: On = None,
    wait: Wait = "",
    share: Share = False,
    json: Json = False,
) -> None:
    """Build and push what changed, and run a program on a device.

    The exit status is the program's: 128+n after signal n. It is 125 if the program could not be
    run, and if it ended with 0 although the DSP process crashed.
    With --json the program's output goes to standard error. With --on it is 1 if the status on a
    device is not 0, and [RUN] comes first.

    PROGRAM is a path in the release, such as bin/demo; default: the target's only program.
    """
    from buildtool.cli.run_program import DEFAULT, NO_BUNDLE, run_program
    from buildtool.deploy.ready import DeviceChoice
    from buildtool.engine.context import Options

    choice = DeviceChoice(
        target=target,
        soc=soc,
        verify=verify,
        force=force,
        build_type=build_type,
        strict_isa=strict_isa,
        strict=strict,
        sanitize=sanitize,
        debug=debug,
        wait=wait_seconds(wait),
        share=share,
    )
    options = Options(jobs=jobs, keep_going=keep_going, compiler_launcher=launcher)
    if on is not None:
        from buildtool.cli.on_devices import check_run, on_devices

        excluded = {
            "DEVICE": name,
            "--pull": pull,
            "--tty": tty,
            "--debug": debug,
            "--watch": watch,
            "--forward": forward,
            "--bundle=FILE": bundle not in ("", DEFAULT, NO_BUNDLE),
        }
        for word in filter(excluded.get, excluded):
            raise not_with_on(word)
        if device != BUILT_IN_TARGET:
            check_run(device)
        arguments = ["run", *without_on(ctx.meta[ARGUMENTS]), "--", *(ctx.obj or ())]
        raise typer.Exit(
            on_devices(on, arguments, choice=choice, verbose=verbose, as_json=json, options=options)
        )
    status = run_program(
        device,
        name,
        command=ctx.obj or (),
        env=env or (),
        cwd=cwd,
        timeout=timeout,
        pull=pull or (),
        forward=forward or (),
        farf=farf,
        dsp_may_crash=dsp_may_crash,
        terminal=tty,
        choice=choice,
        bundle=bundle,
        verbose=verbose,
        as_json=json,
        options=options,
        watch=watch,
    )
    raise typer.Exit(status)
