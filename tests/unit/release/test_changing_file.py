"""A file that changes its size while it is packed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.release.formats.entries import (
    Package,
    PackageEntry,
    write_tar_archive,
    write_zip_archive,
)


class Growing(PackageEntry):
    """A file that another process makes longer after its size was read."""

    @property
    def size(self) -> int:
        return super().size - 1


@pytest.mark.parametrize("write", [write_tar_archive, write_zip_archive])
def test_a_file_that_changes_its_size_is_an_error(
    write: Callable[[Package, Path], None], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("some text")
    entries = (Growing("share/file", 0o644, file),)
    package = Package("p", "1", "t", "ubuntu-aarch64", "2.35", 0, 0x20000000, entries)
    with pytest.raises(OSError, match=r"it changed while it was packed.*/file"):
        write(package, tmp_path / "archive")
