"""Clones that look up the outputs of a step in their cache and on a server without a network."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from buildtool.cache.local import LocalCache
from buildtool.cache.outputs import read_outputs
from buildtool.cache.remote.client import RemoteCache
from buildtool.engine.lookup import CacheLookup
from buildtool.engine.record import StepRecord
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import InputSet, PathSet, observe
from buildtool.inputs.roots import Roots

KEY = "a" * 64
PATHS = PathSet.of(["{project}/a.c"], ["{project}/a.h"], [Glob("{project}/*.c")])


@dataclasses.dataclass(frozen=True)
class Clone:
    """A clone with a source, and the simulated outputs of a step."""

    root: Path
    lookup: CacheLookup

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True)
        self.write("one")

    def write(self, text: str, name: str = "a.c") -> None:
        (self.root / name).write_text(text)

    @property
    def roots(self) -> Roots:
        return Roots({"project": self.root, "zig": self.root.parent / "zig"})

    @property
    def out(self) -> Path:
        return self.root / ".buildtool" / "out"

    def inputs(self, paths: PathSet = PATHS) -> InputSet:
        return observe(paths, self.roots, FileStates())

    def make(
        self, *, bound: bool = False, paths: PathSet = PATHS, key: str = KEY, more: str = ""
    ) -> None:
        """Simulate the execution of the step, and store its outputs."""
        shutil.rmtree(self.out, ignore_errors=True)
        (self.out / "bin").mkdir(parents=True)
        (self.out / "bin" / "app").write_text(f"made of {(self.root / 'a.c').read_text()}{more}")
        (self.out / "bin" / "app").chmod(0o755)
        (self.out / "bin" / "link").symlink_to("app")
        record = StepRecord(key, self.inputs(paths), read_outputs(self.out), 1.0)
        self.lookup.store(record, self.out, str(self.root) if bound else "")

    def restore(self, key: str = KEY) -> str:
        """Restore the outputs for the current inputs; returns the cache and the restored text."""
        hit = self.lookup.find(key, self.roots, FileStates())
        if hit is None:
            return ""
        assert hit.record.inputs == self.inputs(hit.record.inputs.paths)
        shutil.rmtree(self.out, ignore_errors=True)
        if not self.lookup.restore(hit, self.out):
            assert not self.out.exists()
            return "lost"
        assert (self.out / "bin" / "app").stat().st_mode & 0o777 == 0o755
        return f"{hit.origin}: {(self.out / 'bin' / 'link').read_text()}"

    def nearest(self) -> tuple[int, list[str]]:
        known = self.lookup.known(KEY)
        rows = self.lookup.nearest(known, self.roots, FileStates())
        return len(known), [row.text for row in rows]


class Server:
    """A remote cache without a network, which never fails."""

    url = "http://cache.invalid"

    def __init__(self, *, writable: bool = True) -> None:
        self.writable = writable
        self.messages: list[str] = []
        self.documents: dict[str, tuple[bytes, dict[str, bytes]]] = {}
        self.asked: list[str] = []

    def put(self, key: str, data: bytes, files: Mapping[str, Path]) -> bool:
        self.documents[key] = data, {name: file.read_bytes() for name, file in files.items()}
        return True

    @property
    def failures(self) -> Any:
        return SimpleNamespace(
            bad_response=self.messages.append,
            unusable=self.messages.append,
            unreachable=self.unreachable,
        )

    def unreachable(self, what: str) -> None:
        self.messages.append(what)
        self.documents.clear()

    def document(self, key: str) -> Any:
        self.asked.append(key)
        if key not in self.documents:
            return None
        data, files = self.documents[key]
        return Document(data, files)


@dataclasses.dataclass(frozen=True)
class Document:
    data: bytes
    blobs: Mapping[str, bytes]

    @property
    def files(self) -> dict[str, int]:
        return {digest: len(blob) for digest, blob in self.blobs.items()}

    def fetch(self, digest: str, into: Path) -> bool:
        if digest in self.blobs:
            into.write_bytes(self.blobs[digest])
        return digest in self.blobs


def machine(folder: Path, server: Server | None = None) -> CacheLookup:
    """The caches of a machine whose local cache is `folder`."""
    cache = LocalCache(folder, 1 << 30, lambda _: None)
    return CacheLookup(cache, cast(RemoteCache, server))
