"""Unpacked Debian packages: places, links and paths, and packages that lead elsewhere."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError
from buildtool.debian.packages import make_tree
from tests.unit.unpack.archives import deb

LIBRARY = "usr/lib/aarch64-linux-gnu"


def package(path: Path, files: dict[str, str | bytes]) -> Path:
    """Write a package with files, of which those with bytes are links."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"./{name}")
            if isinstance(content, bytes):
                entry.type, entry.linkname = tarfile.SYMTYPE, content.decode()
                archive.addfile(entry)
            else:
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content.encode()))
    path.write_bytes(deb(stream.getvalue(), "data.tar"))
    return path


def test_headers_libraries_and_links_of_two_packages(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "lib/aarch64-linux-gnu/libz.so.1.2": "z",
        "lib/aarch64-linux-gnu/libz.so.1": b"libz.so.1.2",
        "usr/share/doc/zlib1g/copyright": "free",
        "usr/share/doc/zlib1g/changelog.gz": "long",
        "usr/bin/tool": "tool",
        "etc/config": "config",
    }
    dev: dict[str, str | bytes] = {
        f"{LIBRARY}/libz.so": b"/lib/aarch64-linux-gnu/libz.so.1",
        f"{LIBRARY}/libgone.so": b"libgone.so.1",
        f"{LIBRARY}/libout.so": b"../../../../../../etc/passwd",
        f"{LIBRARY}/libself.so": b"libself.so",
        f"{LIBRARY}/pkgconfig/zlib.pc": "prefix=/usr\nlibdir=${prefix}/lib\nother=/usr/lib/x\n",
        f"{LIBRARY}/cmake/z/z.cmake": 'set(Z "/usr/include/z" ${P}/usr/lib/q)\nset(_IMPORT_PREFIX "/usr/lib/")\n',  # noqa: E501
        "usr/include/aarch64-linux-gnu/zarch.h": "arch",
        "usr/include/zlib.h": "header",
    }
    into = tmp_path / "tree"

    make_tree(
        {
            "zlib1g": package(tmp_path / "zlib1g.deb", files),
            "zlib1g-dev": package(tmp_path / "dev.deb", dev),
        },
        into,
    )

    found = {
        str(path.relative_to(into)): str(path.readlink()) if path.is_symlink() else path.read_text()
        for folder, _, names in os.walk(into)
        for path in (Path(folder, name) for name in names)
    }
    assert found == {
        "include/aarch64-linux-gnu/zarch.h": "arch",
        "include/zarch.h": "aarch64-linux-gnu/zarch.h",
        "include/zlib.h": "header",
        "lib/aarch64-linux-gnu/cmake/z/z.cmake": 'set(Z "${CMAKE_CURRENT_LIST_DIR}/../../../../include/z" ${P}/usr/lib/q)\nset(_IMPORT_PREFIX "/usr/lib/")\n',  # noqa: E501
        "lib/aarch64-linux-gnu/libz.so": "libz.so.1.2",
        "lib/aarch64-linux-gnu/libz.so.1": "libz.so.1.2",
        "lib/aarch64-linux-gnu/libz.so.1.2": "z",
        "lib/pkgconfig/zlib.pc": "prefix=${pcfiledir}/../..\nlibdir=${prefix}/lib\n"
        "other=${pcfiledir}/../../lib/x\n",
        "share/buildtool/debian.json": "{}",
        "share/doc/zlib1g/copyright": "free",
    }


@pytest.mark.parametrize(
    "files",
    [
        {"usr/include/../../../x.h": "out"},
        {"usr/include/d": b"/etc", "usr/include/d/x.h": "through a link"},
        {"usr/include/x": "file", "usr/include/x/y.h": "below a file"},
    ],
)
def test_a_package_that_leads_out_of_the_directory_is_refused(
    tmp_path: Path, files: dict[str, str | bytes]
) -> None:
    with pytest.raises(BuildtoolError):
        make_tree({"x": package(tmp_path / "x.deb", files)}, tmp_path / "a/b/tree")

    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["x.deb"]


def test_nothing_is_written_through_a_link_of_another_package(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    first = package(tmp_path / "a.deb", {"usr/include/d": str(outside).encode()})
    second = package(tmp_path / "b.deb", {"usr/include/d/x.h": "x"})

    make_tree({"a": first, "b": second}, tmp_path / "tree")

    assert [*outside.iterdir()] == []
    assert (tmp_path / "tree/include/d/x.h").read_text() == "x"
