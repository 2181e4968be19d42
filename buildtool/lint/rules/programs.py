"""Rules about programs of the ARM64 side."""

from __future__ import annotations

import re
from collections.abc import Iterator

from buildtool.lint.c_functions import NOTHING, Call, Function, assigned, bare, literal
from buildtool.lint.finding import LintFinding, rule
from buildtool.lint.subject import Subject
from buildtool.toolchains.cdsprpc import known_exports

MAX_CALLS = 200
"""Calls before the request that are read."""
_OTHER_DOMAINS = ("ADSP", "MDSP", "SDSP", "GDSP", "adsp", "mdsp", "sdsp", "gdsp", "CDSP1")


@rule(
    "unsigned-after-open",
    source=("qualcomm/fastrpc inc/remote.h",),
    remedy="Call remote_session_control before anything is opened.",
    condition="unsigned-requested-late",
)
def unsigned_after_open(subject: Subject) -> Iterator[LintFinding]:
    """An unsigned process is requested before the first open on a DSP.

    The first open creates the process. A later request changes nothing for it: the process stays a
    signed one, which refuses a skel without a signature with 0x80000406 or 0x80000481.
    """
    opens = {"remote_handle_open", "remote_handle64_open"}
    for interface in subject.interfaces:
        with_open = (each for each in interface.unit.interfaces if each.multi_domain)
        opens.update(f"{each.c_name}_open" for each in with_open)
    for function, call in subject.calls("remote_session_control"):
        request = function.text(call.arguments[0]) if call.arguments else []
        if "DSPRPC_CONTROL_UNSIGNED_MODULE" not in request:
            continue
        for opened in reversed(function.calls_before(call.at, MAX_CALLS)):
            if "close" in opened.name:
                break  # the process may have ended, and the next open creates another one
            if _opens(function, opened, opens) and function.precedes(opened.at, call.at):
                yield unsigned_after_open.at(
                    function.code.place(call.at),
                    f"an unsigned process is requested after {opened.name}",
                    "that call has created the process on the DSP, which stays a signed one",
                    f"Call remote_session_control before {opened.name}.",
                )
                break


def _opens(function: Function, call: Call, opens: set[str]) -> bool:
    """Whether it opens a skel on a DSP that can be the one of the request."""
    uri = function.text(call.arguments[0]) if call.arguments else []
    if any(other in text for text in uri for other in _OTHER_DOMAINS):
        return False
    return call.name in opens or (
        call.name.endswith("_open") and any(text.endswith("_URI") for text in uri)
    )


@rule(
    "static-map",
    source=("qualcomm/fastrpc inc/remote.h", "emulator/shell/runtime/hap_mem.c"),
    remedy="Map it with FASTRPC_MAP_FD.",
    condition="map-without-fd",
)
def static_map(subject: Subject) -> Iterator[LintFinding]:
    """A buffer that the DSP looks up with HAP_mmap_get is mapped with FASTRPC_MAP_FD.

    FASTRPC_MAP_STATIC (0) maps it for arguments of calls only: HAP_mmap_get of its descriptor fails
    with 0x80000600.
    """
    # With other maps in the project, the one that the DSP looks up may be one of those.
    if "HAP_mmap_get" not in subject.words or any(
        word.startswith("FASTRPC_MAP_FD") for word in subject.words
    ):
        return
    for function, call in subject.calls("fastrpc_mmap"):
        if len(call.arguments) == 6:
            flags = list(bare(function.text(call.arguments[5])))
            if flags in (["FASTRPC_MAP_STATIC"], ["0"]):
                yield static_map.at(
                    function.code.place(call.at),
                    "fastrpc_mmap maps with FASTRPC_MAP_STATIC",
                    "HAP_mmap_get on the DSP does not find the buffer: 0x80000600",
                )


_UNMAPS = {
    "fastrpc_mmap": ("fastrpc_munmap",),
    "remote_mmap": ("remote_munmap",),
    "remote_mmap64": ("remote_munmap64",),
    "remote_mem_map": ("remote_mem_unmap",),
    "HAP_mmap": ("HAP_munmap", "HAP_munmap2"),
    "HAP_mmap2": ("HAP_munmap2", "HAP_munmap"),
    "HAP_mmap_get": ("HAP_mmap_put",),
}


@rule(
    "map-without-unmap",
    source=("qualcomm/fastrpc inc/remote.h", "ggml-org/llama.cpp docs/backend/snapdragon"),
    remedy="Unmap each buffer before it is freed.",
    condition="map-limit",
)
def map_without_unmap(subject: Subject) -> Iterator[LintFinding]:
    """Each kind of map in a project has its unmap.

    Mappings that stay take entries of the DSP's TLB and its address space, about 3.5 GB for a
    session. After some thousand calls it stops with TLBMISS RW, or maps fail.
    """
    missing = {
        name: unmaps[0] for name, unmaps in _UNMAPS.items() if subject.words.isdisjoint(unmaps)
    }
    for function, call in subject.calls(*missing):
        yield map_without_unmap.at(
            function.code.place(call.at),
            f"{call.name} has no {missing[call.name]}",
            f"no source of the project calls {missing[call.name]}, so mappings pile up",
        )


_LOOKUP = r"\b(dlsym|dl_get_sym|GetProcAddress)\b"
_LEAVING = r"\b(return|goto|throw|exit|abort)\b"
MAX_CONTROLS = 64
"""Conditions after the call that are read."""


@rule(
    "required-dlsym",
    source=("cmake/cdsprpc_exports.txt", "https://github.com/ggml-org/llama.cpp/issues/16911"),
    remedy="Use another function if it is missing, such as rpcmem_alloc for rpcmem_alloc2.",
    condition="session-uri-missing",
)
def required_dlsym(subject: Subject) -> Iterator[LintFinding]:
    """A program does without functions that libcdsprpc lacks on older devices.

    rpcmem_alloc2, remote_handle64_invoke_async, remote_system_request and others are newer. A
    program that ends because dlsym does not find one of them does not run on devices where the rest
    would work.
    """
    exports = known_exports()
    for function, call in subject.calls(*_requiring_macros(subject)):
        for argument in call.arguments:
            words = function.text(argument)
            name = words[0].strip('"') if len(words) == 1 else ""
            if exports.get(name) is False:
                yield _finding(function, call, name)
    for function, call in subject.calls("dlsym"):
        symbol = literal(function.text(call.arguments[1])) if len(call.arguments) == 2 else None
        if symbol and exports.get(symbol) is False:
            target = assigned(function, call.at)
            if target and _is_required(function, call, target):
                yield _finding(function, call, symbol)


def _finding(function: Function, call: Call, name: str) -> LintFinding:
    place = function.code.place(call.at)
    return required_dlsym.at(
        place, f"{name} is required", "libcdsprpc of older devices does not have it"
    )


def _requiring_macros(subject: Subject) -> list[str]:
    """The macros that look up a function and leave if it is missing, whatever else holds."""
    return [
        name
        for code in subject.code
        for name, text in code.macros.items()
        if re.search(_LOOKUP, text) and re.search(_LEAVING, text) and "&&" not in text
    ]


def _is_required(function: Function, call: Call, target: list[str]) -> bool:
    """Whether the function ends if `target` is NULL, in any part of a condition joined by ||."""
    texts = function.code.texts
    for control in function.controls_after(call.end, MAX_CONTROLS):
        first, last = control.condition
        condition = texts[first:last]
        if control.keyword == "if" and "&&" not in condition and function.leaves(control.body):
            if first <= call.at:  # if (!(f = dlsym(…)))
                end = call.end + 1
                negated, compared = "!" in texts[first : call.at], _is_null(texts[end:last])
                if negated or compared:
                    return True
            elif _tests_for_null(condition, target):
                return True
    return False


def _tests_for_null(condition: list[str], target: list[str]) -> bool:
    size = len(target)
    for at in range(len(condition) - size + 1):
        if condition[at : at + size] != target:
            continue
        before, after = condition[max(at - 2, 0) : at], condition[at + size : at + size + 4]
        if before[-1:] == ["!"] or (before[-1:] == ["=="] and before[0] in NOTHING):
            return True
        if before[-1:] not in (["."], ["->"]) and _is_null(after):
            return True
    return False


def _is_null(after: list[str]) -> bool:
    """Whether an expression is compared with NULL by the tokens after it."""
    rest = [text for text in after[:4] if text != ")"]
    return rest[:1] == ["=="] and rest[1:2] != [] and rest[1] in NOTHING
