"""The subject of a check: files by path in the release, and the promise that they must keep.

The properties that a release must have.

It also says where loaders of the ARM64 side find libraries: in the release, or on the device.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from buildtool.core.elf.file import EM_AARCH64, EM_HEXAGON
from buildtool.core.elf.read import Elf, ElfError, is_elf, read_elf
from buildtool.core.value import Value
from buildtool.project.keys import HEXAGON_ARCHS
from buildtool.toolchains.cdsprpc import SONAMES, Cdsprpc, system_cdsprpc
from buildtool.toolchains.system_libraries import ANDROID, UBUNTU, DeviceShell

NO_LINKS: Mapping[str, str] = {}
NO_SHELLS: Mapping[str, DeviceShell] = {}


class PromisedFile(Value):
    """A file of a release: its mode ("0755"), its size in bytes and its sha256."""

    mode: str
    size: int
    sha256: str
    step: str = ""


class PromisedStep(Value):
    """A step that ships something: its name, and its arch, "" for the ARM64 side."""

    name: str
    component: str
    arch: str = ""


class Promise(Value):
    """The properties that a release must have, as far as known; the default promises nothing."""

    platform: str = ""  # "" if unknown
    archs: tuple[str, ...] | None = None  # None if unknown
    glibc: str = ""  # the oldest of its devices ("2.35"), "" if unknown
    api: int = 0  # the lowest Android API level of its devices, 0 if unknown
    files: Mapping[str, PromisedFile] | None = None  # None if unknown
    links: Mapping[str, str] = NO_LINKS  # their texts by path; they count only with `files`
    steps: tuple[PromisedStep, ...] = ()  # those that ship something
    # The paths of files that are skels, whatever their names are
    skels: frozenset[str] = frozenset()
    # Of the devices, in addition to those of the platform
    system_libraries: frozenset[str] = frozenset()
    cdsprpc: Cdsprpc | None = None  # that of the devices
    shells: Mapping[str, DeviceShell] = NO_SHELLS  # by arch; by default those of all known devices
    build_paths: tuple[str, ...] | None = None  # directories of the build machine, None if unknown
    own: bool = False  # the project at hand builds the files: remedies can name its settings
    allow: tuple[str, ...] = ()  # rules about code that do not stop its builds

    @property
    def built(self) -> bool:
        """Whether the files are those of a step that compiled skels; a release has others, too."""
        return self.own and self.platform == "hexagon"


NOTHING = Promise()


RELEASE_FILE = "release.json"
MAX_SYMBOLS_BYTES = 256 << 20
"""The memory for the symbols of all files; those of Debian's whole /usr/lib take 60 MB."""
_DSP = re.compile(rf"dsp/({'|'.join(HEXAGON_ARCHS)})/")
_HOST = re.compile(r"(?:bin|lib)/(?!arm64-v8a/)")


class Damage(Value):
    """Why nothing is known about a file: `what` follows the file's name."""

    what: str
    why: str
    remedy: str


class Subject(Value):
    """Files and the texts of links by path."""

    files: Mapping[str, Path]
    links: Mapping[str, str] = NO_LINKS
    promise: Promise = NOTHING
    special: tuple[str, ...] = ()  # devices, sockets and pipes
    whole: bool = True  # these are all files that are used together: others are missing

    @cached_property
    def _read(self) -> tuple[dict[str, Elf], dict[str, Damage]]:
        elves, damaged, used = {}, {}, 0
        for path, file in self.files.items():
            try:
                if not is_elf(file):
                    continue
                elf = read_elf(file)
            except OSError as error:
                why = str(error.strerror)
                damaged[path] = Damage("cannot be read", why, "Make it readable, or remove it.")
            except ElfError as error:
                damaged[path] = Damage("is not a valid ELF file", error.why, error.remedy)
            else:
                used += sum(len(n) + 100 for s in (elf.exports, elf.imports) for n in s)
                if used > MAX_SYMBOLS_BYTES:
                    why = "the symbols of all files together take too much memory"
                    damaged[path] = Damage("is not checked", why, "Inspect fewer files at once.")
                else:
                    elves[path] = elf
        return elves, damaged

    @property
    def elves(self) -> Mapping[str, Elf]:
        """The ELF files by path."""
        return self._read[0]

    @property
    def damaged(self) -> Mapping[str, Damage]:
        """The files that cannot be read or parsed, by path."""
        return self._read[1]

    @property
    def is_release(self) -> bool:
        """Whether it is known for which devices the files are; otherwise they are foreign files."""
        return bool(self.promise.platform)

    @cached_property
    def places(self) -> frozenset[str]:
        """The paths of files, and of links that lead to a file or directory of the subject."""
        folders = {str(above) for path in self.files for above in Path(path).parents}
        known = folders.union(self.files)
        return frozenset((*self.files, *(p for p in self.links if self._target(p) in known)))

    def _target(self, path: str) -> str:
        """Where a link leads, through other links; "" if outside of the subject or nowhere."""
        for _ in range(16):
            if path not in self.links:
                return path
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), self.links[path]))
            if path.startswith(("..", "/")):
                return ""
        return ""

    def dsp_arch(self, path: str) -> str:
        """The arch of the directory dsp/<arch>/ that the file is in, "" if it is elsewhere."""
        found = _DSP.match(path) if self.is_release else _last(_DSP, path)
        return found[1] if found else ""

    def must_be_host(self, path: str) -> bool:
        """Whether an ELF file with this path must be for the ARM64 side."""
        return not self.dsp_arch(path) if self.is_release else bool(_HOST.match(path))

    def host(self) -> Iterator[tuple[str, Elf]]:
        """The ELF files of the ARM64 side."""
        for path, elf in self.elves.items():
            if elf.machine == EM_AARCH64 and not self.dsp_arch(path):
                yield path, elf

    def dsp(self) -> Iterator[tuple[str, str, Elf]]:
        """The Hexagon files as (path, arch, ELF); the arch is that of the directory, else of the
        code."""
        for path, elf in self.elves.items():
            if elf.machine == EM_HEXAGON and not self.must_be_host(path):
                yield path, self.dsp_arch(path) or elf.hexagon_arch, elf

    def skels(self) -> Iterator[tuple[str, str, Elf]]:
        """Those of `dsp()` that are skels: by their entry, by their name, or by the promise; and
        programs for the DSP."""
        for path, arch, elf in self.dsp():
            named = path.endswith("_skel.so") or path in self.promise.skels
            if named or entries(elf) or is_program(elf):
                yield path, arch, elf

    @cached_property
    def _folders(self) -> dict[str, dict[str, str]]:
        folders: dict[str, dict[str, str]] = defaultdict(dict)
        for place in self.places:
            folder, name = posixpath.split(place)
            folders[folder][name] = place
        return folders

    def beside(self, path: str) -> Mapping[str, str]:
        """The paths of the files in the same directory, by name."""
        return self._folders.get(posixpath.dirname(path), {})

    @cached_property
    def platform(self) -> str:
        """The platform of the promise; otherwise that which the files are for, "" if unknown."""
        if self.promise.platform:
            return self.promise.platform
        return next(filter(None, (platform_of(elf) for _, elf in self.host())), "")

    @cached_property
    def cdsprpc(self) -> Cdsprpc | None:
        """The libcdsprpc of the devices; None if the platform is unknown."""
        if self.promise.cdsprpc:
            return self.promise.cdsprpc
        return system_cdsprpc(self.platform) if self.platform in SONAMES else None


def platform_of(elf: Elf) -> str:
    """The platform that a file of the ARM64 side is for; "" if it is unknown."""
    if elf.android_api or "libc.so" in elf.needed or elf.interpreter.startswith("/system/"):
        return "android"
    if "libc.so.6" in elf.needed or "/ld-linux" in elf.interpreter:
        return "ubuntu-aarch64"
    return ""


def entries(elf: Elf) -> tuple[str, ...]:
    """The entry points that FastRPC calls, which a skel exports."""
    return tuple(sorted(n for n in elf.exports if n.endswith(ENTRY_ENDINGS)))


def is_program(elf: Elf) -> bool:
    """Whether it is a program for the DSP: a shared object that is loaded for its main."""
    return not PROGRAM_ENTRIES.isdisjoint(elf.exports)


PROGRAM_ENTRIES = frozenset(("main", "buildtool_dsp_program"))
ENTRY_ENDINGS = ("_skel_handle_invoke", "_skel_invoke")


def read_tree(directory: Path, promise: Promise = NOTHING) -> Subject:
    """All files below `directory`, except a release.json at the top.

    Links are not followed.  Raises `OSError` if a directory cannot be read.
    """
    files: dict[str, Path] = {}
    links: dict[str, str] = {}
    special: list[str] = []
    waiting = [directory]
    while waiting:
        with os.scandir(waiting.pop()) as found:
            for entry in found:
                path = Path(entry.path)
                place = path.relative_to(directory).as_posix()
                if entry.is_symlink():
                    links[place] = str(path.readlink())
                elif entry.is_dir():
                    waiting.append(path)
                elif entry.is_file():
                    files[place] = path
                else:
                    special.append(place)
    files.pop(RELEASE_FILE, None)
    return Subject(
        dict(sorted(files.items())), dict(sorted(links.items())), promise, tuple(sorted(special))
    )


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The last match of `pattern` that begins at a component of the path `text`."""
    starts = [0, *(at.end() for at in re.finditer("/", text))]
    return next((found for at in reversed(starts) if (found := pattern.match(text, at))), None)


LIBRARIES = "lib"
"""The directory in which run.sh lets the loader search."""
ORIGINS = ("$ORIGIN", "${ORIGIN}")
"""The loader replaces these by the directory of the file (ld.so(8))."""


def directory_in_release(entry: str, folder: str) -> str | None:
    """The directory that `entry` in the RUNPATH of a file in `folder` names; None if it is not in
    the release.  Directories are relative to the release, whose top is "."."""
    origin, _, rest = entry.partition("/")
    if origin not in ORIGINS:
        return None
    path = posixpath.normpath(posixpath.join(folder, rest.lstrip("/")))
    return None if path.split("/")[0] == ".." else path


def device_libraries(subject: Subject) -> frozenset[str]:
    """The libraries that the devices of the subject have, by SONAME; none on an unknown platform.

    On Android these are the libraries of all API levels.
    """
    known = {"ubuntu-aarch64": UBUNTU, "android": frozenset(ANDROID)}
    return known.get(subject.platform, frozenset()) | subject.promise.system_libraries
