"""What the ARM64 side loads: libraries and symbols that are found, and none that hides one of the
device; RUNPATHs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from buildtool.contract.finding import WARNING, Finding, rule
from buildtool.contract.rules.skels import joined
from buildtool.contract.subject import LIBRARIES, Subject, device_libraries, directory_in_release
from buildtool.core.elf.read import Elf
from buildtool.toolchains.cdsprpc import (
    is_cdsprpc,
    is_fastrpc_function,
    known_exports,
    missing_function_remedy,
)
from buildtool.toolchains.system_libraries import UBUNTU, glibc_symbols


@rule("needed-libraries", code="library", foreign=WARNING)
def needed_libraries(subject: Subject) -> Iterator[Finding]:
    """Every library that the ARM64 side needs is in the release, or on every device of the
    platform.

    Otherwise the program does not start. Loaders search lib/, and the directories of RUNPATH with
    $ORIGIN. On an unknown platform, and for files that are not a release, a missing library is a
    warning or is not reported.
    """
    device = device_libraries(subject)
    names = {posixpath.basename(place): place for place in sorted(subject.places)}
    searched = {LIBRARIES}
    for path, elf in subject.host():
        folder = posixpath.dirname(path)
        if not subject.is_release:
            searched.add(folder)
        searched |= {d for e in elf.runpath if (d := directory_in_release(e, folder))}
    for path, elf in subject.host() if subject.whole and subject.platform else ():
        program = posixpath.basename(path)
        for name in elf.needed:
            if "/" in name:
                yield needed_libraries.error(
                    path,
                    f"{program} needs {name} by its path, which a device does not have",
                    why="a library without a SONAME was linked by its path",
                    remedy="Give the library a SONAME (-Wl,-soname,NAME), or set"
                    " IMPORTED_NO_SONAME in CMake if it is an imported library.",
                )
            elif name not in device and not is_cdsprpc(name):
                places = {posixpath.normpath(f"{folder}/{name}") for folder in searched}
                if not places & subject.places:
                    found = names.get(name)
                    yield needed_libraries.error(
                        path,
                        f"{program} needs {name}, which is neither in the release nor on every"
                        " device",
                        why=f"loaders search {LIBRARIES}/ and the RUNPATHs; it is {found}"
                        if found
                        else f"no file of the release has that name, and {subject.platform} does"
                        " not have the library",
                        remedy=f"Ship it in {LIBRARIES}/, or link it statically. If the devices"
                        f' have it: system-libraries = ["{name}"] in the target.',
                    )


@rule("cdsprpc-soname", code="cdsprpc")
def cdsprpc_soname(subject: Subject) -> Iterator[Finding]:
    """The ARM64 side needs libcdsprpc by the name that it has on the platform.

    The name is libcdsprpc.so.1 on Linux and libcdsprpc.so on Android. The loader searches for
    exactly that name, and the program does not start with the other one.
    """
    cdsprpc = subject.cdsprpc
    for path, elf in subject.host() if cdsprpc else ():
        for needed in elf.needed:
            if cdsprpc and is_cdsprpc(needed) and needed != cdsprpc.soname:
                yield cdsprpc_soname.error(
                    path,
                    f"{posixpath.basename(path)} needs {needed}, but {cdsprpc.owner} has"
                    f" {cdsprpc.soname}",
                    why="it would not start: the loader searches for exactly that name",
                    remedy="Link Buildtool::cdsprpc, or -lcdsprpc without -L; a prebuilt library"
                    " must be built for this platform.",
                )


@rule("cdsprpc-functions", code="cdsprpc")
def cdsprpc_functions(subject: Subject) -> Iterator[Finding]:
    """The libcdsprpc of every device has the FastRPC functions that the ARM64 side needs.

    Older devices lack some, such as rpcmem_alloc2: the program does not start there. Weak
    references may be missing. With a pulled sysroot, the functions are those of that device.
    """
    cdsprpc = subject.cdsprpc
    if not cdsprpc:
        return
    host = list(subject.host())
    defined = frozenset[str]().union(*(elf.exports for _, elf in host))
    for path, elf in host:
        needed = elf.imports - defined - cdsprpc.exports
        missing = sorted(name for name in needed if is_fastrpc_function(name))
        if missing:
            whose = cdsprpc.owner if cdsprpc.device else "some devices"
            yield cdsprpc_functions.error(
                path,
                f"{posixpath.basename(path)} needs {', '.join(missing)}, which the libcdsprpc of"
                f" {whose} does not have",
                why=f"it would not start there: cannot locate symbol {missing[0]}",
                remedy=missing_function_remedy(missing[0], cdsprpc),
            )


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


@rule("host-symbols", code="symbol", foreign=WARNING)
def host_symbols(subject: Subject) -> Iterator[Finding]:
    """The release or the device exports every symbol that the ARM64 side needs.

    Otherwise a program does not start, or a library is not loaded: undefined symbol. Weak
    references may be missing, and interpreters export names to the modules that they load. Nothing
    is reported of a file that needs a library with unknown exports, or that is a plugin of a
    program outside the release.
    """
    if not subject.whole or not subject.platform:
        return
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
        yield (host_symbols.warning if is_plugin else host_symbols.error)(
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


_NAME = re.compile(r"lib[acs]dsprpc(_system)?\.(so|a)\b")


@rule("no-shipped-cdsprpc", foreign=WARNING)
def no_shipped_cdsprpc(subject: Subject) -> Iterator[Finding]:
    """A release ships no libcdsprpc, libadsprpc or libsdsprpc.

    These libraries belong to the device's system. Another copy that is loaded instead breaks every
    session.
    """
    for path in (*subject.files, *subject.links):
        name = posixpath.basename(path)
        others = [posixpath.basename(subject.links.get(path, ""))]
        if path in subject.elves:
            others.append(subject.elves[path].soname)
        called = next(filter(_NAME.match, (name, *others)), "")
        if called:
            yield no_shipped_cdsprpc.error(
                path,
                f"{name} is a FastRPC library of the system"
                + ("" if called == name else f": {called}"),
                why="it belongs to the device: another copy that is loaded instead breaks every"
                " session",
                remedy="Do not ship it: programs use the library of the device.",
            )


@rule("no-shadowed-library", foreign=WARNING)
def no_shadowed_library(subject: Subject) -> Iterator[Finding]:
    """No library of a release has the name of a library of the device's system.

    run.sh lets the loader search the release first, so that the system's own libraries, such as
    libcdsprpc, would be given the copy, too.
    """
    known = device_libraries(subject)
    for path in (*subject.files, *subject.links):
        name = posixpath.basename(path)
        soname = subject.elves[path].soname if path in subject.elves else ""
        shadowed = next((n for n in (name, soname) if n in known), "")
        if shadowed and not subject.dsp_arch(path) and not is_cdsprpc(shadowed):
            yield no_shadowed_library.error(
                path,
                f"{name} shadows {shadowed} of the device",
                why="the loader searches the release first, also for the system's own libraries,"
                " which need theirs",
                remedy="Do not ship it: every device has it. Where a newer one is needed, link it"
                " statically.",
            )


@rule("runpath-in-release", code="library", foreign=WARNING)
def runpath_in_release(subject: Subject) -> Iterator[Finding]:
    """RPATH and RUNPATH name directories of the release only, relative to $ORIGIN.

    On a device other directories hold something else, or can be written by somebody else. An empty
    entry is the current directory.
    """
    for path, elf in subject.elves.items():
        folder = posixpath.dirname(path) if subject.whole else "bin"
        for entry in elf.runpath:
            if directory_in_release(entry, folder) is None:
                yield runpath_in_release.error(
                    path,
                    f"{posixpath.basename(path)} has a RUNPATH that points outside the release:"
                    f" {entry or 'an empty entry'}",
                    why="on a device the release has no files there",
                    remedy="Link it without -Wl,-rpath: libraries in lib/ are found without it."
                    " $ORIGIN/../lib stays in the release. In CMake: CMAKE_SKIP_RPATH=true.",
                )
