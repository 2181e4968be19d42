"""conan.lock: the file beside a conanfile that pins the package versions of all targets.

It is created if it does not exist, as by other package managers.  From then on it is strict, and
only `buildtool lock` changes it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Listener, Note
from buildtool.core.files import read_regular, write_if_changed
from buildtool.drivers.conan.home import ConanHome, read_json, remedy, unexpected_output
from buildtool.plan.plan import conan_settings
from buildtool.project.model import Project, find_target
from buildtool.sdk.packaged_tools import find_cmake
from buildtool.toolchains.conan_profile import ConanProfile, conan_profile
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.select_profiles import host_profile

KINDS = ("requires", "build_requires", "python_requires", "config_requires")


def lockfile_of(conanfile: Path) -> Path:
    """The lockfile of `conanfile`."""
    return conanfile.with_name("conan.lock")


def write_profiles(host: ConanProfile, build: ConanProfile, folder: Path) -> list[str]:
    """Write both profiles to `folder`; returns the options of Conan that select them."""
    options = []
    for context, profile in (("host", host), ("build", build)):
        profile.write_files()
        file = folder / f"{context}.profile"
        write_if_changed(file, profile.text)
        options.append(f"--profile:{context}={file}")
    return options


def normalize(lock: Path, local_packages: Collection[str]) -> None:
    """Remove the revisions of local recipes from `lock`, and all time stamps.

    The project's own history has the revisions of local recipes: if the lockfile pinned them,
    editing such a recipe would have no effect.  Time stamps make the file differ from run to run.
    Raises `ToolError` if it is not a lockfile.
    """
    data = read_json(lock)
    try:
        for kind in KINDS:
            rows = (_normalized(row, local_packages) for row in data.get(kind, ()))
            data[kind] = list(dict.fromkeys(rows))
        write_if_changed(lock, json.dumps(data, indent=4) + "\n")
    except (TypeError, AttributeError) as error:
        raise unexpected_output(lock, repr(error)) from error


def _normalized(row: str, local_packages: Collection[str]) -> str:
    reference = row.partition("%")[0]
    return reference.partition("#")[0] if _name(reference) in local_packages else reference


def _update(
    home: ConanHome,
    conanfiles: Sequence[Path],
    hosts: Sequence[ConanProfile],
    build: ConanProfile,
    *,
    upgrade: bool,
    complete: bool,
) -> bool:
    """Bring the lockfile of `conanfiles` (of one directory) up to date; whether it changed.

    It pins what each of the profiles `hosts` needs.  Pinned versions stay, unless `upgrade`.
    Packages that nothing needs are removed if `hosts` is `complete`: the profiles of all targets.
    """
    lock = lockfile_of(conanfiles[0])
    before = lock.read_text(encoding="utf-8") if lock.is_file() else ""
    out = home.path / "lock"
    out.mkdir(parents=True, exist_ok=True)
    parts: list[Path] = []
    for number, (conanfile, host) in enumerate((c, h) for c in conanfiles for h in hosts):
        part = out / f"{number}.lock"
        base = f"--lockfile={lock}" if before and not upgrade else "--lockfile="
        home.run(
            *("lock", "create", conanfile, "--build=missing", base, "--lockfile-partial"),
            *("--lockfile-clean", f"--lockfile-out={part}"),
            *write_profiles(host, build, out),
            action=f"locking the packages of {conanfile} for {host.name}",
            remedy=lambda output: remedy(output, lock),
            timeout=None,
        )
        parts.append(part)
    if before and not complete:
        rest = out / "rest.lock"
        write_if_changed(rest, json.dumps(_other_packages(lock, parts)))
        parts.append(rest)
    merged = out / "merged.lock"
    home.run(
        *("lock", "merge", f"--lockfile-out={merged}", *(f"--lockfile={part}" for part in parts)),
        action=f"merging {lock}",
    )
    normalize(merged, home.local_packages)
    return write_if_changed(lock, read_regular(merged))


def _other_packages(lock: Path, parts: Sequence[Path]) -> dict[str, object]:
    """The content of `lock` without the packages in `parts`: other targets may need them."""
    restore = f"Restore {lock} from version control, or delete it and run: buildtool lock"
    data, new = read_json(lock, restore), [read_json(part) for part in parts]
    for kind in KINDS:
        names = {_name(row) for part in new for row in part.get(kind, ())}
        data[kind] = [row for row in data.get(kind, ()) if _name(row) not in names]
    return dict(data)


def _name(reference: str) -> str:
    return reference.partition("/")[0]


def update_lockfiles(
    project: Project, targets: Sequence[str], *, upgrade: bool, listener: Listener
) -> dict[Path, bool]:
    """Bring the lockfiles of `project` up to date; returns for each whether it changed.

    Without `targets`, for all targets whose toolchain is found on this machine.  `listener` gets a
    note about each of the others; what they need stays pinned as it is.  Raises `ToolError` when
    Conan fails.
    """
    conanfiles = _conanfiles_by_lockfile(project)
    profiles = _host_profiles(project, targets, listener)
    found = [profile for profile in profiles if profile]
    if not (conanfiles and found):
        return {}
    home = ConanHome(*conan_settings(project))
    cmake = find_cmake(project.tool("cmake"), project.tool("ninja"))
    hosts: dict[str, ConanProfile] = {
        profile.digest: conan_profile(profile, home.path, cmake) for profile in found
    }
    with home.locked(listener):
        home.prepare()
        return {
            lock: _update(
                home,
                list(dict.fromkeys(files)),
                list(hosts.values()),
                conan_profile(home.build_machine, home.path, cmake),
                upgrade=upgrade,
                complete=not targets and all(profiles),
            )
            for lock, files in conanfiles.items()
        }


def _conanfiles_by_lockfile(project: Project) -> dict[Path, list[Path]]:
    found: dict[Path, list[Path]] = {}
    for host in project.hosts.values():
        if host.conan:
            conanfile = project.root / host.conan
            found.setdefault(lockfile_of(conanfile), []).append(conanfile)
    return found


def _host_profiles(
    project: Project, targets: Sequence[str], listener: Listener
) -> list[Profile | None]:
    """The profile of each of `targets`.  Without any, of all targets: None for one whose toolchain
    is not found."""
    profiles: list[Profile | None] = []
    for name in targets or project.targets:
        target = find_target(project, name)
        try:
            profiles.append(host_profile(project, target))
        except BuildtoolError as error:
            if targets:
                raise
            listener(Note(f"target {name} is left out: {error.message}"))
            profiles.append(None)
    return profiles
