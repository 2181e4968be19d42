"""The release or the device exports every symbol that the ARM64 side needs.

Otherwise a program does not start, or a library is not loaded: undefined symbol. Weak references
may be missing, and interpreters export names to the modules that they load. Nothing is reported of
a file that needs a library with unknown exports, or that is a plugin of a program outside the
release.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.rules.shell_symbols import joined
from buildtool.contract.subject import Subject
from buildtool.core.elf.read import Elf
from buildtool.toolchains.cdsprpc import is_cdsprpc, is_fastrpc_function, known_exports
from buildtool.toolchains.system_libraries import UBUNTU, glibc_symbols

RULE = Rule("host-symbols", __doc__, code="symbol")
_BIONIC = frozenset(("libc.so", "libm.so", "libdl.so", "liblog.so"))
_UNLISTED = frozenset(("libstdc++.so.6", "libgcc_s.so.1"))
"""Libraries of every device of which no list of symbols is at hand."""
_INTERPRETERS = (
    "_?Py[A-Z_]|PyInit_|napi_|node_api_|uv_|_ZNK?2v8|_ZNK?4node|lua_|luaL_|rb_|Perl_|PL_|Rf_|R_|"
    "zend_|php_|JNI_"
)
"""The beginnings of names that Python, Node.js, Lua and so on export to their modules."""
_MODULES = ("PyInit_", "napi_register_module_", "luaopen_", "Init_", "Java_", "JNI_OnLoad")
"""The beginnings of names that such modules export."""
_LIBCXX = "_Z.*(St3__1|St6__ndk1)"


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.whole or not subject.platform:
        return
    report = RULE.error if subject.is_release else RULE.warning
    host = list(subject.host())
    libraries = {posixpath.basename(path): elf for path, elf in host}
    libraries |= {elf.soname: elf for _, elf in host if elf.soname}
    exported = frozenset(known_exports()).union(*(elf.exports for _, elf in host))
    programs = [elf for _, elf in host if elf.interpreter]
    # What a program loads finds the exports of the libraries that the program needs.
    searched = all(_is_known(elf, libraries) for elf in programs)
    loads = any("dlopen" in elf.imports for elf in programs)
    for path, elf in host:
        if not _is_known(elf, libraries) or not (searched or elf.interpreter):
            continue
        versioned = {
            name
            for need in elf.version_needs
            if need.library not in libraries
            for name in need.symbols
        }
        missing = sorted(
            name
            for name in elf.imports - exported - versioned - glibc_symbols()
            if not is_fastrpc_function(name)
            and (elf.interpreter or not re.match(_INTERPRETERS, name))
        )
        is_plugin = not elf.interpreter and not elf.soname
        is_plugin = is_plugin and not any(name.startswith(_MODULES) for name in elf.exports)
        if not missing or (is_plugin and not loads):
            continue
        yield (RULE.warning if is_plugin else report)(
            path,
            f"{posixpath.basename(path)} needs {joined(missing)}, which neither a file of the"
            " release nor a library of the device that it needs exports",
            why=("the program would not start" if elf.interpreter else "it would not be loaded")
            + f": undefined symbol: {missing[0]}",
            remedy=_remedy(missing, elf),
        )


def _is_known(elf: Elf, libraries: Mapping[str, Elf]) -> bool:
    """Whether it is known what each library exports that a file needs, or that these need.

    The libraries of GNU and of Android version all their symbols: what a file needs of them has a
    version, if it was linked with these.  Others, such as zlib, version newer symbols only.
    """
    waiting, seen = [elf], {elf.path}
    while waiting:
        each = waiting.pop()
        versioned = {need.library for need in (*elf.version_needs, *each.version_needs)}
        known = UBUNTU - (_UNLISTED - versioned)
        known |= _BIONIC if "libc.so" in versioned else frozenset()
        for name in each.needed:
            if library := libraries.get(name):
                if library.path not in seen:
                    seen.add(library.path)
                    waiting.append(library)
            elif name not in known and not is_cdsprpc(name):
                return False
    return True


def _remedy(missing: list[str], elf: Elf) -> str:
    if any(re.match(_LIBCXX, name) for name in missing) and "libc++_shared.so" in elf.needed:
        return (
            "Ship the libc++_shared.so that it was linked with: the one in the release is of"
            " another compiler or NDK."
        )
    return (
        "Compile the source that defines it, link the library that does, or declare it"
        " __attribute__((weak)) and test for it. The linker reports it with"
        " -Wl,--no-undefined in the target's link options."
    )
