"""conan.lock: one file beside the conanfile says which versions every target gets.

It is made when it is not there, as other package managers make theirs; from then on it is strict,
and only `buildtool lock` changes it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path

from buildtool.core.files import read_regular, write_if_changed
from buildtool.core.process import ToolError
from buildtool.drivers.conan.home import AGAIN, ConanHome, read_json
from buildtool.drivers.conan.remedy import remedy
from buildtool.toolchains.conan_profile import ConanProfile

KINDS = ("requires", "build_requires", "python_requires", "config_requires")


def beside(conanfile: Path) -> Path:
    """The lockfile of `conanfile`."""
    return conanfile.with_name("conan.lock")


def profiles(host: ConanProfile, build: ConanProfile, out: Path) -> list[str]:
    """Write both profiles below `out`; returns the options that name them."""
    options = []
    for option, profile in (("host", host), ("build", build)):
        profile.write_files()
        file = out / f"{option}.profile"
        write_if_changed(file, profile.text)
        options.append(f"--profile:{option}={file}")
    return options


def settle(lock: Path, local: Collection[str]) -> None:
    """Take the revisions of local recipes out of `lock`, and all times.

    Their revisions are in the project's own history: with one in the lockfile, editing such a
    recipe would have no effect.  Times would make the file differ from run to run.
    Raises `ToolError` when Conan wrote something else than a lockfile.
    """
    read = read_json(lock)
    try:
        for kind in KINDS:
            read[kind] = list(dict.fromkeys(_settled(row, local) for row in read.get(kind, ())))
        write_if_changed(lock, json.dumps(read, indent=4) + "\n")
    except (TypeError, AttributeError) as error:
        raise ToolError(
            f"Conan's lockfile {lock} is not understood", why=repr(error), remedy=AGAIN
        ) from error


def _settled(row: str, local: Collection[str]) -> str:
    reference = row.partition("%")[0]
    return reference.partition("#")[0] if _name(reference) in local else reference


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

    It holds what each of `hosts` needs.  Versions that are locked stay, unless `upgrade`; packages
    that nothing needs go when `complete`, that is when `hosts` are all the targets there are.
    """
    lock = beside(conanfiles[0])
    before = lock.read_text(encoding="utf-8") if lock.is_file() else ""
    out = home.where / "lock"
    out.mkdir(parents=True, exist_ok=True)
    parts: list[Path] = []
    for number, (conanfile, host) in enumerate((c, h) for c in conanfiles for h in hosts):
        part = out / f"{number}.lock"
        base = f"--lockfile={lock}" if before and not upgrade else "--lockfile="
        home.run(
            *("lock", "create", conanfile, "--build=missing", base, "--lockfile-partial"),
            *("--lockfile-clean", f"--lockfile-out={part}"),
            *profiles(host, build, out),
            doing=f"locking the packages of {conanfile} for {host.name}",
            remedy=lambda output: remedy(output, lock),
            timeout=None,
        )
        parts.append(part)
    if before and not complete:
        rest = out / "rest.lock"
        write_if_changed(rest, json.dumps(_others(lock, parts)))
        parts.append(rest)
    merged = out / "merged.lock"
    home.run(
        *("lock", "merge", f"--lockfile-out={merged}", *(f"--lockfile={part}" for part in parts)),
        doing=f"merging {lock}",
    )
    settle(merged, home.local)
    return write_if_changed(lock, read_regular(merged))


def _others(lock: Path, parts: Sequence[Path]) -> dict[str, object]:
    """What is in `lock` of packages that no target of `parts` needs: another may need them."""
    mend = f"Take {lock} back from version control, or delete it: buildtool lock makes it anew."
    read, new = read_json(lock, mend), [read_json(part) for part in parts]
    for kind in KINDS:
        names = {_name(row) for part in new for row in part.get(kind, ())}
        read[kind] = [row for row in read.get(kind, ()) if _name(row) not in names]
    return dict(read)


def _name(row: str) -> str:
    return row.partition("/")[0]
