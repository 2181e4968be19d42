"""`buildtool idl FILE...`: compile FastRPC interfaces to C or Python."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from buildtool.cli.errors import error_text
from buildtool.cli.options import Json, print_json
from buildtool.cli.show import show, write


def idl(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="IDL files.")],
    *,
    include: Annotated[
        list[Path] | None,
        typer.Option("-I", metavar="DIR", help="Search DIR for included files."),
    ] = None,
    define: Annotated[
        list[str] | None,
        typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro."),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Output directory; default: the current directory.",
        ),
    ] = Path(),
    depfile: Annotated[
        Path | None,
        typer.Option(
            "--depfile", metavar="FILE", help="Write the input files to FILE, for Make and Ninja."
        ),
    ] = None,
    with_includes: Annotated[
        bool, typer.Option("--with-includes", help="Also write headers of included IDL files.")
    ] = False,
    list_only: Annotated[
        bool, typer.Option("--list", help="Print the names of the output files; write nothing.")
    ] = False,
    qaic: Annotated[
        Path | None,
        typer.Option("--qaic", metavar="FILE", help="Generate with this qaic, of a Hexagon SDK."),
    ] = None,
    system_include: Annotated[
        list[Path] | None,
        typer.Option(
            "--system-include", metavar="DIR", help="With --qaic: directory of the SDK's IDL files."
        ),
    ] = None,
    python: Annotated[
        bool, typer.Option("--python", help="Write Python modules that call stubs, instead of C.")
    ] = False,
    standard_types: Annotated[
        bool,
        typer.Option(
            "--standard-types",
            "-st",
            help="Write int64_t and bool, as qaic -st does, instead of int64 and boolean.",
        ),
    ] = False,
    check_qaic: Annotated[
        bool, typer.Option("--check-qaic", help="Warn of what Qualcomm's qaic does not accept.")
    ] = False,
    json: Json = False,
) -> None:
    """Compile FastRPC interfaces (IDL) to C, or to Python modules."""
    from buildtool.idl.compile import compile_idl, output_names
    from buildtool.idl.errors import IdlError
    from buildtool.idl.parse import load
    from buildtool.idl.qaic import Qaic
    from buildtool.idl.qaic_limits import qaic_warnings

    by_qaic = Qaic(qaic.absolute(), tuple(system_include or ())) if qaic else None
    outputs: list[str] = []
    warnings: list[IdlError] = []
    for file in files:
        arguments = (file, include or (), define or ())
        if list_only:
            names = output_names(
                *arguments, with_includes=with_includes, qaic=by_qaic, python=python
            )
            written = tuple(out / name for name in names)
        else:
            written = compile_idl(
                *arguments,
                out,
                depfile=depfile,
                with_includes=with_includes,
                qaic=by_qaic,
                python=python,
                standard_types=standard_types,
            )
        if check_qaic:
            warnings += qaic_warnings(load(*arguments))
        # Python modules share a package.
        outputs += [str(path) for path in written if str(path) not in outputs]
    for warning in warnings:
        show(f"warning: {error_text(warning).removeprefix('error: ')}", file=sys.stderr)
    if json:
        print_json({"outputs": outputs, "warnings": [each.as_json() for each in warnings]})
    elif list_only:
        write("".join(f"{output}\n" for output in outputs))
