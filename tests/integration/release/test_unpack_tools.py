"""Archives of the usual tools are unpacked to the tree that they were made from."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from buildtool.release.unpack import entries, unpack

LONG = "share/" + "n" * 120 + "/" + "m" * 120
COMMANDS = {
    "gnu.tar.zst": "tar -I 'zstd -19 -T2' -cf {archive} -C tree .",
    "gnu.tar.gz": "tar -czf {archive} -C tree --format=gnu bin lib share",
    "pax.tgz": "tar -czf {archive} -C tree --format=pax bin lib share",
    "ustar.tgz": "tar -czf {archive} -C tree --format=ustar bin lib",
    "git.tar.gz": "cd tree && git init -q && git add . && git -c user.name=x -c user.email=x"
    " commit -qm x && git archive -o {archive} HEAD && rm -rf .git",
    "info.zip": "cd tree && zip -qry {archive} . -x 'share/\u00e9'",
    "pipe.zip": "cd tree && zip -qr - bin lib/libdemo.so.1 share/n* | cat > {archive}",
    "stored.zip": "cd tree && zip -qry0 {archive} . -x 'share/\u00e9'",
    "python.zip": "{python} -m zipfile -c {archive} tree/bin tree/share",
    "xz.deb": "dpkg-deb -Zxz --root-owner-group -b package {archive}",
    "gzip.deb": "dpkg-deb -Zgzip --root-owner-group -b package {archive}",
    "zstd.deb": "dpkg-deb -Zzstd --root-owner-group -b package {archive}",
    "none.deb": "dpkg-deb -Znone --root-owner-group -b package {archive}",
}
CONTROL = (
    "Package: demo\nVersion: 1\nArchitecture: arm64\nMaintainer: x <x@x.org>\nDescription: x\n"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a tree, and a Debian package's tree with the same files in usr/."""
    folder = tmp_path_factory.mktemp("made")
    tree = folder / "tree"
    for name in ("bin/demo", "lib/libdemo.so.1", LONG, "share/\u00e9", "share/empty"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(name * 2000 if name != "share/empty" else "")
    (tree / "bin" / "demo").chmod(0o755)
    (tree / "lib" / "libdemo.so").symlink_to("libdemo.so.1")
    shutil.copytree(tree, folder / "package" / "usr", symlinks=True)
    (folder / "package" / "DEBIAN").mkdir()
    (folder / "package" / "DEBIAN" / "control").write_text(CONTROL)
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_unpacked_is_what_was_packed(made: Path, name: str) -> None:
    archive, into = made / name, made / f"unpacked-{name}"
    command = COMMANDS[name].format(archive=archive, python=shlex.quote(sys.executable))
    subprocess.run(["sh", "-euc", command], cwd=made, check=True)

    unpack(archive, into)

    known = {entry.path: entry for entry in entries(archive)}
    files = [path for path in into.rglob("*") if path.is_file()]
    assert len(files) >= (3 if name in ("ustar.tgz", "pipe.zip") else 4)
    for path in files:
        inside = path.relative_to(into).as_posix().removeprefix("usr/")
        original = made / "tree" / inside
        assert path.read_bytes() == original.read_bytes()
        assert path.is_symlink() == original.is_symlink()
        assert path.stat().st_mode & 0o777 == (0o755 if inside == "bin/demo" else 0o644)
        assert path.relative_to(into).as_posix() in known
