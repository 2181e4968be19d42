"""Crashes as devices log them, in both known forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

SHELL = "fastrpc_shell_unsigned_3"
OLD, NEW = "old", "new"
TIME = "11-04 16:53:41.367"
PREFIXES = {
    OLD: "adsprpc:dsp: CDSP:platform_qdi_driver.c:792:0x191:1: ",
    NEW: f"{TIME}  2780  2902 V adsprpc : b8033d:b86: CDSP0:[R]: ",
}
REASONS = {OLD: "for unknown reason", NEW: "due to TLBMISS RW occurrence"}
DOMAINS = {OLD: "cDSP", NEW: "cDSP0"}


def crash_lines(
    form: str,
    module: str,
    load: int,
    registers: Mapping[str, int],
    calls: Sequence[tuple[int, str, str]],
) -> list[str]:
    """The lines of a crash in `module`; `calls` are addresses, what the device calls them, and
    their modules."""
    return [PREFIXES[form] + text for text in _texts(form, module, load, registers, calls)]


def _texts(
    form: str,
    module: str,
    load: int,
    registers: Mapping[str, int],
    calls: Sequence[tuple[int, str, str]],
) -> Iterator[str]:
    yield f"{'#' * 31} Process on {DOMAINS[form]} CRASHED!!!!!!! {'#' * 40}"
    yield f"{'-' * 21} Crash Details are furnished below {'-' * 36}"
    yield f'Process "/frpc/f05afd00 my-program-with" crashed in thread "worker" {REASONS[form]}'
    yield f'Crashed Shared Object "./{module}" load address : 0x{load:X} '
    yield f"{SHELL} load address : 100000  and size : 163EBC "
    for name, value in registers.items():
        yield f"{name:<10} :    0x{value:X} "
    yield "Call trace : "
    for address, symbol, where in calls:
        yield f"[<{address:08X}>] {symbol}:     ({where}) "
