"""A crash that a device has logged as text: the cause, the call path by the debug files of the
release, the method that was called, and the registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.escape import escape
from buildtool.core.value import Value
from buildtool.diagnose.crash_lines import CrashBlock
from buildtool.diagnose.crash_report import CrashReport, StackFrame
from buildtool.diagnose.explain_crash import CodeLine, call_path, path_text
from buildtool.diagnose.method_names import called_method, method_names
from buildtool.diagnose.module_files import MISSING, NAME, OTHER, ModuleFile, ModuleFiles
from buildtool.project.model import Project

if TYPE_CHECKING:
    from buildtool.diagnose.line_patterns import HostCall
    from buildtool.documents.explanations import CrashObject

EXCEPTIONS = {
    0x11: "execution of code in a page that is not executable",
    0x12: "execution of code in a page without permission",
    0x15: "an invalid packet of instructions",
    0x16: "an HVX instruction without the use of HVX",
    0x18: "an HMX instruction without the use of HMX",
    0x1A: "a privileged instruction",
    0x1B: "a privileged instruction",
    0x1D: "a packet that writes a register twice",
    0x1E: "a jump to a misaligned address",
    0x20: "misaligned read",
    0x21: "misaligned write",
    0x22: "read without permission",
    0x23: "write without permission",
    0x24: "read without permission",
    0x25: "write without permission",
    0x26: "HVX access to memory that it cannot use",
    0x27: "the limit of the stack is exceeded",
    0x60: "execution of code at an address that is not mapped",
    0x61: "execution of code at an address that is not mapped",
    0x70: "read of an address that is not mapped",
    0x71: "write to an address that is not mapped",
}
"""What the cause in the low byte of the register SSR means.  Source: QEMU, target/hexagon/
cpu_bits.h, enum hex_cause."""
UNKNOWN = "unknown reason"
WITH_ADDRESS = (range(0x20, 0x27), range(0x70, 0x72))
NULL_REACH = 0x10000
"""An access this near to 0 is one through a null pointer, as in emulator/shell/fault.c."""


class DeviceCrash(Value):
    """A crash that a device has logged, with what is known of its code.

    `skel` and `method` are those of the call in which it happened; `method_name` is that of its
    function, "" if it is not known.
    """

    block: CrashBlock
    cause: str
    path: tuple[CodeLine, ...]
    modules: tuple[ModuleFile, ...]
    skel: str
    method: int | None
    method_name: str
    host_call: HostCall | None

    def as_json(self) -> CrashObject:
        """The crash as an object of the document of `explain`."""
        block = self.block
        return {
            "log": block.log,
            "first_line": block.first,
            "last_line": block.last,
            "process": block.process,
            "thread": block.thread,
            "reason": block.reason,
            "cause": self.cause,
            "module": block.module.name if block.module else "",
            "load_address": f"0x{block.module.address:x}" if block.module else "",
            "registers": {name: f"0x{value:x}" for name, value in block.registers.items()},
            "call_path": [
                {
                    "module": line.frame.module,
                    "offset": "" if line.frame.offset is None else f"0x{line.frame.offset:x}",
                    "symbol": line.frame.symbol,
                    "function": line.place.function if line.place else "",
                    "file": line.place.file if line.place else "",
                    "line": line.place.line if line.place else 0,
                }
                for line in self.path
            ],
            "debug_files": [
                {"module": m.module, "match": m.match, "file": str(m.path or "")}
                for m in self.modules
            ],
            "skel": self.skel,
            "method": self.method,
            "method_name": self.method_name,
            "host_call": {
                "log": self.host_call.log,
                "line": self.host_call.line,
                "text": self.host_call.text,
            }
            if self.host_call
            else None,
        }


def explain_block(
    block: CrashBlock,
    host_call: HostCall | None,
    directories: Sequence[Path],
    project: Project | None,
) -> DeviceCrash:
    """Look up the code of a crash in the debug files below `directories`, and its method in the IDL
    of `project`."""
    files = ModuleFiles(block, directories)
    path = tuple(call_path(files, _report(block, files)))
    skel, method = block.skel, block.method
    if method is None:
        skel, method = _called(path, host_call, project)
    names = method_names(project, skel, method) if project and method is not None else None
    return DeviceCrash(
        block=block,
        cause=_cause(block),
        path=path,
        modules=tuple(files.modules.values()),
        skel=skel,
        method=method,
        method_name=names.name if names else "",
        host_call=host_call,
    )


def _report(block: CrashBlock, files: ModuleFiles) -> CrashReport:
    """The crash in the form of those of the emulated device."""
    calls = [*block.calls]
    pc, lr = block.registers.get("Fault PC"), block.registers.get("LR")

    def frame(address: int | None) -> StackFrame | None:
        """Takes the next call of the trace if it has the address of a register."""
        if address is not None and calls and calls[0].address == address:
            call = calls.pop(0)
            symbol = f"{call.symbol}+0x{call.offset:x}" if call.symbol else ""
            return StackFrame(call.module, files.offset(call.module, address), "", symbol)
        if address is None or block.module is None:
            return None
        offset = files.offset(block.module.name, address)
        return None if offset is None else StackFrame(block.module.name, offset, "")

    at, link = frame(pc), frame(lr)
    frames = [frame(call.address) for call in tuple(calls)]
    return CrashReport(
        kind="device",
        phrase=_cause(block),
        skel="",
        method=0,
        region=None,
        pc=at,
        lr=link,
        frames=tuple(filter(None, frames)),
    )


def _cause(block: CrashBlock) -> str:
    """What happened, from the registers if they say more than the text."""
    code = block.registers.get("SSR", block.registers.get("Error code", 0) >> 8) & 0xFF
    address = block.registers.get("Bad VA")
    text = EXCEPTIONS.get(code, "")
    if text and address is not None and any(code in codes for codes in WITH_ADDRESS):
        text += f" at address 0x{address:x}" if code < 0x70 else f": 0x{address:x}"
        text += ", through a null pointer" if address < NULL_REACH else ""
    return text or block.reason or UNKNOWN


def _called(
    path: Sequence[CodeLine], host_call: HostCall | None, project: Project | None
) -> tuple[str, int | None]:
    """The skel and the number of the method that the call path or the caller names."""
    for module in dict.fromkeys(line.frame.module for line in path) if project else ():
        functions = [line.place.function for line in path if line.place]
        if project and (method := called_method(project, module, functions)) is not None:
            return module, method
    if host_call and host_call.method is not None:
        return host_call.skel, host_call.method
    return "", None


def crash_text(crash: DeviceCrash) -> str:
    """Some lines about a crash."""
    block = crash.block
    known = block.reason not in ("", UNKNOWN, crash.cause)
    reason = f" ({block.reason})" if known else ""
    lines = [f"the DSP process crashed: {crash.cause}{reason}"]
    thread = f'thread "{block.thread}"' if block.thread else ""
    if who := ", ".join(filter(None, (block.process and f"process {block.process}", thread))):
        lines.append(f"  {who}")
    lines += path_text(crash.path)
    if crash.method is not None:
        number = f"method {crash.method} of {crash.skel}"
        lines.append(
            f"  in {crash.method_name}, {number}" if crash.method_name else f"  in {number}"
        )
    if crash.host_call:
        call = crash.host_call
        lines.append(f"  the caller got 0x{call.code:x}: {call.log}:{call.line}")
    registers = ", ".join(f"{name} 0x{value:x}" for name, value in block.registers.items())
    if registers and not (block.module and block.module.address == 0):
        lines.append(f"  {registers}")
    lines += _about_files(crash)
    return escape("\n".join(lines))


def _about_files(crash: DeviceCrash) -> Iterator[str]:
    """What to know of the debug files that were used, and of those that are missing."""
    for module in crash.modules:
        name = module.module
        if module.match == MISSING:
            if name == crash.modules[0].module:
                yield (
                    f"  no debug file of {name} was found: name the directory with {name}.debug, or"
                    f" with {name} before it was stripped: --debug-files DIR"
                )
        elif module.match == OTHER:
            yield (
                f"  {module.path} is of another build: its functions are not where this crash has"
                " them; name the directory with that of the build that crashed: --debug-files DIR"
            )
        else:
            sure = "" if module.match != NAME else ", of which only the name matches"
            also = f"; {len(module.others)} more would do" if module.others else ""
            yield f"  debug file: {module.path}{sure}{also}"
