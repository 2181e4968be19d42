"""A small release for the tests of its documents: files, release.json, archives."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

from buildtool.release.formats.entries import PackageEntry, write_tar_zst
from buildtool.release.slices import file_list_digest, release_id, slice_of
from buildtool.release.supply_chain.attach import Part

FILES = {
    "bin/demo": (0o755, b"program"),
    "lib/libcalc.so.1": (0o644, b"library"),
    "dsp/v73/libdemo_skel.so": (0o644, b"skel"),
    "dsp/v73/libc++.so.1": (0o644, b"runtime"),
    "run.sh": (0o755, b"#!/bin/sh\n"),
}
LICENCES = {"licenses/demo/LICENSE": (0o644, b"MIT")}
"""Files outside of the slices."""
LINKS = {"lib/libcalc.so": "libcalc.so.1"}
CALC = Part(
    name="calc",
    version="1.0",
    purl="pkg:conan/calc@1.0?rrev=65c96f890f8a7727004914b3b4d8e4b9",
    licences=("MIT",),
    files=("lib/libcalc.so.1",),
    revision="65c96f890f8a7727004914b3b4d8e4b9",
)
RUNTIME = Part(
    name="hexagon-sdk",
    version="6.4.0.2",
    purl="pkg:generic/hexagon-sdk@6.4.0.2",
    licences=("Hexagon SDK licence agreement",),
    files=("dsp/v73/libc++.so.1",),
)
LLVM = "Apache-2.0 WITH LLVM-exception"
ZIG = Part("ziglang", "0.17.0", "pkg:pypi/ziglang@0.17.0", ("MIT", LLVM))
PARTS = (CALC, RUNTIME, ZIG)


def file_row(path: str) -> dict[str, Any]:
    mode, data = {**FILES, **LICENCES}[path]
    digest = hashlib.sha256(data).hexdigest()
    row = {"path": path, "mode": f"{mode:04o}", "size": len(data), "sha256": digest}
    return {**row, "step": None if path == "run.sh" else "host/demo", "elf": None}


def with_ids(document: dict[str, Any]) -> dict[str, Any]:
    """`document` with the ids of its files."""
    for part in document["slices"].values():
        part["id"] = file_list_digest(
            [r["path"], "link", r["link"]] if "link" in r else [r["path"], r["mode"], r["sha256"]]
            for r in part["files"]
        )
    document["id"] = release_id({name: part["id"] for name, part in document["slices"].items()})
    return document


def release() -> dict[str, Any]:
    """A release.json."""
    rows = [file_row(path) for path in FILES]
    rows += [{"path": path, "link": target} for path, target in LINKS.items()]
    slices = {
        name: {"id": "", "files": [row for row in rows if slice_of(row["path"]) == name]}
        for name in ("host", "v73")
    }
    tools = {"compiler": "clang 22", "cmake": "4.4.4", "digest": "d" * 64}
    steps = [
        {"name": name, "component": name, "arch": arch, "profile": profile, "tools": tools}
        | {"profile_digest": digit * 64}
        for name, arch, profile, digit in (
            ("host/demo", None, "ubuntu-aarch64-glibc2.35", "a"),
            ("skel/demo/v73", "v73", "hexagon-v73", "b"),
        )
    ]
    return with_ids(
        {
            "schema": 1,
            "buildtool": "0.1.0",
            "project": "demo",
            "version": "1.2",
            "target": {
                "name": "board",
                "platform": "ubuntu-aarch64",
                "archs": ["v73"],
                "glibc": "2.35",
                "api": None,
                "build_type": "Release",
                "system_libraries": [],
            },
            "id": "",
            "slices": slices,
            "licenses": [file_row(path) for path in LICENCES],
            "steps": steps,
            "source": {"revision": "c" * 40, "dirty": False},
            "source_date_epoch": 1_700_000_000,
        }
    )


def changed(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of `document` with another value at `path` (`target.name`)."""
    copied = copy.deepcopy(document)
    inside: Any = {"": copied}
    key: Any = ""
    for part in path.split("."):
        inside = inside[key]
        key = int(part) if isinstance(inside, list) else part
    inside[key] = value
    return copied


def archive(
    folder: Path,
    document: Any = None,
    files: dict[str, tuple[int, bytes]] = FILES,
    links: dict[str, str] = LINKS,
    prefix: str = "demo-1.2-board/",
) -> Path:
    """A .tar.zst with release.json (bytes, or a document to convert to JSON)."""
    text = document if isinstance(document, bytes) else json.dumps(document or release()).encode()
    entries = [
        *(PackageEntry(path, mode, data) for path, (mode, data) in {**LICENCES, **files}.items()),
        *(PackageEntry(path, 0o777, b"", target) for path, target in links.items()),
        *([PackageEntry("release.json", 0o644, text)] if text else []),
    ]
    path = folder / "demo-1.2-board.tar.zst"
    with path.open("wb") as out:
        write_tar_zst(out, sorted(entries, key=lambda e: e.path), 1_700_000_000, prefix)
    return path
