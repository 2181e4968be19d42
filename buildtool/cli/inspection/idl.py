"""`buildtool idl FILE...`: compile FastRPC interfaces to C or Python."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json, check_excluded
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.show import error_text, print_json, show, write

if TYPE_CHECKING:
    from buildtool.documents.toolchains import IdlDocument


def idl(
    files: Annotated[list[Path], Argument("FILE...", "IDL files.")],
    *,
    include: Annotated[
        list[Path] | None,
        Option("-I", "Search DIR for included files.", "DIR"),
    ] = None,
    define: Annotated[
        list[str] | None,
        Option("-D", "Define a macro.", "NAME[=VALUE]"),
    ] = None,
    out: Annotated[
        Path,
        Option("-o --output", "Output directory; default: the current directory.", "DIR"),
    ] = Path(),
    depfile: Annotated[
        Path | None,
        Option("--depfile", "Write the input files to FILE, for Make and Ninja.", "FILE"),
    ] = None,
    with_includes: Annotated[
        bool, Option("--with-includes", "Also write headers of included IDL files.")
    ] = False,
    list_only: Annotated[
        bool, Option("--list", "Print the names of the output files; write nothing.")
    ] = False,
    qaic: Annotated[
        Path | None,
        Option("--qaic", "Generate with this qaic, of a Hexagon SDK.", "FILE"),
    ] = None,
    system_include: Annotated[
        list[Path] | None,
        Option("--system-include", "With --qaic: directory of the SDK's IDL files.", "DIR"),
    ] = None,
    python: Annotated[
        bool, Option("--python", "Write Python modules that call stubs, instead of C.")
    ] = False,
    standard_types: Annotated[
        bool,
        Option(
            "--standard-types -st",
            "Write int64_t and bool, as qaic -st does, instead of int64 and boolean.",
        ),
    ] = False,
    trace: Annotated[
        bool,
        Option("--trace", "Let skels record their methods for `buildtool run --trace`."),
    ] = False,
    check_qaic: Annotated[
        bool, Option("--check-qaic", "Warn of what Qualcomm's qaic does not accept.")
    ] = False,
    json: Json = False,
) -> None:
    """Compile FastRPC interfaces (IDL) to C, or to Python modules."""
    from buildtool.idl.compile import Qaic, compile_idl, output_names
    from buildtool.idl.errors import IdlError
    from buildtool.idl.parse import load
    from buildtool.idl.qaic_limits import qaic_warnings

    if trace:
        check_excluded(
            *("--trace", {"--qaic or --python": qaic or python}),
            why="only C that buildtool generates records methods",
            remedy="Omit --trace.",
        )
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
                trace=trace,
            )
        if check_qaic:
            warnings += qaic_warnings(load(*arguments))
        # Python modules share a package.
        outputs += [str(path) for path in written if str(path) not in outputs]
    for warning in warnings:
        show(f"warning: {error_text(warning).removeprefix('error: ')}", file=sys.stderr)
    if json:
        document: IdlDocument = {
            "outputs": outputs,
            "warnings": [each.as_json() for each in warnings],
        }
        print_json(document)
    elif list_only:
        write("".join(f"{output}\n" for output in outputs))
