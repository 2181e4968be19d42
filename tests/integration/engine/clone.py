"""A clone of the project of `sources`: edited, damaged, and compared by its outputs."""

from __future__ import annotations

import itertools
import os
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.integration.engine.edits import Harm
from tests.integration.engine.sources import COMPONENTS, Source, State
from tests.project import OLD, Project

Outputs = dict[str, bytes]
"""Release files: path, followed by `+x` if executable, → content, or the target of a link."""


@dataclass
class Clone(Project):
    """The project in `root`, whose sources are in `state`."""

    state: dict[str, Source] = field(default_factory=dict)

    def check_out(self, state: State, manner: str = "now") -> None:
        """Write the sources of `state`; files that do not change keep their time stamps."""
        for name in self.state.keys() - state.keys():
            path = self.root / name
            path.unlink()
            for folder in itertools.takewhile(lambda p: p != self.root, path.parents):
                if not any(folder.iterdir()):
                    folder.rmdir()
        for name, source in state.items():
            if self.state.get(name) != source:
                _write(self.root / name, source, manner)
        self.state = dict(state)
        # A build cannot tell a file that was written shortly before it from one written during it.
        time.sleep(0.02)

    def touch(self) -> None:
        for name in self.state:
            os.utime(self.root / name, follow_symlinks=False)

    def another(self) -> None:
        """Go on in a new clone elsewhere, which has the same cache."""
        self.root = self._elsewhere()
        state, self.state = self.state, {}
        self.check_out(state)

    def move(self) -> None:
        """Move the project with what was built."""
        self.root = self.root.rename(self._elsewhere())

    def unpack(self) -> None:
        """Replace the project with what was built by a copy, as from an archive."""
        _copy(self.root)

    def unpack_cache(self) -> None:
        """Replace the cache of build results by a copy, as from an archive."""
        _copy(self.cache / "actions")
        _copy(self.cache / "digests")

    def _elsewhere(self) -> Path:
        return self.root.with_name(f"a clone {time.time_ns()}")

    def outputs(self) -> dict[str, Outputs]:
        """The files of the release of each component."""
        return outputs(self.release())

    def harm(self, harm: Harm) -> str:
        """Damage a file; returns its path, or "" if there is no file."""
        place = self.root / ".buildtool" / harm.place
        if harm.place == "cache":
            place = self.cache / "actions"
        files = sorted(path for path in place.rglob("*") if path.is_file() or path.is_symlink())
        if not files:
            return ""
        path = files[harm.number % len(files)]
        if harm.harm == "delete" or path.is_symlink() or not path.stat().st_size:
            path.unlink()
        elif harm.harm == "truncate":
            os.truncate(path, path.stat().st_size // 2)
        else:
            data = bytearray(path.read_bytes())
            data[harm.number % len(data)] ^= 1
            path.chmod(0o755)
            path.write_bytes(data)
        return str(path.relative_to(place))


def _copy(path: Path) -> None:
    """Replace a file or a directory by a copy with other inodes and times."""
    copied = path.with_name("copied")
    if path.is_dir():
        shutil.copytree(path, copied, symlinks=True, copy_function=shutil.copy)
        shutil.rmtree(path)
    elif path.exists():
        shutil.copy(path, copied)
    else:
        return
    copied.replace(path)


def outputs(release: Path) -> dict[str, Outputs]:
    """The files in a release by component, without those that belong to the whole release."""
    found: dict[str, Outputs] = {name: {} for name in COMPONENTS}
    for path in sorted(release.rglob("*")):
        name = str(path.relative_to(release))
        component = (
            "host"
            if name.startswith(("bin/", "share/"))
            else "dsp/a"
            if name.endswith("libcalc_skel.so")
            else "dsp/b"
            if name.endswith("libb_skel.so")
            else ""
        )
        if not component:
            continue
        if path.is_symlink():
            found[component][name] = os.fsencode(path.readlink())
        elif path.is_file():
            runs = "+x" if path.stat().st_mode & 0o100 else ""
            found[component][name + runs] = path.read_bytes()
    return found


def _write(path: Path, source: Source, manner: str) -> None:
    before = path.lstat() if os.path.lexists(path) else None
    path.parent.mkdir(parents=True, exist_ok=True)
    if before and (source.link or path.is_symlink() or manner != "in place"):
        path.unlink()
    if source.link:
        path.symlink_to(source.link)
    else:
        path.write_text(source.text, encoding="utf-8")
        path.chmod(0o755 if source.runs else 0o644)
    if manner == "old time":
        os.utime(path, (OLD, OLD), follow_symlinks=False)
    elif manner == "same time" and before:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns), follow_symlinks=False)
