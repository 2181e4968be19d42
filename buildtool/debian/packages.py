"""The Debian packages of a project: chosen for debian.lock, fetched, and unpacked for builds."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.events import Listener, Note, work
from buildtool.core.files import file_digest, replace_file
from buildtool.core.lock import locked
from buildtool.core.own_directory import make_directory
from buildtool.core.trees import remove_tree
from buildtool.debian.apt import Apt, DebianError
from buildtool.debian.install_tree import make_tree
from buildtool.plan.plan import debian_folder
from buildtool.project.debian_lock import (
    NAME,
    DebianPackage,
    LockedPackages,
    locked_packages,
    read_lock,
    write_lock,
)
from buildtool.project.model import Project

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
