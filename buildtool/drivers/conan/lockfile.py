"""conan.lock: the file beside a conanfile that pins the package versions of all targets.

It is created if it does not exist, as by other package managers.  From then on it is strict, and
only `buildtool lock` changes it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path

from buildtool.core.files import read_regular, write_if_changed
from buildtool.drivers.conan.home import ConanHome, read_json, remedy, unexpected_output
from buildtool.toolchains.conan_profile import ConanProfile

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


def update(
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
