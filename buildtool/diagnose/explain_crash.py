"""A crash on the emulated device as text: what happened, where in the code, and in which buffer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from buildtool.core.elf.debug_file import INTRINSICS, CodePlace
from buildtool.core.escape import escape
from buildtool.core.value import Value
from buildtool.diagnose.crash_report import (
    MARK_OF_LONG_CALLS,
    MARK_OF_QF,
    CrashReport,
    Region,
    StackFrame,
    read_crash_reports,
)
from buildtool.diagnose.method_names import MethodNames, method_names
from buildtool.diagnose.module_files import DebugFiles, Places
from buildtool.project.model import Project

MESSAGE = "__clang_trap_msg$"
CHECK = "__ubsan_check_"
"""How clang names a check of a sanitizer, and its message, as if they were inlined functions.
Source: clang, CGDebugInfo.cpp, CreateTrapFailureMessageFor."""
REBUILD = "{} has no debug information for lines: compile it with -g, and link it without -s"
STACK_OF_METHOD = (
    "remote_session_control(FASTRPC_THREAD_PARAMS) sets the size for methods; the default is"
    " 16,384 bytes"
)
STACK_OF_THREAD = "the thread's attributes set the size, such as qurt_thread_attr_set_stack_size"


def explain_crashes(project: Project, debug: Path, reports: Path) -> tuple[str, ...]:
    """A text of some lines for each report in the file `reports`; `debug` is the directory with the
    debug information of the release.  Those of qf numbers are the first."""
    files = DebugFiles(debug)
    lost = (_explain_qf(files, report) for report in read_crash_reports(reports, MARK_OF_QF))
    crashes = (_explain(project, files, report) for report in read_crash_reports(reports))
    return (*dict.fromkeys(lost), *crashes)


def explain_long_calls(project: Project, debug: Path, reports: Path) -> tuple[str, ...]:
    """A text of some lines for each call in the file `reports` that takes long: where it is."""
    files = DebugFiles(debug)
    found = read_crash_reports(reports, MARK_OF_LONG_CALLS)
    return tuple(_explain_long_call(project, files, report) for report in found)


def _explain_long_call(project: Project, files: DebugFiles, report: CrashReport) -> str:
    method = method_names(project, report.skel, report.method)
    number = f"method {report.method} of {report.skel}"
    path = call_path(files, report)
    lines = [f"{method.name}, {number}, {report.phrase}" if method else f"{number} {report.phrase}"]
    lines += path_text(path)
    if _no_lines(path):
        lines.append(f"  {REBUILD.format('the skel')}")
    return escape("\n".join(lines))


def _explain_qf(files: Places, report: CrashReport) -> str:
    lines = [report.phrase]
    for what, frame in (("at", report.pc), ("written at", report.lr), ("copied at", report.entry)):
        if frame:
            found = _lines(frame, files.places(frame, call=False))
            line = next(
                (each for each in found if each.place and each.place.file != INTRINSICS), found[-1]
            )
            lines.append(f"  {what} {line.text}")
    return escape("\n".join(lines))


def _explain(project: Project, files: DebugFiles, report: CrashReport) -> str:
    undefined = report.pc and undefined_behaviour(files.places(report.pc, call=False))
    phrase = f"undefined behaviour: {undefined}" if undefined else report.phrase or report.kind
    on_dsp = report.kind != "program"
    crashed = "the DSP process crashed:" if on_dsp else "the program crashed on the ARM64 side:"
    lines = [f"{crashed} {phrase or 'unknown reason'}"]
    if report.region:
        names = method_names(project, report.skel, report.region.method)
        lines.append(f"  {describe_region(report.region, names)}")
        if caller := report.region.allocated:
            allocated = _lines(caller, files.places(caller, call=True))
            lines.append(f"  allocated by {allocated[0].text}")
    if report.kind == "stack":
        lines.append(f"  {STACK_OF_METHOD if report.skel else STACK_OF_THREAD}")
    path = call_path(files, report)
    lines += path_text(path)
    if report.skel:
        method = method_names(project, report.skel, report.method)
        number = f"method {report.method} of {report.skel}"
        if method and report.entry and (place := files.function(report.entry, method.name)):
            lines.append(f"  at {CodeLine(report.entry, place).text}, or in what it has called")
        lines.append(f"  in {method.name}, {number}" if method else f"  in {number}")
    elif on_dsp and report.kind != "process":
        lines.append("  in a thread that a skel created")
    if _no_lines(path):
        lines.append(f"  {REBUILD.format('the skel' if on_dsp else 'the program')}")
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
        kinds = {
            "heap": "heap block",
            "shared": "buffer of the client",
            "stack": "stack",
            "rpcmem": "rpcmem buffer",
        }
        article = "a freed" if region.gone else "an" if region.kind == "rpcmem" else "a"
        what = f"{article} {kinds.get(region.kind, 'region')} of {size}"
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


class CodeLine(Value):
    """A function of a call path; `place` is None if only its module is known."""

    frame: StackFrame
    place: CodePlace | None

    @property
    def text(self) -> str:
        """The function and where it is, as far as that is known."""
        frame, place = self.frame, self.place
        where = frame.module if frame.offset is None else f"{frame.module}+0x{frame.offset:x}"
        if place:
            return f"{place.function} ({f'{place.file}:{place.line}' if place.line else where})"
        return f"{frame.symbol} ({where})" if frame.symbol else where


def call_path(files: Places, report: CrashReport) -> list[CodeLine]:
    """The functions from the innermost on."""
    found: list[CodeLine] = []
    functions: set[str] = set()
    if report.pc:
        places = files.places(report.pc, call=False)
        functions = {place.function for place in places} or {_function(report.pc)}
        found += _lines(report.pc, places)
    # The link register is the caller's address in a function that calls nothing.
    if report.lr and report.lr != (report.frames or (None,))[0]:
        places = files.places(report.lr, call=True)
        function = places[-1].function if places else _function(report.lr)
        if function and function not in functions:
            found += _lines(report.lr, places)
    for frame in report.frames:
        found += _lines(frame, files.places(frame, call=True))
    return found


def path_text(path: Sequence[CodeLine]) -> list[str]:
    """The lines of a text for a call path."""
    return [f"  {'by' if i else 'at'} {line.text}" for i, line in enumerate(path)]


def _function(frame: StackFrame) -> str:
    """The function that the device names."""
    return frame.symbol.partition("+")[0]


def _lines(frame: StackFrame, places: tuple[CodePlace, ...]) -> list[CodeLine]:
    if not places:
        return [CodeLine(frame, None)]
    return [
        CodeLine(frame, place)
        for place in places
        if not place.function.startswith((MESSAGE, CHECK))
    ]


def _no_lines(path: Sequence[CodeLine]) -> bool:
    return bool(path) and not any(line.place and line.place.line for line in path)
