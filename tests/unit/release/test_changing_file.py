"""A file that changes its size while it is packed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from buildtool.release.formats.entries import Package, PackageEntry


class Growing(PackageEntry):
    """A file that another process makes longer after its size was read."""

    @property
    def size(self) -> int:
        return super().size - 1


@pytest.mark.parametrize("module", ["tar_zst", "zip_file"])
def test_a_file_that_changes_its_size_is_an_error(module: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("some text")
    entries = (Growing("share/file", 0o644, file),)
    package = Package("p", "1", "t", "ubuntu-aarch64", "2.35", 0, 0x20000000, entries)
    with pytest.raises(OSError, match=r"it changed while it was packed.*/file"):
        import_module(f"buildtool.release.formats.{module}").write(package, tmp_path / "archive")
