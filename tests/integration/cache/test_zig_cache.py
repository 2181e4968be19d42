"""Eviction from zig's cache: zig continues to work with what is left."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.cache.eviction import evict
from buildtool.cache.index import Index
from buildtool.cache.store import Store
from buildtool.cache.zig_cache import entries, output_of, repair, sweep, verify
from buildtool.cache.zig_restored import renew
from buildtool.core.lock import try_lock
from buildtool.sdk.zig import find_zig


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

    def manifests(self) -> dict[str, Path]:
        """The manifests by the name of the compiled source."""
        names = {path: path.read_bytes() for path in (self.cache / "h").iterdir()}
        return {
            name: path
            for name in ("first", "second")
            for path, content in names.items()
            if f"{name}.c".encode() in content
        }

    def output(self, name: str) -> Path:
        manifest = self.manifests()[name]
        return self.cache / "o" / output_of(manifest.name, manifest.read_bytes())

    def collect(self, target: int = 0) -> int:
        """Evict down to so many bytes; returns what was deleted."""
        store = Store(self.place / "actions")
        freed = evict(store, Index(store), target, entries(self.cache))
        return freed["zig"].items if "zig" in freed else 0


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


def test_what_was_compiled_is_known_by_its_manifest(zig: Zig) -> None:
    assert {path.name for path in (zig.cache / "o").iterdir()} == {
        zig.output(name).name for name in ("first", "second")
    }
    assert [path.name for path in zig.output("first").iterdir()] == ["first.o"]


def test_what_was_used_lately_stays(zig: Zig) -> None:
    assert zig.collect() == 0
    assert zig.output("first").is_dir()


def test_least_recently_used_entries_are_deleted_first_and_compiled_again(zig: Zig) -> None:
    manifests, output = zig.manifests(), zig.output("first")
    age(manifests["first"], days=4)
    age(manifests["second"])
    assert zig.collect(sum(entry.size for entry in entries(zig.cache)) - 1) == 1
    assert not manifests["first"].exists()
    assert not output.exists()
    assert zig.output("second").is_dir()
    assert zig.compiles("first")
    assert zig.compiles("second")


def test_reading_it_is_no_use_of_it(zig: Zig) -> None:
    age(*zig.manifests().values())
    assert len(entries(zig.cache)) == 2
    assert zig.collect() == 2


def test_what_zig_uses_stays(zig: Zig) -> None:
    manifests = zig.manifests()
    age(*manifests.values())
    with manifests["first"].open() as used:
        fcntl.flock(used, fcntl.LOCK_SH)
        assert zig.collect() == 1
    assert zig.output("first").is_dir()
    assert zig.compiles("first")


def test_outputs_that_somebody_deleted_are_made_again(zig: Zig) -> None:
    """zig by itself would fail each time."""
    manifest, output = zig.manifests()["first"], zig.output("first")
    (output / "first.o").unlink()
    output.rmdir()
    assert not zig.compiles("first")
    age(manifest)
    assert zig.collect() == 1
    assert zig.compiles("first")


def test_outputs_that_zig_missed_are_made_again(zig: Zig) -> None:
    output = zig.output("first")
    (output / "first.o").unlink()
    stderr = zig.compile("first").stderr
    assert repair(zig.cache, stderr), stderr
    assert not output.exists()
    assert zig.compiles("first")
    assert not repair(zig.cache, stderr)
    assert not repair(zig.cache, "the path of outputs that nothing is wrong with: " + str(output))


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_what_is_missing_is_found(harm: Callable[[Path], object], zig: Zig) -> None:
    assert verify(zig.cache) == []
    output = zig.output("first")
    harm(output / "first.o")
    assert verify(zig.cache) == [output]
    assert verify(zig.cache) == []
    assert zig.compiles("first")
    assert zig.output("first") == output


def test_outputs_without_a_manifest_go(zig: Zig) -> None:
    output = zig.output("first")
    zig.manifests()["first"].unlink()
    assert zig.collect() == 0
    age(output)
    assert zig.collect() == 1
    assert not output.exists()
    assert zig.output("second").is_dir()


def test_no_outputs_go_while_a_manifest_is_not_understood(zig: Zig) -> None:
    """Such as a manifest in the cache of another version of zig."""
    output = zig.output("first")
    manifest = zig.manifests()["first"]
    other = manifest.rename(manifest.with_suffix(".txt"))
    age(output)
    zig.collect()
    assert output.is_dir()
    age(other)
    assert zig.collect() == 1
    assert not output.exists()
    assert not other.exists()
    assert zig.compiles("first")


def test_nothing_else_is_deleted(zig: Zig) -> None:
    notes = [zig.cache / name for name in ("notes", "h/notes", "o/notes", "tmp/notes", "z/notes")]
    for note in notes:
        note.parent.mkdir(exist_ok=True)
        note.write_text("of the user")
    elsewhere = zig.place / "elsewhere"
    (zig.cache / "o").rename(elsewhere)
    (zig.cache / "o").symlink_to(elsewhere)
    age(*notes, *zig.manifests().values(), *elsewhere.iterdir())
    zig.collect()
    sweep(zig.cache)
    assert all(note.exists() for note in notes)
    assert len(list(elsewhere.iterdir())) == 3


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


def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    with try_lock(path) as first, try_lock(path) as second:
        assert first is not None
        assert second is None
    with try_lock(tmp_path / "none") as none:
        assert none is None


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
