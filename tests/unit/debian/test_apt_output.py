"""What apt prints, and debian.lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.debian.apt import parse_uris
from buildtool.project.debian_lock import (
    NAME,
    DebianPackage,
    LockedPackages,
    LockError,
    locked_packages,
    read_lock,
    write_lock,
)

ZLIB = DebianPackage("zlib1g-dev", "1:1.3.dfsg+really1.3.1-1+b1", "arm64", "a" * 64)


def test_the_versions_of_packages_are_in_the_names_of_their_files() -> None:
    output = """Reading package lists...
  zlib1g
'http://example.org/pool/libpng-dev_1.6.39-2%2bdeb12u6_arm64.deb' libpng-dev_1.6.39-2+deb12u6_arm64.deb 355760
'http://example.org/pool/zlib1g_1.2.13.dfsg-1_arm64.deb' zlib1g_1%3a1.2.13.dfsg-1_arm64.deb 82744 MD5Sum:6ba5
'http://example.org/pool/nlohmann-json3-dev_3.11.2-2_all.deb' nlohmann-json3-dev_3.11.2-2_all.deb 259000
"""  # noqa: E501
    assert parse_uris(output) == [
        ("libpng-dev", "1.6.39-2+deb12u6", "arm64"),
        ("nlohmann-json3-dev", "3.11.2-2", "all"),
        ("zlib1g", "1:1.2.13.dfsg-1", "arm64"),
    ]


def test_a_lockfile_is_read_as_it_was_written(tmp_path: Path) -> None:
    locked = LockedPackages(("zlib1g-dev",), (ZLIB,))

    assert read_lock(tmp_path) == {}
    assert write_lock(tmp_path, {"zlib": locked})
    assert not write_lock(tmp_path, {"zlib": locked})

    assert locked_packages(tmp_path, "zlib", ["zlib1g-dev"]) == locked
    assert ZLIB.purl == "pkg:deb/debian/zlib1g-dev@1%3A1.3.dfsg%2Breally1.3.1-1%2Bb1?arch=arm64"
    with pytest.raises(LockError, match="does not have the Debian packages of zlib: libpng-dev"):
        locked_packages(tmp_path, "zlib", ["libpng-dev"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("zlib1g-dev", "../../x"),
        ("zlib1g-dev", "-oDir=/"),
        ("a" * 64, "../a"),
        ('"schema": 1', '"schema": 2'),
        ('"packages"', '"other"'),
        ("arm64", "amd64"),
    ],
)
def test_a_lockfile_that_names_something_else_is_refused(
    tmp_path: Path, old: str, new: str
) -> None:
    write_lock(tmp_path, {"zlib": LockedPackages(("zlib",), (ZLIB,))})
    file = tmp_path / NAME
    file.write_text(file.read_text().replace(old, new))

    with pytest.raises(LockError, match="cannot be read"):
        read_lock(tmp_path)
