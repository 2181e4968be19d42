"""A toolchain profile in Conan 2's format: settings, and the path of the compiler.

Conan identifies a binary package by its settings, which do not distinguish two compilers of one
version or two sets of flags.  So the digest of the profile is part of the package ID, and a package
from another compiler is never used.  Sources: Conan 2's reference of profiles, settings.yml and
configuration (`tools.info.package_id:confs`).

Programs that run during a build, such as code generators, have a profile of their own.

The compiler is zig and not the machine's own: its output is the same on every machine, and an
upgrade of the machine does not cause rebuilds.
"""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Mapping
from pathlib import Path

from buildtool import _data
from buildtool.core.files import value_digest, write_if_changed
from buildtool.core.value import Value
from buildtool.project.model import Tool
from buildtool.sdk.packaged_tools import CMake, Zig, usable_zig
from buildtool.sdk.tool_search import NO_REQUIREMENT
from buildtool.toolchains.arm64 import zig_compiler
from buildtool.toolchains.profile import Profile

SETTINGS = "settings_user.yml"
IDENTITY = "user.buildtool:profile"
"""The configuration that holds the profile's digest."""
CPPSTD = "gnu17"  # the default of GCC since 11 and of Clang since 16
_ARCHS = {"x86_64": "x86_64", "aarch64": "armv8"}
_TOOLCHAIN = """
# Conan widens the search path for packages; this undoes it.
list(APPEND CMAKE_PROJECT_INCLUDE "{roots}")
"""


class ConanProfile(Value):
    """The text of a Conan profile, and the files that it names."""

    name: str
    text: str
    files: Mapping[Path, str]  # path → text; a text that starts with `#!` is made executable

    @property
    def digest(self) -> str:
        """sha256 of all of it, paths included."""
        return value_digest([self.text, {str(path): text for path, text in self.files.items()}])

    def write_files(self) -> None:
        """Write the files that the profile names; files with the right content are not touched."""
        for path, text in self.files.items():
            write_if_changed(path, text, mode=0o755 if text.startswith("#!") else 0o644)


def settings_user() -> str:
    """The text of the additional Conan settings: Hexagon, the oldest glibc."""
    return (_data.path("recipes") / "config" / SETTINGS).read_text(encoding="utf-8")


def conan_profile(profile: Profile, home: Path, cmake: CMake) -> ConanProfile:
    """`profile` for Conan; the files that it names are in the Conan home `home`.

    =, +=, {{ and {% are special to Conan, also in paths: see `core.safe_path`.
    """
    programs = _programs(profile)
    texts = {"toolchain.cmake": toolchain(profile)}
    texts |= {name: _script(argv) for name, argv in programs.items() if len(argv) > 1}
    # One directory for each content: a running build keeps its compiler.
    folder = home / "toolchains" / f"{profile.name}-{value_digest(texts)[:12]}"
    paths = {
        name: str(folder / name) if name in texts else argv[0] for name, argv in programs.items()
    }
    conf: dict[str, object] = {
        "tools.cmake.cmaketoolchain:user_toolchain": [str(folder / "toolchain.cmake")],
        "tools.cmake.cmaketoolchain:generator": "Ninja",
        # The compiler has a default C++ library; zig warns about an unneeded -stdlib.
        "tools.gnu:disable_flags": ["libcxx"],
        IDENTITY: f"sha256:{profile.digest}",
        "tools.info.package_id:confs": [IDENTITY],
    }
    if profile.compiler.kind == "gcc":
        # GNU ld also searches for the dependencies of the libraries that it links; LLD does not.
        conf["tools.build:add_rpath_link"] = True
    if profile.platform == "android":
        conf["tools.android:ndk_path"] = profile.places["NDK"]
    # Not tools.cmake:cmake_program, which Conan passes to a shell without quotation marks.
    programs_path = dict.fromkeys((cmake.program.parent, cmake.ninja.parent))
    environment = {
        "PATH": f"+(path){os.pathsep.join(map(str, programs_path))}",
        **profile.environment,
    }
    if programs:
        conf["tools.build:compiler_executables"] = {"c": paths["cc"], "cpp": paths["c++"]}
        environment |= {"AR": paths["ar"], "RANLIB": paths["ranlib"]}
    text = _render(
        {
            "settings": {**_settings(profile), "build_type": "Release"},
            "conf": {name: str(value) for name, value in conf.items()},
            "buildenv": environment,
        }
    )
    files = {folder / name: text for name, text in texts.items()}
    return ConanProfile(profile.name, text, files)


def toolchain(profile: Profile) -> str:
    """The CMake toolchain file of `profile` for a Conan package."""
    roots = _data.path("cmake") / "conan_roots.cmake"
    return profile.cmake_toolchain() + _TOOLCHAIN.format(roots=roots)


def _settings(profile: Profile) -> dict[str, str]:
    compiler = profile.compiler
    settings = {**_platform(profile), "compiler": compiler.kind}
    settings["compiler.version"] = compiler.version
    if compiler.libcxx:
        settings["compiler.libcxx"] = compiler.libcxx
    settings["compiler.cppstd"] = CPPSTD
    return settings


def _platform(profile: Profile) -> dict[str, str]:
    ours = profile.settings
    if profile.platform == "android":
        return {"os": "Android", "os.api_level": ours["API"], "arch": "armv8"}
    if profile.platform == "hexagon":
        return {"os": "QURT", "arch": f"hexagon{ours['ARCH']}"}
    machine = ours["ARCH"] if profile.platform == "build-machine" else "aarch64"
    glibc = {"os.glibc": ours["GLIBC"]} if "GLIBC" in ours else {}
    return {"os": "Linux", **glibc, "arch": _ARCHS.get(machine, machine)}


def _programs(profile: Profile) -> dict[str, tuple[str, ...]]:
    """Compilers and archivers for packages that are not built with CMake; skels always are."""
    compiler, places = profile.compiler, profile.places
    if profile.platform == "hexagon":
        return {}
    archivers: dict[str, tuple[str, ...]]
    if zig := places.get("ZIG"):
        archivers = {name: (zig, name) for name in ("ar", "ranlib")}
    elif binutils := places.get("BINUTILS"):
        archivers = {name: (f"{binutils}/{name}",) for name in ("ar", "ranlib")}
    else:
        beside = Path(compiler.c[0]).parent
        archivers = {name: (f"{beside}/llvm-{name}",) for name in ("ar", "ranlib")}
    return {"cc": compiler.c, "c++": compiler.cxx, **archivers}


def _script(argv: tuple[str, ...]) -> str:
    """A script that runs a compiler command with arguments: build systems expect one path."""
    return f'#!/bin/sh\nexec {shlex.join(argv)} "$@"\n'


def _render(sections: Mapping[str, Mapping[str, str]]) -> str:
    # Conan renders a profile as a Jinja template: a path must not be interpreted.
    lines = ["{% raw %}"]
    for section, values in sections.items():
        lines += [f"[{section}]", *(f"{name}={value}" for name, value in values.items())]
    return "\n".join([*lines, "{% endraw %}", ""])


GLIBC = "2.28"  # as in manylinux_2_28, the oldest baseline of current PyPI wheels


def build_machine(requirement: Tool | Zig = NO_REQUIREMENT) -> Profile:
    """The profile of programs for this machine; raises `ToolMissingError` without zig."""
    zig = usable_zig(requirement)
    arch = platform.machine()
    return Profile(
        name=f"build-machine-{arch}",
        platform="build-machine",
        template="build_machine.cmake.in",
        settings={"ARCH": arch, "GLIBC": GLIBC},
        identity=zig.identity,
        places={"ZIG": str(zig.where), "ZIG_LIB": str(zig.library)},
        compiler=zig_compiler(zig, f"{arch}-linux-gnu.{GLIBC}"),
    )
