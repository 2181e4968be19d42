"""Eviction from zig's cache: zig continues to work with what is left."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from buildtool.cache.eviction import evict
from buildtool.cache.index import Index
from buildtool.cache.store import Store
from buildtool.cache.zig_cache import entries, make_ready, renew, repair, sweep
from buildtool.sdk.packaged_tools import find_zig


class Zig:
    """zig with its own, empty cache."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.cache = place / "zig"
        self.program = find_zig().where

    def compiles(self, name: str) -> bool:
        """Compile a source, from the cache if possible; returns whether that succeeded."""
        return self.compile(name).returncode == 0

    def compile(self, name: str) -> subprocess.CompletedProcess[str]:
        source = self.place / f"{name}.c"
        if not source.exists():
            source.write_text(f"int {name}(void) {{ return 1; }}\n")
            age(source)  # zig does not trust files that were written a moment ago
        return self.compile_file(source)

    def compile_file(self, source: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        cache = str(self.cache)
        return subprocess.run(
            [self.program, "cc", "-target", "aarch64-linux-gnu.2.35", "-c", source, "-o", "x.o"],
            cwd=self.place,
            env={
                **os.environ,
                **variables,
                "ZIG_GLOBAL_CACHE_DIR": cache,
                "ZIG_LOCAL_CACHE_DIR": cache,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def collect(self) -> int:
        """Evict everything that can be evicted; returns how many bytes that were."""
        store = Store(self.place / "actions")
        freed = evict(store, Index(store), 0, entries(self.cache))
        return freed["zig"].bytes if "zig" in freed else 0


def age(*paths: Path, days: float = 3) -> None:
    """Set the times of access and modification."""
    then = time.time() - days * 24 * 3600
    for path in paths:
        os.utime(path, (then, then))


@pytest.fixture
def zig(tmp_path: Path) -> Zig:
    made = Zig(tmp_path)
    assert made.compiles("first")
    assert made.compiles("second")
    return made


def test_what_was_used_lately_stays(zig: Zig) -> None:
    assert zig.collect() == 0
    assert any((zig.cache / "o").iterdir())


def test_a_cache_that_was_evicted_is_filled_again(zig: Zig) -> None:
    (zig.cache / "notes").write_text("of the user")
    age(zig.cache)
    assert zig.collect() > 0
    assert [path.name for path in zig.cache.iterdir()] == ["notes"]
    assert zig.compiles("first")
    assert any((zig.cache / "o").iterdir())


def test_a_build_records_that_it_uses_the_cache(zig: Zig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUILDTOOL_CACHE", str(zig.place))
    age(zig.cache)
    (entry,) = entries(zig.cache)
    assert make_ready() == zig.cache
    assert not entry.delete()
    assert not [*entries(zig.cache)]


def test_the_use_of_a_cache_on_another_disk_is_recorded_there(
    zig: Zig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUILDTOOL_CACHE", str(zig.place))
    elsewhere = zig.cache.rename(zig.place / "elsewhere")
    zig.cache.symlink_to(elsewhere)
    os.utime(zig.cache, (1, 1), follow_symlinks=False)
    assert not [*entries(zig.cache)]
    age(elsewhere)
    assert len([*entries(zig.cache)]) == 1
    make_ready()
    assert not [*entries(zig.cache)]


def test_outputs_that_zig_misses_are_made_again(zig: Zig) -> None:
    """zig by itself would fail each time."""
    (first,) = (zig.cache / "o").glob("*/first.o")
    (second,) = (zig.cache / "o").glob("*/second.o")
    first.unlink()
    stderr = zig.compile("first").stderr
    assert not repair(zig.cache, f"an error about {second}")
    assert not repair(zig.cache, f"an error about the project's o/{'0' * 32}/file")
    assert repair(zig.cache, stderr), stderr
    assert zig.compiles("first")
    assert zig.compiles("second")
    assert not repair(zig.cache, stderr)


def test_leftovers_of_killed_processes_are_deleted(zig: Zig) -> None:
    left = zig.cache / "tmp" / "0123456789abcdef"
    lately = zig.cache / "tmp" / "123456789abcdef0"
    half = zig.cache / "tmp" / "0123456789abcdef-first.o"
    left.mkdir()
    lately.mkdir()
    half.write_bytes(b"half")
    age(left, half)
    sweep(zig.cache)
    assert [path.name for path in (zig.cache / "tmp").iterdir()] == [lately.name]


class Restored(Zig):
    """zig with a library that can be unpacked again; a source in it stands for libc++'s."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        packaged = self.program.resolve()
        self.program = place / "installed" / "zig"
        self.library = place / "installed" / "lib"
        (self.library / "std").mkdir(parents=True)
        for name in ("zig", "lib/std/std.zig"):  # zig finds its library by this source
            shutil.copy2(packaged.parent / name, self.program.parent / name)
        self.source = self.library / "vector.c"
        self.source.write_text("int vector = 1;\n")
        age(self.source)
        assert self.is_compiled()

    def is_compiled(self) -> bool:
        """Compile the source in the library; returns whether clang was needed for that."""
        done = self.compile_file(self.source, ZIG_VERBOSE_CC="1")
        assert done.returncode == 0, done.stderr
        return " clang " in done.stderr

    def unpack(self) -> None:
        """Give the source another inode, and the time of an archive, without nanoseconds."""
        status = self.source.stat()
        copy = self.library / "copy.c"
        copy.write_bytes(self.source.read_bytes())
        os.utime(copy, (status.st_atime // 1, status.st_mtime // 1))
        copy.replace(self.source)


@pytest.fixture
def restored(tmp_path: Path) -> Restored:
    return Restored(tmp_path)


def test_zig_compiles_sources_with_another_inode_again(restored: Restored) -> None:
    """Without this, `renew` is not needed."""
    assert not restored.is_compiled()
    restored.unpack()
    assert restored.is_compiled()


def test_a_library_that_was_unpacked_again_is_not_compiled_again(restored: Restored) -> None:
    for _ in range(2):
        restored.unpack()
        renew(restored.cache, restored.library)
        assert not restored.is_compiled()
