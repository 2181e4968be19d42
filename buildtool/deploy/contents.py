"""What a project has on a device: its directory (`Site`), and the contents of a release there.

Contents are the wanted ones, those that a scan finds, and those that the last push left, of which a
record is kept here.

Large files of a project, such as models, are sent once: releases on a device have links to them.
"""

from __future__ import annotations

import contextlib
import glob
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note, work
from buildtool.core.files import digest_of, value_digest
from buildtool.core.stored import read_value, write_value
from buildtool.core.trees import make_directory
from buildtool.core.value import Described, Value
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.project.model import Project
from buildtool.release.slices import HOST, Release, ReleaseFile, ReleaseLink, release_id

if TYPE_CHECKING:
    from buildtool.inputs.file_states import FileStates

ID_DIGITS = 16
VERSION = 1
"""Of the file about the contents of a device."""
STORE = "store"
OTHER = "other"  # what is neither a file of mode 0755 or 0644, nor a directory or link
MAX_LINKS = 40  # as many as Linux follows in one path
Contents = Mapping[str, str]
"""Path → "755 SHA256" or "644 SHA256" of a file, or "-> TARGET" of a link."""
FOLDER = ".data"
"""The directory of large files, in the install root; no project can have this name."""
SLOW_SIZE = 256_000_000
"""Bytes of a file whose digest takes long enough to say so."""
NOTHING: Contents = {}


class ReleaseOnDevice(Described):
    """What a command did with a release on a device."""

    device: Annotated[str, "name of the device"]
    target: Annotated[str, "target of buildtool.toml"]
    release: Annotated[str, "id of the release on this machine, a digest of its files"]
    deployment: Annotated[str, "id of what the device has of it"]
    arch: Annotated[str, 'DSP arch of its skels; "" for none']


class Deployment(Value):
    """The part of a release for a device: the ARM64 side, and the skels of one arch ("": none).

    `id` names its directory on the device; `directory` is the release on this machine.  `links`
    include those to the large files `data`.
    """

    id: str
    arch: str
    directory: Path
    files: tuple[ReleaseFile, ...]
    links: tuple[ReleaseLink, ...]
    data: tuple[DataFile, ...] = ()

    @property
    def contents(self) -> Contents:
        return {
            **{file.path: f"{file.mode:o} {file.sha256}" for file in self.files},
            **{link.path: f"-> {link.target}" for link in self.links},
        }


def deployment(release: Release, arch: str, data: tuple[DataFile, ...] = ()) -> Deployment:
    """The deployment of `release` for a device whose DSP loads skels of `arch`.  Raises
    `DeviceError` for names that no list of files can have, and for files in the place of `data`."""
    parts = [part for part in release.slices if part.name in (HOST, arch)]
    files = tuple(file for part in parts for file in part.files)
    links = tuple(link for part in parts for link in part.links)
    for path in (*(file.path for file in files), *(link.path for link in links)):
        if data and (
            path == "data" or any(f"{file.path}/".startswith(f"{path}/") for file in data)
        ):
            raise DeviceError(
                f"the release has the file {path} where data of the project goes",
                why="[data.NAME] of buildtool.toml puts files into data/NAME",
                remedy="Install the file in another directory, or rename the data.",
            )
    links += tuple(ReleaseLink(file.path, file.target) for file in data)
    for name in (*(file.path for file in files), *(text for link in links for text in link)):
        if "\n" in name:
            raise DeviceError(
                f"{name!r} contains a line break",
                why="the device lists the files and links of a release, one in a line",
                remedy="Give the file another name.",
            )
    ids = {part.name: part.id for part in parts}
    if data:
        ids["data"] = value_digest([[file.path, file.sha256] for file in data])
    return Deployment(release_id(ids)[:ID_DIGITS], arch, release.directory, files, links, data)


def stored(contents: Contents) -> Contents:
    """These contents on a device that forbids hard links: most files are links into its store.
    Programs are files even so, since many look for other files beside their own."""
    return {
        path: state
        if state.startswith("-> ") or path.startswith("bin/") or "/" not in path
        else f"-> {'../' * (2 + path.count('/'))}{STORE}/{state.replace(' ', '-')}"
        for path, state in contents.items()
    }


def in_store(state: str) -> str:
    """The name in the store that a link with this state leads to, "" for any other state."""
    found = re.fullmatch(rf"-> (?:\.\./)+{STORE}/((?:755|644)-[0-9a-f]{{64}})", state)
    return found[1] if found else ""


def followed(contents: Contents) -> dict[str, str]:
    """The contents that a scan finds which follows links."""
    found = {}
    for path in contents:
        place, state = path, contents[path]
        for _ in range(MAX_LINKS):
            if not state.startswith("-> "):
                if state:  # else the link leads out of the release
                    found[path] = state
                break
            place = posixpath.normpath(posixpath.join(posixpath.dirname(place), state[3:]))
            state = contents.get(place, "")
    return found


def scan_text(contents: Contents, taken_over: Collection[str] = ()) -> str:
    """The output of `scan` for these contents on a device with coreutils, without the digests of
    the files `taken_over`."""
    lines: list[str] = []
    for mode in ("755", "644"):
        files = (
            f"./{path}" if path in taken_over else _checksum_line(path, state[4:])
            for path, state in contents.items()
            if state.startswith(f"{mode} ")
        )
        lines += [mode, *sorted(files, key=_bytes)]
    links = sorted((p for p, state in contents.items() if state.startswith("-> ")), key=_bytes)
    lines += [OTHER, "links", *(f"./{path}" for path in links), "dangling", "targets"]
    return "\n".join([*lines, *(contents[path][3:] for path in links)])


def scan_digest(text: str) -> str:
    """The digest by which the device recognises the output of a scan."""
    return digest_of(_bytes(f"{text}\n"))


def parse_scan(text: str) -> dict[str, str]:
    """The contents that a scan printed.  Lines of another form, and links to files that the store
    lacks, are left out, so that what they are about is seen as missing."""
    # The lines in between begin with "./".
    files, _, rest = text.partition("\nlinks\n")
    names, _, rest = f"\n{rest}".partition("\ndangling\n")
    dangling, _, targets = f"\n{rest}".partition("\ntargets")
    found: dict[str, str] = {}
    mode = ""
    for line in files.split("\n"):
        if line in ("755", "644", OTHER):
            mode = line
        elif mode == OTHER:
            found[line.removeprefix("./")] = OTHER
        elif parts := re.fullmatch(r"(\\?)([0-9a-f]{64}) [ *]\./(.+)", line):
            escaped, digest, path = parts.groups()
            found[_unescaped(path) if escaped else path] = f"{mode} {digest}"
    missing = set(dangling.split("\n"))
    for name, target in zip(names.split("\n")[1:], targets[1:].split("\n"), strict=False):
        state = f"-> {target}"
        if not (name in missing and in_store(state)):
            found[name.removeprefix("./")] = state
    return found


def _checksum_line(path: str, digest: str) -> str:
    """A line of sha256sum, which marks names with backslashes by another one before the line."""
    escaped = path.replace("\\", "\\\\")
    mark = "\\" if escaped != path else ""
    return f"{mark}{digest}  ./{escaped}"


def _unescaped(path: str) -> str:
    letters = {"n": "\n", "r": "\r"}
    return re.sub(r"\\(.)", lambda found: letters.get(found[1], found[1]), path)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", errors="surrogateescape")


class Known(Value):
    """The id of a release on a device, and what is in it; `id` is "" when nothing is known."""

    id: str = ""
    contents: Contents = NOTHING


def known_file(state: Path, device: Device, project: str) -> Path:
    """The file, in a project's state directory, about the project's directory on a device."""
    place = value_digest([device.transport.address, project])[:16]
    return state / "deployed" / f"{device.name}-{place}.json"


def read_known(file: Path) -> Known:
    """The record in `file`; an empty one if it cannot be read."""
    return read_value(file, Known, VERSION) or Known()


def write_known(file: Path, known: Known) -> None:
    """Remember what is on the device; without it, the next push asks the device."""
    with contextlib.suppress(OSError):
        make_directory(file.parent)
        write_value(file, known, VERSION)


def forget(file: Path) -> None:
    """Let nothing be known of what is on the device."""
    with contextlib.suppress(OSError):
        file.unlink()


class DataFile(Value):
    """The file `source`, which a release has at `path`; `size` is in bytes."""

    path: str
    source: Path
    sha256: str
    size: int

    @property
    def target(self) -> str:
        """Where the link at `path` leads, from `ROOT/PROJECT/releases/ID` to `ROOT/.data`."""
        return f"{'../' * (3 + self.path.count('/'))}{FOLDER}/{self.sha256}"


def find_data(project: Project, states: FileStates, listener: Listener) -> tuple[DataFile, ...]:
    """The files of `[data.NAME]`; a file is read only if its digest is not remembered.

    A file of `models/**` is `data/NAME/` and what comes after `models/` in the release.  Raises
    `UsageError` if there is no such file, it cannot be read, or two have one place.
    """
    from buildtool.inputs.file_states import EXECUTABLE_SUFFIX  # noqa: PLC0415 - rarely used

    found: dict[str, DataFile] = {}
    for name, data in project.data.items():
        for pattern in data.files:
            files = list(_matching(project.root, pattern))
            if not files:
                raise UsageError(
                    f"data {name!r} has no files",
                    why=f"nothing in {project.root} matches {pattern!r}",
                    remedy="Put the files there, or correct files in [data."
                    f"{name}] of buildtool.toml.",
                )
            for below, source in files:
                path = f"data/{name}/{below}"
                state = _state(source, states, listener).removesuffix(EXECUTABLE_SUFFIX)
                if not re.fullmatch("[0-9a-f]{64}", state):
                    raise UsageError(f"{source} cannot be read", why=f"data {name!r} contains it")
                file = DataFile(path, source, state, source.stat().st_size)
                if found.setdefault(path, file).sha256 != state:
                    raise UsageError(
                        f"two files of data {name!r} would be {path} in the release",
                        why=f"{found[path].source} and {source} differ",
                        remedy="Give them different names, or put them into two tables.",
                    )
    return tuple(found.values())


def _state(source: Path, states: FileStates, listener: Listener) -> str:
    size = source.stat().st_size
    if size < SLOW_SIZE or states.remembers(source):
        return states.state(source)
    listener(Note(f"computing the digest of {source.name} ({size / 1e6:,.0f} MB)"))
    with work(f"reading {source.name}", listener):
        return states.state(source)


def _matching(root: Path, pattern: str) -> Iterator[tuple[str, Path]]:
    """The files that match, each with its path below the directory before the first wildcard."""
    wildcard = re.search(r"[*?\[]", pattern)
    base = pattern[: pattern.rfind("/", 0, wildcard.start() if wildcard else None) + 1]
    for path in sorted(glob.glob(pattern, root_dir=root, recursive=True)):  # noqa: PTH207 - of any root
        if (root / path).is_file():
            yield path[len(base) :], root / path


class Site(Value):
    """The directory `project` of a project on a device; `known` is the file about it here.

    `unpack` is the program there that decompresses what is sent, "" for none.  With `store`, files
    are links into a store there.  `boot` is the boot of the device in which this was found out, ""
    for any.
    """

    device: Device
    project: str
    known: Path
    unpack: str
    listener: Listener
    store: bool = False
    boot: str = ""

    def release(self, id_: str) -> str:
        """The directory of the release with that id."""
        return f"{self.project}/releases/{id_}"
