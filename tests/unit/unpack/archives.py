"""Archives for the tests of unpacking, made by the standard library and by hand."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

import zstandard

Part = tuple[tarfile.TarInfo, bytes]

GOOD = {"bin/demo": (0o755, b"\x7fELF program"), "lib/libdemo.so.1": (0o644, b"library" * 99)}
LINK = ("lib/libdemo.so", "libdemo.so.1")


def file(name: str, data: bytes = b"data", *, mode: int = 0o644) -> Part:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), mode
    return info, data


def special(name: str, kind: bytes, target: str = "", **fields: int) -> Part:
    """A link, a directory or a device."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    for field, value in fields.items():
        setattr(info, field, value)
    return info, b""


def link(name: str, target: str) -> Part:
    return special(name, tarfile.SYMTYPE, target)


def tar(*parts: Part, format: int = tarfile.GNU_FORMAT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=format) as archive:
        for info, data in parts:
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def good_parts() -> list[Part]:
    files = [file(name, data, mode=mode) for name, (mode, data) in GOOD.items()]
    return [special("lib", tarfile.DIRTYPE), *files, link(*LINK)]


def zipped(
    *entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in entries:
            info = name if isinstance(name, zipfile.ZipInfo) else zip_info(name)
            info.compress_type = method
            archive.writestr(info, data)
    return stream.getvalue()


def zip_info(name: str, mode: int = 0o100644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("x")
    info.filename = name  # ZipInfo's constructor changes some names
    info.create_system = 3
    info.external_attr = mode << 16
    return info


def good_zip() -> bytes:
    files = [(zip_info(name, 0o100000 | mode), data) for name, (mode, data) in GOOD.items()]
    return zipped(*files, (zip_info(LINK[0], 0o120777), LINK[1].encode()))


def ar(*members: tuple[str, bytes]) -> bytes:
    parts = [b"!<arch>\n"]
    for name, data in members:
        parts.append(f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode())
        parts.append(data + b"\n" * (len(data) % 2))
    return b"".join(parts)


def deb(data: bytes, name: str = "data.tar.zst") -> bytes:
    control = gzip.compress(tar(file("./control")), mtime=0)
    return ar(("debian-binary", b"2.0\n"), ("control.tar.gz", control), (name, data))


def zst(data: bytes, **options: int) -> bytes:
    return zstandard.ZstdCompressor(**options, write_checksum=True).compress(data)  # type: ignore[arg-type]


def write(path: Path, content: bytes | Iterable[Part]) -> Path:
    """Write an archive; parts become a tar archive, compressed as the name says."""
    data = content if isinstance(content, bytes) else tar(*content)
    if not isinstance(content, bytes):
        data = zst(data) if path.suffix == ".zst" else gzip.compress(data, mtime=0)
    path.write_bytes(data)
    return path


def every_format(folder: Path) -> list[Path]:
    """A good archive in each format, with the same content."""
    parts = good_parts()
    return [
        write(folder / "a.tar.zst", parts),
        write(folder / "a.tar.gz", parts),
        write(folder / "a.tgz", parts),
        write(folder / "a.zip", good_zip()),
        write(folder / "a.whl", good_zip()),
        write(folder / "a.aar", good_zip()),
        write(folder / "a.deb", deb(zst(tar(*parts)))),
    ]
