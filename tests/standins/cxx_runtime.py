"""The exports of the stand-in's libc++.so.1 and libc++abi.so.1: names that C++ skels import.

Most of the functions do nothing.  operator new and delete work; they use the shell's allocator.
"""

from __future__ import annotations

from collections.abc import Sequence

from .zig import FILES

# The settings of zig's libc++ headers with which the whole library is declared.
LIBCXX_SETTINGS = (
    "ABI_VERSION=1",
    "ABI_NAMESPACE=__1",
    "HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE",
    "HARDENING_MODE_DEFAULT=_LIBCPP_HARDENING_MODE_NONE",
    "ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE",
    "HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0",
    "HAS_MUSL_LIBC=1",
    "HAS_THREADS=1",
    "HAS_THREAD_API_PTHREAD=1",
    "HAS_MONOTONIC_CLOCK=1",
    "HAS_TERMINAL=0",
    "HAS_FILESYSTEM=0",
    "HAS_RANDOM_DEVICE=0",
    "HAS_LOCALIZATION=1",
    "HAS_UNICODE=1",
    "HAS_WIDE_CHARACTERS=1",
    "HAS_TIME_ZONE_DATABASE=0",
)

CXXABI = tuple((FILES / "libc++abi.exports").read_text().split())
CXX = tuple((FILES / "libc++.exports").read_text().split())
ALLOCATION = """\
void *__wrap_malloc(unsigned);
void __wrap_free(void *);
void *_Znwj(unsigned n) { return __wrap_malloc(n ? n : 1); }
void *_Znaj(unsigned n) { return _Znwj(n); }
void _ZdlPv(void *p) { __wrap_free(p); }
void _ZdlPvj(void *p, unsigned n) { __wrap_free(p); }
void _ZdaPv(void *p) { __wrap_free(p); }
void _ZdaPvj(void *p, unsigned n) { __wrap_free(p); }
"""


def exporting(names: Sequence[str]) -> str:
    """C source of a library that exports `names`; the ABI's also has operator new and delete."""
    lines = [ALLOCATION if names is CXXABI else ""]
    for name in names:
        data = name.startswith(("_ZTI", "_ZTV"))
        lines.append(f"void *{name}[8];" if data else f"void {name}(void) {{ __builtin_trap(); }}")
    return "\n".join(lines)
