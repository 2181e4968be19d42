"""The Android NDK: Google's clang and LLD for Android, installed by the user.

Supports the layouts of r25 to r29.  Sources: the NDK's "Build System Maintainers Guide" (programs,
sysroot, meta/platforms.json) and its `android.toolchain.cmake` (form of a revision, host
directory).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.project.model import Tool
from buildtool.sdk.program import foreign_machine
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    FoundTool,
    Problem,
    ToolMissingError,
    search,
    tool_identity,
)

VARIABLES = ("ANDROID_NDK_ROOT", "ANDROID_NDK_HOME", "ANDROID_NDK")
"""Read in this order.  CMake reads the first and the last, Gradle and Rust's tools the second.
ANDROID_NDK_LATEST_HOME of hosted CI names a directory below ANDROID_HOME, which is searched."""
SDK_VARIABLES = ("ANDROID_HOME", "ANDROID_SDK_ROOT")
OLDEST = 25
FIRST_ARM64_API = 21  # Android 5, the first with 64-bit ABIs
HOST = "linux-x86_64"  # the only host directory that Google publishes for Linux
TRIPLE = "aarch64-linux-android"
INSTALL = (
    "Install it: buildtool sdk install ndk r27c, or sdkmanager 'ndk;27.2.12479018'; or unpack the"
    " archive from https://developer.android.com/ndk/downloads and set ANDROID_NDK_ROOT to its"
    " directory."
)
UNPACK = "Unpack the NDK's archive again with unzip, which preserves modes and links."
MAX_BYTES = 1 << 20
OPT, USR_LIB = Path("/opt"), Path("/usr/lib")


class ApiError(BuildtoolError):
    """An Android API level that an NDK cannot build for."""

    code = "android-api"
    exit_status = 2


class AndroidNdk(FoundTool, kw_only=True):
    """A found NDK; `where` is its root, `version` its revision ("27.2.12479018")."""

    clang: str  # the compiler's version ("18.0.2")
    lowest: int  # API level that it builds ARM64 programs for
    highest: int  # likewise
    aliases: Mapping[str, int]  # levels that stand for another level ("25" → 24)

    @property
    def major(self) -> int:
        """The major version, 27 for r27c; 0 if the revision is unknown."""
        return _major(self.version)

    @property
    def toolchain_file(self) -> Path:
        return _toolchain_file(self.where)

    @property
    def programs(self) -> Path:
        """The directory of clang and the other LLVM programs."""
        return _prebuilt(self.where) / "bin"

    @property
    def libraries(self) -> Path:
        """The directory of the ARM64 libraries for all API levels."""
        return ndk_libraries(self.where)

    def api(self, wanted: int) -> int:
        """The level that the NDK builds for when `wanted` is requested: aliases are resolved.

        Raises `ApiError` outside the NDK's range.
        """
        level = self.aliases.get(str(wanted), wanted)
        if not self.lowest <= wanted <= self.highest or not self.lowest <= level <= self.highest:
            raise ApiError(
                f"NDK {self.version} cannot build for Android API {wanted}",
                why=f"it supports the API levels {self.lowest} to {self.highest} ({self.where})",
                remedy=f"Set 'api' of the target to a level from {self.lowest} to {self.highest}"
                + (", or install a newer NDK." if wanted > self.highest else "."),
            )
        return level


def ndk_libraries(root: Path) -> Path:
    """The directory of the ARM64 libraries of the NDK in `root`: the libraries for all API levels,
    and a directory for each level with stubs of the system's libraries."""
    return _prebuilt(root) / "sysroot" / "usr" / "lib" / TRIPLE


def find_android_ndk(requirement: Tool = NO_REQUIREMENT) -> AndroidNdk:
    """Find the NDK: `VARIABLES`, else `path` in [tool.android-ndk], else the newest suitable NDK in
    the default paths: `ndk/` of the Android SDK, /opt, /usr/lib, the home directory.

    Raises `ToolMissingError` when a named path has no NDK, or none is found; `ToolUnfitError` when
    the project requires another version.
    """
    if not requirement.path and not any(map(os.environ.get, VARIABLES)):
        _check_sdk_variables()
    return search(
        "the Android NDK",
        requirement=requirement,
        variables=VARIABLES,
        default_paths=_default_paths(),
        probe=_probe,
        install_remedy=INSTALL,
        version_remedy=f"Change 'version' in buildtool.toml, or install NDK {requirement.version}:"
        " sdkmanager --list names all. ANDROID_NDK_ROOT may name its directory.",
    )


def _check_sdk_variables() -> None:
    for variable in SDK_VARIABLES:
        value = os.environ.get(variable)
        if value and not Path(value).is_dir():
            raise ToolMissingError(
                f"{variable} names {value}, but there is no Android SDK",
                why="the Android NDK is searched for below that directory",
                remedy=f"Correct {variable}, unset it, or set ANDROID_NDK_ROOT.",
            )


def _default_paths() -> Iterator[Path]:
    sdks = [Path(value).absolute() for v in SDK_VARIABLES if (value := os.environ.get(v))]
    home = Path(os.environ.get("HOME") or "/nonexistent")
    sdks += [home / "Android" / "Sdk", USR_LIB / "android-sdk", OPT / "android-sdk"]
    for sdk in sdks:
        yield from _matching(sdk / "ndk", "*")
        yield sdk / "ndk-bundle"
    yield from _matching(OPT, "android-ndk*")
    yield USR_LIB / "android-ndk"
    yield from _matching(home, "android-ndk-r*")


def _matching(folder: Path, pattern: str) -> list[Path]:
    """The matches in `folder`; if there are none, the pattern itself, to be listed as searched."""
    return sorted(folder.glob(pattern)) or [folder / pattern]


def _toolchain_file(root: Path) -> Path:
    return root / "build" / "cmake" / "android.toolchain.cmake"


def _prebuilt(root: Path) -> Path:
    return root / "toolchains" / "llvm" / "prebuilt" / HOST


def _probe(root: Path) -> AndroidNdk | None:
    try:
        return _read(root)
    except OSError as error:
        problem = Problem(
            f"{error.filename or root} cannot be read: {error.strerror}",
            "Make it readable, or set ANDROID_NDK_ROOT to another NDK.",
        )
        return AndroidNdk(
            where=root,
            version="",
            identity="",
            problems=(problem,),
            clang="",
            lowest=0,
            highest=0,
            aliases={},
        )


def _read(root: Path) -> AndroidNdk | None:
    properties = root / "source.properties"
    if not (properties.is_file() or _toolchain_file(root).is_file()):
        return None
    found = re.search(r"^Pkg\.Revision *= *(\d[\w.-]{0,60}) *$", _text(properties), re.MULTILINE)
    version = found[1] if found else ""
    lowest, highest, aliases = _platforms(root)
    problems = list(_problems(root, version))
    if not highest:
        problems.append(Problem(f"{root}/meta/platforms.json has no API levels", UNPACK))
    return AndroidNdk(
        where=root,
        version=version,
        identity=tool_identity("android-ndk", version, dict(_identity_files(root))),
        problems=tuple(problems),
        clang=_clang_version(root),
        lowest=lowest,
        highest=highest,
        aliases=aliases,
    )


def _identity_files(root: Path) -> Iterator[tuple[str, Path]]:
    """The files, by name, that affect what the NDK compiles.  Its headers and libraries are not
    among them: the revision determines them."""
    programs = [_prebuilt(root) / "bin" / name for name in ("clang", "ld.lld")]
    for file in [*programs, *sorted(_toolchain_file(root).parent.glob("*.cmake"))]:
        if file.is_file() and os.access(file, os.R_OK):
            yield file.name, file


def _major(version: str) -> int:
    found = re.match(r"\d{1,6}", version)
    return int(found[0]) if found else 0


def _problems(root: Path, version: str) -> Iterator[Problem]:
    if not version:
        yield Problem(f"{root}/source.properties has no Pkg.Revision", UNPACK)
    elif _major(version) < OLDEST:
        yield Problem(f"NDK {version} is older than r{OLDEST}, the oldest supported", INSTALL)
    if not _toolchain_file(root).is_file():
        yield Problem(f"{_toolchain_file(root)} is missing", UNPACK)
    for name in ("clang", "clang++", "ld.lld", "llvm-ar"):
        yield from _program_problems(_prebuilt(root) / "bin" / name)
    sysroot = _prebuilt(root) / "sysroot" / "usr"
    if not (sysroot / "include").is_dir() or not (sysroot / "lib" / TRIPLE).is_dir():
        yield Problem(f"there is no ARM64 sysroot in {sysroot}", UNPACK)


def _program_problems(program: Path) -> Iterator[Problem]:
    if not program.is_file():
        yield Problem(f"{program} is missing", UNPACK)
        return
    if not os.access(program, os.X_OK):
        yield Problem(f"{program} is not executable", UNPACK)
        return
    try:
        with program.open("rb") as stream:
            head = stream.read(20)
    except OSError as error:
        yield Problem(f"{program} cannot be read: {error.strerror}", UNPACK)
        return
    if not head.startswith((b"\x7fELF", b"#!")):
        yield Problem(f"{program} is not a program: a link unpacked as a text file?", UNPACK)
    if made_for := foreign_machine(head):
        import platform  # noqa: PLC0415 - rarely needed

        yield Problem(
            f"{program} is built for {made_for}, but this machine is {platform.machine()}",
            "Google publishes the NDK for x86-64 Linux only: build on such a machine, register"
            " an emulator for its programs with binfmt_misc, or set ANDROID_NDK_ROOT to an NDK"
            f" built for {platform.machine()}.",
        )


def _platforms(root: Path) -> tuple[int, int, dict[str, int]]:
    """The lowest and highest API level for ARM64, and aliases; zeros if they cannot be read."""
    try:
        data = json.loads(_text(root / "meta" / "platforms.json"))
        lowest, highest, aliases = data["min"], data["max"], data.get("aliases", {})
        if not (_is_level(lowest) and _is_level(highest)):
            return 0, 0, {}
        known = {str(name): level for name, level in aliases.items() if _is_level(level)}
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return 0, 0, {}
    return max(lowest, FIRST_ARM64_API), highest, known


def _is_level(value: object) -> bool:
    return type(value) is int and 0 < value < 10_000


def _clang_version(root: Path) -> str:
    """The version in the first line of AndroidVersion.txt, or ""."""
    found = re.match(r"\d{1,4}(\.\d{1,6}){0,3}", _text(_prebuilt(root) / "AndroidVersion.txt"))
    return found[0] if found else ""


def _text(file: Path) -> str:
    """The first `MAX_BYTES` of a text file; "" if it cannot be read."""
    if not file.is_file():
        return ""
    try:
        with file.open("rb") as stream:
            return stream.read(MAX_BYTES).decode(errors="replace")
    except OSError:
        return ""
