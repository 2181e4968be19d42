"""The Debian packages of a project: chosen for debian.lock, fetched, and unpacked for builds.

The unpacked directory is an installation prefix with their headers and libraries.

Headers and libraries keep their places below usr/. Shared libraries are lib/SONAME, where a release
has them; .pc files are in lib/pkgconfig, with paths relative to themselves.
"""

from __future__ import annotations

import json
import os
import platform
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.elf.read import is_elf, read_dynamic
from buildtool.core.events import Listener, Note, work
from buildtool.core.files import file_digest, open_regular, replace_file
from buildtool.core.lock import locked
from buildtool.core.trees import make_directory, remove_tree
from buildtool.debian.apt import Apt, DebianError
from buildtool.plan.component_step import OWNERS
from buildtool.plan.plan import MULTIARCH, debian_folder
from buildtool.project.debian_lock import (
    NAME,
    DebianPackage,
    LockedPackages,
    locked_packages,
    read_lock,
    write_lock,
)
from buildtool.project.model import Project
from buildtool.release.unpack.entry import LIMITS, ArchiveError, ArchiveListing
from buildtool.release.unpack.formats import deb_members

CACHE = "debian"
"""The name of the directory of apt and of the fetched packages in the user's cache."""


def update_lock(project: Project, listener: Listener, *, upgrade: bool = False) -> dict[Path, bool]:
    """Choose the packages that debian.lock lacks, with `upgrade` all of them; returns the file and
    whether it changed, {} without such components.  Raises `DebianError`."""
    wanted = {name: host.debian for name, host in project.hosts.items() if host.debian}
    if not wanted:
        return {}
    known = {} if upgrade else read_lock(project.root)
    found = {
        name: known[name]
        for name, names in wanted.items()
        if name in known and known[name].wanted == names
    }
    if missing := {name: names for name, names in wanted.items() if name not in found}:
        with _apt(listener) as apt:
            listener(Note("fetching the package lists of arm64"))
            with work("fetching package lists", listener):
                apt.update()
            for name, names in missing.items():
                found[name] = LockedPackages(names, _choose(apt, names, listener))
    return {project.root / NAME: write_lock(project.root, found)}


def prepare_packages(project: Project, listener: Listener) -> None:
    """Unpack the locked packages where the steps of the project copy them from.

    Without a debian.lock, the packages are chosen first.  Raises `DebianError`, `ArchiveError` and
    `LockError`.
    """
    hosts = {name: host for name, host in project.hosts.items() if host.debian}
    if hosts and not (project.root / NAME).exists():
        update_lock(project, listener)
        listener(Note(f"wrote {project.root / NAME}"))
    for name, host in hosts.items():
        packages = locked_packages(project.root, name, host.debian)
        folder = project.root / debian_folder(name, packages)
        if folder.is_dir():
            continue
        debs = [_archive(package) for package in packages.packages]
        if not all(deb.is_file() for deb in debs):
            with _apt(listener) as apt:
                _fetch(apt, packages.packages, listener)
        for package, deb in zip(packages.packages, debs, strict=True):
            _check(package, deb)
        fresh = folder.with_name(f"{folder.name}.new")
        remove_tree(fresh)
        make_directory(fresh.parent)
        names = (package.name for package in packages.packages)
        make_tree(dict(zip(names, debs, strict=True)), fresh)
        fresh.rename(folder)


def _choose(apt: Apt, wanted: Sequence[str], listener: Listener) -> tuple[DebianPackage, ...]:
    """Choose and fetch: not every list has the sha256 of its packages in what apt prints."""
    with work("fetching packages", listener) as shown:
        chosen = apt.choose(wanted)
        found = []
        for number, (name, version, arch) in enumerate(chosen, 1):
            shown.say(f"{number} of {len(chosen)}: {name}")
            digest = _keep(apt.download(name, version))
            found.append(DebianPackage(name, version, arch, digest, _distribution()))
    return tuple(found)


def _distribution() -> str:
    """The distribution of this machine, whose apt sources the packages are from."""
    try:
        found = platform.freedesktop_os_release()["ID"]
    except (OSError, KeyError):
        found = ""
    return "ubuntu" if found == "ubuntu" else "debian"


def _fetch(apt: Apt, packages: Sequence[DebianPackage], listener: Listener) -> None:
    listener(Note("fetching Debian packages for arm64"))
    with work("fetching packages", listener) as shown:
        apt.update()
        for number, package in enumerate(packages, 1):
            if _archive(package).is_file():
                continue
            shown.say(f"{number} of {len(packages)}: {package.name}")
            digest = _keep(apt.download(package.name, package.version))
            if digest != package.sha256:
                raise DebianError(
                    f"{package.name} {package.version} is not the package of {NAME}",
                    why=f"its sha256 is {digest}, expected is {package.sha256}",
                    remedy="If your machine's apt sources are of another distribution than those"
                    " that the file was written with: buildtool lock --upgrade",
                )


def _check(package: DebianPackage, deb: Path) -> None:
    if file_digest(deb) != package.sha256:
        raise DebianError(
            f"{deb} is damaged", why="its digest is not that of its name", remedy="Delete it."
        )


def _keep(deb: Path) -> str:
    digest = file_digest(deb)
    kept = cache_dir() / CACHE / "packages" / f"{digest}.deb"
    make_directory(kept.parent)
    replace_file(deb, kept)
    return digest


def _archive(package: DebianPackage) -> Path:
    return cache_dir() / CACHE / "packages" / f"{package.sha256}.deb"


@contextmanager
def _apt(listener: Listener) -> Iterator[Apt]:
    root = cache_dir() / CACHE / "apt"
    make_directory(root)
    waiting = Note("waiting for another buildtool that fetches Debian packages")
    with locked(root / "buildtool.lock", lambda: listener(waiting)):
        yield Apt(root)


_TAKEN = re.compile(
    r"include/.+|lib/.+|share/(?:pkgconfig|cmake|[^/]+/cmake)/.+|share/doc/[^/]+/copyright"
)
_LEFT = re.compile(r"lib/(?:python|debug/|systemd/|udev/|modules|lsb/|mime/|sasl2/|bfd-plugins/)")
_PC = re.compile(rf"(?:lib(?:/{MULTIARCH})?|share)/pkgconfig/([^/]+\.pc)")
_CMAKE_PATH = re.compile(r"(?<![\w}/.-])/usr/(?=(?:lib|include|share)/)")


def make_tree(debs: Mapping[str, Path], into: Path) -> None:
    """Unpack the packages, by name, into the directory `into`, which is created.

    No name and no link leads out of it.  Raises `ArchiveError` and `DebianError`.
    """
    links: dict[str, str] = {}
    try:
        owners = {place: name for name, deb in debs.items() for place in _unpack(deb, into, links)}
        _write_links(links, into)
        moved = _place_libraries(into)
        index = {f"lib/{soname}": owners[place] for soname, place in moved.items()}
        (into / OWNERS).parent.mkdir(parents=True, exist_ok=True)
        (into / OWNERS).write_text(json.dumps(index, indent=2, sort_keys=True), encoding="utf-8")
        _make_relative(into)
    except BaseException:
        remove_tree(into, ignore_errors=True)
        raise


def _unpack(deb: Path, into: Path, links: dict[str, str]) -> list[str]:
    """Write the files of one package, and return their paths; its links are added to `links`, and
    written last, so that nothing is written through one."""
    places = []
    try:
        with open_regular(deb) as file:
            listing = ArchiveListing(LIMITS)
            for entry, content in deb_members(file, os.fstat(file.fileno()).st_size, LIMITS):
                listing.add(entry)
                place = _place(entry.path)
                if entry.kind == "link" and place:
                    links[place] = entry.target
                elif entry.kind == "file" and place:
                    path = into / place
                    path.parent.mkdir(parents=True, exist_ok=True)
                    with path.open("xb") as out:
                        out.writelines(content)
                    path.chmod(0o644)
                    places.append(place)
    except ArchiveError as error:
        error.message = f"{deb}: {error.message}"
        raise
    except (FileExistsError, NotADirectoryError) as error:
        raise DebianError(
            f"two packages have the file {error.filename}",
            why=f"the second is {deb.name}",
            remedy="Name packages in 'debian' that can be installed together.",
        ) from error
    return places


def _place(path: str) -> str:
    """The path in the tree of an entry, "" for what is left out; /lib is /usr/lib."""
    place = path.removeprefix("usr/") if path.startswith("usr/") else path
    if not place.startswith("lib/") and not path.startswith("usr/"):
        return ""
    return place if _TAKEN.fullmatch(place) and not _LEFT.match(place) else ""


def _write_links(links: dict[str, str], into: Path) -> None:
    """Write the links whose targets are in the tree; the others are left out."""
    for place in sorted(links):
        target, seen = _target(place, links[place]), {place}
        while target in links and target not in seen:
            seen.add(target)
            target = _target(target, links[target])
        if not target or target in links or not (into / target).exists():
            continue
        path = into / place
        if os.path.lexists(path):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(posixpath.relpath(f"/{target}", f"/{posixpath.dirname(place)}"))


def _target(place: str, target: str) -> str:
    """The path in the tree that a link leads to; "" for one outside."""
    usr = "/usr/" + posixpath.dirname(place)
    return _place(posixpath.normpath(posixpath.join(usr, target)).lstrip("/"))


def _place_libraries(into: Path) -> dict[str, str]:
    """Move the shared libraries to lib/SONAME, with links at the places that they had, which are
    returned by SONAME."""
    places = {}
    folder = into / "lib" / MULTIARCH
    for file in sorted(folder.glob("*.so*")) if folder.is_dir() else ():
        if file.is_symlink() or not is_elf(file):
            continue
        name = read_dynamic(file).soname or file.name
        moved = into / "lib" / name
        if "/" in name or os.path.lexists(moved):
            continue
        file.replace(moved)
        file.symlink_to(f"../{name}")
        places[name] = file.relative_to(into).as_posix()
    headers = into / "include" / MULTIARCH
    for inside, _, names in os.walk(headers):
        for name in names:
            path = Path(inside, name)
            other = into / "include" / path.relative_to(headers)
            if not os.path.lexists(other):
                other.parent.mkdir(parents=True, exist_ok=True)
                other.symlink_to(os.path.relpath(path, other.parent))
    return places


def _make_relative(into: Path) -> None:
    """Make absolute paths in .pc files and in CMake package files relative to the file."""
    for path in sorted(into.rglob("*.pc")):
        place = path.relative_to(into).as_posix()
        if found := _PC.fullmatch(place):
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
            text = re.sub(r"(?<![\w}])/usr(?![\w-])", "${pcfiledir}/../..", text)
            new = into / "lib/pkgconfig" / found[1]
            new.parent.mkdir(parents=True, exist_ok=True)
            path.unlink()
            new.write_text(text, encoding="utf-8", errors="surrogateescape")
    for path in sorted(into.rglob("*.cmake")):
        if path.is_symlink():
            continue
        up = posixpath.relpath("/", f"/{path.parent.relative_to(into).as_posix()}")
        lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True)
        path.write_text(
            "".join(
                # CMake's own code compares these with where the file is.
                line
                if "_realOrig" in line or "_IMPORT_PREFIX" in line
                else _CMAKE_PATH.sub(f"${{CMAKE_CURRENT_LIST_DIR}}/{up}/", line)
                for line in lines
            ),
            encoding="utf-8",
            errors="surrogateescape",
        )
