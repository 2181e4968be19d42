"""Archives that unpack to far more than they hold are refused, in bounded memory."""

from __future__ import annotations

import gzip
import io
import lzma
import struct
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zstandard

from buildtool.release.unpack import ArchiveError, entries, unpack
from buildtool.release.unpack.entry import LIMITS
from tests.unit.unpack.archives import Part, deb, file, tar, write, zipped, zst
from tests.unit.unpack.conftest import Refused

MB = 1 << 20
ZEROS = bytes(MB)


def zeros(count: int) -> Iterator[bytes]:
    """A tar archive with one file of `count` MiB."""
    info = tarfile.TarInfo("zeros")
    info.size = count * MB
    yield info.tobuf(tarfile.GNU_FORMAT)
    for _ in range(count):
        yield ZEROS
    yield bytes(1024)


def zst_bomb() -> bytes:
    stream = io.BytesIO()
    with zstandard.ZstdCompressor().stream_writer(stream, closefd=False) as writer:
        for piece in zeros(1024):
            writer.write(piece)
    return stream.getvalue()


def zeros_in_zip() -> bytes:
    stream = io.BytesIO()
    archive = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with archive, archive.open("zeros", "w") as member:
        for _ in range(200):
            member.write(ZEROS)
    return stream.getvalue()


def run_length_bomb(blocks: int) -> bytes:
    """A zstd frame in which each 4 bytes expand to 128 KiB.  Source: RFC 8878, 3.1.1.2.2."""
    block = ((128 << 10) << 3 | 1 << 1).to_bytes(3, "little") + b"\0"
    head = tar(file("x"))[:1024]
    start = (len(head) << 3).to_bytes(3, "little") + head
    window = bytes([0, (20 - 10) << 3])
    return b"\x28\xb5\x2f\xfd" + window + start + block * blocks + (1).to_bytes(3, "little")


def memory(field: str) -> int:
    """A size of this process in bytes; see proc_pid_status(5)."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition(f"{field}:")[2].split()[0]) << 10


@contextmanager
def bounded(limit: int = 48 * MB) -> Iterator[None]:
    """Fail if the process grows by more than `limit` bytes within the block."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # resets the peak
    before = memory("VmRSS")
    yield
    assert memory("VmHWM") - before < limit


@pytest.mark.parametrize("name", ["a.tar.zst", "a.tar.gz", "a.deb", "run-length.tar.zst", "xz.deb"])
def test_one_file_of_zeros(refused: Refused, name: str) -> None:
    if name == "a.tar.gz":
        stream = io.BytesIO()
        with gzip.open(stream, "wb", compresslevel=1) as writer:
            writer.writelines(zeros(200))
        data = stream.getvalue()
    elif name == "xz.deb":
        compressor = lzma.LZMACompressor(preset=0)
        packed = [compressor.compress(piece) for piece in zeros(200)]
        data = deb(b"".join([*packed, compressor.flush()]), "data.tar.xz")
    else:
        data = run_length_bomb(100_000) if name.startswith("run") else zst_bomb()
        data = deb(data) if name.endswith("deb") else data

    with bounded():
        error = refused(data, name)

    assert "bytes of it unpack to" in error.message
    assert error.code == "archive-unsafe"


def test_a_zip_archive_whose_headers_tell_the_truth(refused: Refused) -> None:
    data = zeros_in_zip()

    with bounded():
        assert "bytes of it unpack to" in refused(data, "a.zip").message


def test_a_zip_archive_whose_headers_lie(refused: Refused) -> None:
    size = struct.pack("<L", 200 << 20)
    data = zeros_in_zip().replace(size, struct.pack("<L", 1000))

    with bounded():
        assert "Bad CRC-32" in refused(data, "a.zip").why


def test_the_total_size_is_limited(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.tar.zst", [file("a", b"x" * 900), file("b", b"x" * 900)])
    zipfile = write(tmp_path / "a.zip", zipped(("a", b"x" * 900), ("b", b"x" * 900)))
    for path in (archive, zipfile):
        with pytest.raises(ArchiveError, match="more than 1,000 bytes"):
            entries(path, limits=LIMITS._replace(size=1000))


def test_a_window_that_requires_much_memory(refused: Refused) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27)
    data = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    packed = data.compress(tar(file("a"))) + data.flush()

    with bounded():
        assert "requires 134,217,728 bytes of memory" in refused(packed).message


def test_the_strongest_usual_compression_is_accepted(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.tar.zst", zst(tar(file("a", b"x" * (20 << 20))), level=19))
    package = write(tmp_path / "a.deb", deb(lzma.compress(tar(file("a"))), "data.tar.xz"))

    assert [e.path for e in (*entries(archive), *entries(package))] == ["a", "a"]


def test_xz_with_a_large_dictionary(refused: Refused) -> None:
    data = deb(lzma.compress(tar(file("a")), preset=9), "data.tar.xz")

    with bounded():
        assert "Memory usage limit" in refused(data, "a.deb").why


# Few entries with many directories reach the same limit of tar archives in less time.
@pytest.mark.parametrize("name", [pytest.param("a.tar.zst", marks=pytest.mark.long), "a.zip"])
def test_many_entries(refused: Refused, name: str) -> None:
    count = LIMITS.entries + 1
    if name == "a.zip":
        data = zipped(*((f"{number}", b"") for number in range(count)))
    else:
        header = bytearray(tarfile.TarInfo("0" * 8).tobuf(tarfile.USTAR_FORMAT))
        header[148:156] = b" " * 8
        rest = sum(header[8:])
        compressor = zstandard.ZstdCompressor().compressobj()
        packed = []
        for number in range(count):
            header[:8] = f"{number:08}".encode()
            header[148:156] = f"{rest + sum(header[:8]):06o}\0 ".encode()
            packed.append(compressor.compress(bytes(header)))
        data = b"".join([*packed, compressor.compress(bytes(1024)), compressor.flush()])

    with bounded(100 * MB):
        assert "more than 50,000" in refused(data, name).message


def test_many_directories_in_few_entries(refused: Refused) -> None:
    parts = [file(f"{number}/" + "d/" * 60 + "x", b"") for number in range(1000)]

    with bounded(100 * MB):
        assert "50,000 files and directories" in refused(parts).message


@pytest.mark.parametrize(
    ("other", "stamp_changes"),
    [
        ([file("a", b"DATA")], True),
        ([file("b")], False),
        ([file("a", b"more data")], False),
        ([file("a"), file("b")], False),
        ([], False),
    ],
)
def test_a_file_that_changes_between_the_readings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: list[Part], stamp_changes: bool
) -> None:
    archive = write(tmp_path / "a.tar.gz", [file("a")])
    changed = write(tmp_path / "b.tar.gz", other).read_bytes()
    mkdir = Path.mkdir

    def change(path: Path, *rest: object, **named: object) -> None:
        archive.write_bytes(changed)
        mkdir(path, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "mkdir", change)
    if not stamp_changes:  # a file system with coarse times
        monkeypatch.setattr("buildtool.release.unpack.stamp_of", lambda _: None)

    with pytest.raises(ArchiveError, match="changed while it was unpacked"):
        unpack(archive, tmp_path / "x" / "into")

    assert list((tmp_path / "x").iterdir()) == []
