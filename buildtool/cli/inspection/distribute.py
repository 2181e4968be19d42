"""`buildtool profile --distribute`: writes what other machines need to compile for a target."""

from __future__ import annotations

import shutil
from pathlib import Path

from buildtool.cli.show import show, write
from buildtool.core.errors import UsageError
from buildtool.core.files import file_digest
from buildtool.project.model import Project, Target
from buildtool.toolchains.distribute import ENGINES
from buildtool.toolchains.distribute.launcher_scripts import archive
from buildtool.toolchains.distribute.remote_compiler import limits, remote_compiler
from buildtool.toolchains.select_profiles import host_profile, skel_profiles

_NEXT = {
    "distcc": "Unpack each on every machine with distccd, as root: tar -C / -xzf ARCHIVE",
    "icecc": "Builds send them to the machines: nothing has to be installed there.",
}


def write_archives(project: Project, target: Target, engine: str, folder: Path | None) -> None:
    """Make the archives of the compilers of `target`, copy them to `folder`, and print their paths,
    digests, and what to do with them.  Raises `UsageError` for an unknown engine."""
    if engine not in ENGINES:
        raise UsageError(
            f"unknown engine {engine!r}",
            why=f"known: {', '.join(ENGINES)}",
            remedy="Name one of these.",
        )
    sides: dict[str, list[str]] = {}
    archives: dict[str, Path] = {}
    notes: dict[str, None] = {}
    for profile in (host_profile(project, target), *skel_profiles(project, target).values()):
        compiler = remote_compiler(profile)
        archives[compiler.name] = archive(compiler, engine)
        sides.setdefault(compiler.name, []).append(profile.name)
        notes |= {f"{limit.text}\n  → {limit.remedy}": None for limit in limits(profile, engine)}
    for name, path in archives.items():
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            path = Path(shutil.copy(path, folder))  # noqa: PLW2901
        write(f"{path}\n")
        show(f"    {path.stat().st_size:,} B, sha256 {file_digest(path)}")
        show(f"    for {', '.join(sides[name])}")
    for line in "\n".join([_NEXT[engine], *notes]).splitlines():
        show(line)
