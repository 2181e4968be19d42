"""Releases that tests put together from real binaries, with a release.json of their own."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from buildtool.contract.finding import Finding
from buildtool.contract.inspection import inspect_directory

from .binaries import Linker, entry, note

DIGEST, OTHER = bytes(range(32)), bytes(range(1, 33))


class TestRelease:
    """A release in `root` for one platform, DSP arch v68, and a program with a stub."""

    __test__ = False

    def __init__(self, root: Path, linker: Linker, platform: str = "ubuntu-aarch64") -> None:
        self.root, self.linker = root, linker
        self.target: dict[str, Any] = {
            "name": "sim",
            "platform": platform,
            "archs": ["v68"],
            "glibc": "2.35" if platform == "ubuntu-aarch64" else None,
            "api": 31 if platform == "android" else None,
            "build_type": "Release",
            "system_libraries": [],
        }
        self.steps = [{"name": "skel/demo/v68", "component": "demo", "arch": "v68"}]
        android = platform == "android"
        self.libc = "libc.so" if android else "libc.so.6"
        self.cdsprpc = "libcdsprpc.so" if android else "libcdsprpc.so.1"
        self.pages = ["-Wl,-z,max-page-size=16384"] if android else []
        self.host(
            "lib/libdemo.so",
            "int rpcmem_alloc(void);\nint stub(void) { return rpcmem_alloc(); }\n"
            + note("buildtool", DIGEST),
            *linker.needing(self.cdsprpc, self.libc),
        )
        self.host("bin/demo", "int stub(void);\nint run(void) { return stub(); }", *self.demo)
        self.skel("dsp/v68/libdemo_skel.so", entry() + note("buildtool", DIGEST))
        self.put("run.sh", b"#!/bin/sh\nexec bin/demo\n")

    @property
    def demo(self) -> list[str]:
        library = self.linker.host("libdemo.so", "int stub(void) { return 0; }")
        return [str(library), "-Wl,-rpath,$ORIGIN/../lib"]

    def put(self, place: str, content: bytes | Path) -> Path:
        path = self.root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            shutil.copyfile(content, path)
        else:
            path.write_bytes(content)
        path.chmod(0o755)
        return path

    def host(self, place: str, source: str, *flags: str, stripped: bool = True) -> Path:
        name = Path(place).name
        return self.put(
            place, self.linker.host(name, source, *self.pages, *flags, stripped=stripped)
        )

    def skel(self, place: str, source: str, *flags: str, arch: str = "v68") -> Path:
        return self.put(place, self.linker.skel(source, *flags, arch=arch))

    def executes(self, place: str, *words: int) -> None:
        """Put a skel for v79 into the release, with a function `f` of the given packets."""
        code = f'void f(void) {{ __asm__(".word {", ".join(map(hex, words))}"); }}'
        self.target["archs"] = ["v68", "v79"]
        skel = self.skel(place, entry() + code + note("buildtool", DIGEST), arch="v69")
        data = bytearray(skel.read_bytes())
        data[36] = 0x79  # e_flags: Debian's clang does not know newer archs
        skel.write_bytes(data)

    def declare(self) -> None:
        """Write the release.json of what is in the directory."""
        slices: dict[str, dict[str, Any]] = {"host": {"id": "0" * 64, "files": []}}
        for path in sorted(self.root.rglob("*")):
            place = path.relative_to(self.root).as_posix()
            if not (path.is_file() or path.is_symlink()) or place == "release.json":
                continue
            parts = place.split("/")
            arch = parts[1] if parts[0] == "dsp" else "host"
            part = slices.setdefault(arch, {"id": "0" * 64, "files": []})
            if path.is_symlink():
                part["files"].append({"path": place, "link": str(path.readlink())})
                continue
            data = path.read_bytes()
            part["files"].append(
                {
                    "path": place,
                    "mode": f"{path.stat().st_mode & 0o7777:04o}",
                    "size": len(data),
                    "sha256": hashlib.sha256(data).hexdigest(),
                    "step": f"skel/demo/{arch}" if arch != "host" else "host/demo",
                    "elf": None,
                }
            )
        document = {
            "schema": 1,
            "buildtool": "0.1.0",
            "project": "demo",
            "version": "1",
            "target": self.target,
            "id": "0" * 64,
            "slices": slices,
            "steps": self.steps,
            "source": {"revision": None, "dirty": None},
            "source_date_epoch": 1_700_000_000,
        }
        (self.root / "release.json").write_text(json.dumps(document))

    def findings(self) -> tuple[Finding, ...]:
        return inspect_directory(self.root).findings
