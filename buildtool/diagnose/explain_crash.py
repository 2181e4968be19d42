"""A crash on the DSP as text: what happened, in which function and line, and in which buffer."""

from __future__ import annotations

from pathlib import Path

from buildtool.core.escape import escape
from buildtool.diagnose.crash_report import (
    MARK_OF_LONG_CALLS,
    CrashReport,
    Region,
    StackFrame,
    read_crash_reports,
)
from buildtool.diagnose.debug_files import CodePlace, DebugFiles
from buildtool.diagnose.method_names import MethodNames, method_names
from buildtool.project.model import Project

MESSAGE = "__clang_trap_msg$"
CHECK = "__ubsan_check_"
"""How clang names a check of a sanitizer, and its message, as if they were inlined functions.
Source: clang, CGDebugInfo.cpp, CreateTrapFailureMessageFor."""
REBUILD = "the skel has no debug information for lines: compile it with -g, and link it without -s"
STACK_OF_METHOD = (
    "remote_session_control(FASTRPC_THREAD_PARAMS) sets the size for methods; the default is"
    " 16,384 bytes"
)
STACK_OF_THREAD = "the thread's attributes set the size, such as qurt_thread_attr_set_stack_size"


def explain_crashes(project: Project, debug: Path, reports: Path) -> tuple[str, ...]:
    """A text of some lines for each report in the file `reports`; `debug` is the directory with the
    debug information of the release."""
    files = DebugFiles(debug)
    return tuple(_explain(project, files, report) for report in read_crash_reports(reports))


def explain_long_calls(project: Project, debug: Path, reports: Path) -> tuple[str, ...]:
    """The same for each call in this file that takes long: where it executes."""
    files = DebugFiles(debug)
    found = read_crash_reports(reports, MARK_OF_LONG_CALLS)
    return tuple(_explain_long_call(project, files, report) for report in found)


def _explain_long_call(project: Project, files: DebugFiles, report: CrashReport) -> str:
    method = method_names(project, report.skel, report.method)
    number = f"method {report.method} of {report.skel}"
    stack = _stack(files, report)
    lines = [f"{method.name}, {number}, {report.phrase}" if method else f"{number} {report.phrase}"]
    lines += [f"  {'at' if i == 0 else 'by'} {text}" for i, (text, _) in enumerate(stack)]
    if stack and not any(known for _, known in stack):
        lines.append(f"  {REBUILD}")
    return escape("\n".join(lines))


def _explain(project: Project, files: DebugFiles, report: CrashReport) -> str:
    undefined = report.pc and undefined_behaviour(files.places(report.pc, call=False))
    phrase = f"undefined behaviour: {undefined}" if undefined else report.phrase or report.kind
    lines = [f"the DSP process crashed: {phrase or 'unknown reason'}"]
    if report.region:
        names = method_names(project, report.skel, report.region.method)
        lines.append(f"  {describe_region(report.region, names)}")
    if report.kind == "stack":
        lines.append(f"  {STACK_OF_METHOD if report.skel else STACK_OF_THREAD}")
    stack = _stack(files, report)
    lines += [f"  {'at' if i == 0 else 'by'} {text}" for i, (text, _) in enumerate(stack)]
    if report.skel:
        method = method_names(project, report.skel, report.method)
        number = f"method {report.method} of {report.skel}"
        lines.append(f"  in {method.name}, {number}" if method else f"  in {number}")
    elif report.kind != "process":
        lines.append("  in a thread that a skel created")
    if stack and not any(known for _, known in stack):
        lines.append(f"  {REBUILD}")
    return escape("\n".join(lines))


def describe_region(region: Region, names: MethodNames | None) -> str:
    """Which buffer an address belongs to, and by how much it misses it."""
    size = f"{region.size:,} bytes"
    if region.kind in ("in", "out"):
        what = f"buffer {region.number}"
        if names and region.number < len(names.buffers):
            source = names.buffers[region.number]
            what = {
                "primIn": "the record of the scalar inputs",
                "primROut": "the record of the scalar results",
            }.get(source, f"parameter {source!r}")
        method = names.name if names else f"method {region.method}"
        direction = "in" if region.kind == "in" else "rout"
        what = f"{what} of {method} ({direction}, {size})"
        if region.gone:
            what += ", whose call has returned"
    else:
        kinds = {"heap": "heap block", "shared": "buffer of the client", "stack": "stack"}
        what = f"a{' freed' if region.gone else ''} {kinds.get(region.kind, 'region')} of {size}"
    if region.distance == 0:
        return f"byte {region.inside:,} of {what}"
    bytes_away = abs(region.distance)
    where = "past the end of" if region.distance > 0 else "before the start of"
    return f"{bytes_away:,} byte{'' if bytes_away == 1 else 's'} {where} {what}"


def undefined_behaviour(places: tuple[CodePlace, ...]) -> str:
    """The error that a sanitizer's check, which is inlined in a place, found; "" for other code."""
    names = [place.function for place in places if place.function.startswith((MESSAGE, CHECK))]
    if f"{CHECK}type_mismatch" in names:
        # Checks for null pointers are off.
        return "a misaligned pointer, or an access past the end of a variable"
    return names[0].rpartition("$")[2].removeprefix(CHECK) if names else ""


def _stack(files: DebugFiles, report: CrashReport) -> list[tuple[str, bool]]:
    """The functions from the innermost on, each as text and whether its line is known."""
    found: list[tuple[str, bool]] = []
    functions: set[str] = set()
    if report.pc:
        places = files.places(report.pc, call=False)
        functions = {place.function for place in places}
        found += _texts(report.pc, places)
    # The link register is the caller's address in a function that calls nothing.
    if report.lr and report.lr != (report.frames or (None,))[0]:
        places = files.places(report.lr, call=True)
        if places and places[-1].function not in functions:
            found += _texts(report.lr, places)
    for frame in report.frames:
        found += _texts(frame, files.places(frame, call=True))
    return found


def _texts(frame: StackFrame, places: tuple[CodePlace, ...]) -> list[tuple[str, bool]]:
    if not places:
        return [(f"{frame.module}+0x{frame.offset:x}", False)]
    return [
        (f"{place.function} ({place.file}:{place.line})", True)
        if place.line
        else (f"{place.function} ({frame.module}+0x{frame.offset:x})", False)
        for place in places
        if not place.function.startswith((MESSAGE, CHECK))
    ]
