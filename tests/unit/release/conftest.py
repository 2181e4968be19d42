"""Finished steps that were never built, with small generated ELF files as outputs."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from buildtool.core.elf.file import EM_AARCH64
from buildtool.engine.result import BuildResult
from buildtool.inputs.file_states import FileStates
from buildtool.plan.plan import CMakeStep, Plan
from buildtool.release.assemble import RUN_SCRIPT, make_release
from buildtool.release.slices import Release
from buildtool.toolchains.profile import Compiler, Profile
from tests.made_up import CMAKE, built

Files = Mapping[str, bytes | str]
"""Path → content, or the target of a link."""
HOST = Profile(
    "p",
    "ubuntu-aarch64",
    "ubuntu_aarch64.cmake.in",
    {},
    "",
    {},
    Compiler("clang", "22", "", (), ()),
)
DSP = HOST._replace(platform="hexagon")


def elf(soname: str = "", needed: Sequence[str] = (), runpath: str = "", text: str = "") -> bytes:
    """An ARM64 shared object with these dynamic entries that contains `text`."""
    strings = bytearray(b"\0")
    tags = []
    for tag, value in ((14, soname), *((1, name) for name in needed), (29, runpath)):
        if value:
            tags.append((tag, len(strings)))
            strings += value.encode() + b"\0"
    header, segment, entry = 64, 56, 16
    at = header + 2 * segment
    size = entry * (len(tags) + 3)
    tags += [(5, at + size), (10, len(strings)), (0, 0)]  # STRTAB, STRSZ, NULL
    dynamic = b"".join(struct.pack("<QQ", *row) for row in tags)
    end = at + size + len(strings)
    rows = ((1, 5, 0, end, 0x10000), (2, 4, at, size, 8))  # LOAD, DYNAMIC
    segments = b"".join(
        struct.pack("<IIQQQQQQ", kind, flags, start, start, start, length, length, alignment)
        for kind, flags, start, length, alignment in rows
    )
    begin = (
        b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQI", 3, EM_AARCH64, 1, 0, 64, 0, 0)
    )
    begin += struct.pack("<HHHHHH", header, segment, len(rows), 64, 0, 0)
    return begin + segments + dynamic + bytes(strings) + text.encode()


@dataclass
class Project:
    """A target of finished components, which tests add."""

    root: Path
    system_libraries: tuple[str, ...] = ()
    steps: dict[str, CMakeStep] = field(default_factory=dict)

    def component(
        self,
        name: str,
        files: Files,
        *,
        arch: str | None = None,
        ships: bool = True,
        artifacts: tuple[str, ...] = (),
    ) -> CMakeStep:
        """Add the component `name` with these outputs: content, or the target of a link."""
        output = self.root / "out" / name
        for path, content in files.items():
            place = output / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)
            if isinstance(content, bytes):
                place.write_bytes(content)
            else:
                place.symlink_to(content)
        step = CMakeStep(
            name=f"host/{name}",
            component=name,
            arch=arch,
            profile=DSP if arch else HOST,
            root=self.root,
            source=self.root / "source" / name,
            tree=self.root / "tree" / name,
            output=output,
            cmake=CMAKE,
            ships=ships,
            artifacts=artifacts,
        )
        self.steps[name] = step
        return step

    def release(self) -> Release:
        state, directory = self.root / "state", self.root / "release/sim"
        plan = Plan("sim", tuple(self.steps.values()), directory, state, self.system_libraries)
        return make_release(BuildResult(plan, tuple(map(built, self.steps.values()))), FileStates())

    def release_files(self) -> dict[str, str]:
        """The files of the release and links: the target of a link, "" for a file."""
        folder = self.release().directory
        return {
            str(path.relative_to(folder)): str(path.readlink()) if path.is_symlink() else ""
            for path in folder.rglob("*")
            if (path.is_symlink() or path.is_file()) and path.name != RUN_SCRIPT
        }


@pytest.fixture
def made(tmp_path: Path) -> Project:
    return Project(tmp_path)
