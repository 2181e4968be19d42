"""Packing a release, against tar and zstd, and packaging with nothing to do, against such a build.

make bench
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from measure import BUILDTOOL, Run, as_installed, head, medians, row, run

ROUNDS = 5
MIB = 1 << 20
SIZE = 1024 * MIB
FILES = 8
ROOT = Path(__file__).parents[1]
PACK = """
import resource, sys
from pathlib import Path
from buildtool.release.formats import tar_zst
from buildtool.release.formats.entries import Entry, Package
folder, out = map(Path, sys.argv[1:])
entries = tuple(Entry(file.name, 0o644, file) for file in sorted(folder.iterdir()))
package = Package("bench", "1", "sim", "ubuntu-aarch64", "2.35", 31, 0, entries)
tar_zst.write(package, out)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def main() -> None:
    """Print the tables."""
    environment = as_installed()
    with tempfile.TemporaryDirectory(prefix="bench-package-") as folder:
        pack(Path(folder), environment)
    head("package", "build")
    for verb in ("package", "build"):
        run([*BUILDTOOL, verb, "sim"], ROOT, environment)
    ours, theirs = (
        Run([[*BUILDTOOL, verb, "sim"]], ROOT, environment) for verb in ("package", "build")
    )
    row("nothing changed", medians(3 * ROUNDS, ours, theirs), "2.0")


def pack(folder: Path, environment: dict[str, str]) -> None:
    data = folder / "data"
    data.mkdir()
    for number in range(FILES):
        with (data / f"{number}.bin").open("wb") as file:
            for _ in range(SIZE // FILES // MIB):
                file.write(os.urandom(MIB))
    command: list[str | Path] = [sys.executable, "-c", PACK, data, folder / "ours.tar.zst"]

    def remove_archives() -> None:
        """A package writes a new file; and no run waits for what the other one wrote."""
        for archive in folder.glob("*.tar.zst"):
            archive.unlink()
        os.sync()

    ours = Run([command], folder, environment, remove_archives)
    script = f"tar -C {folder} -cf - data | zstd -q -T0 -f -o {folder}/theirs.tar.zst"
    theirs = Run([["sh", "-c", script]], folder, environment, remove_archives)
    head("tar_zst", "tar | zstd")
    row("1 GiB of random bytes, 8 files", medians(ROUNDS, ours, theirs), "1.5")
    memory = int(run(command, folder, environment)) / 1024
    print(f"{'its largest memory':<46}{memory:>7.0f} MB{'':>20}  200 MB")


if __name__ == "__main__":
    main()
