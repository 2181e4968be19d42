"""`buildtool profile --distribute`: writes what other machines need to compile for a target."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from buildtool.cli.show import show, write
from buildtool.core.files import file_digest
from buildtool.toolchains.distribute.archive import archive
from buildtool.toolchains.distribute.limits import limits
from buildtool.toolchains.distribute.remote_compiler import remote_compiler
from buildtool.toolchains.profile import Profile

_NEXT = {
    "distcc": "Unpack each on every machine with distccd, as root: tar -C / -xzf ARCHIVE",
    "icecc": "Builds send them to the machines: nothing has to be installed there.",
}


def write_archives(profiles: Iterable[Profile], engine: str, folder: Path | None) -> None:
    """Make the archives of the profiles' compilers, copy them to `folder`, and print their paths,
    digests, and what to do with them."""
    sides: dict[str, list[str]] = {}
    archives: dict[str, Path] = {}
    for profile in profiles:
        compiler = remote_compiler(profile)
        archives[compiler.name] = archive(compiler, engine)
        sides.setdefault(compiler.name, []).append(profile.name)
        for limit in limits(profile, engine):
            show(f"{profile.name}: {limit.text}. {limit.remedy}")
    for name, path in archives.items():
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            path = Path(shutil.copy(path, folder))  # noqa: PLW2901
        write(f"{path}\n")
        show(f"    {path.stat().st_size / 1e6:.1f} MB, sha256 {file_digest(path)}")
        show(f"    for {', '.join(sides[name])}")
    show(_NEXT[engine])
