"""Hostile and damaged zip archives are refused before anything is written."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import pytest

from buildtool.release.unpack import ArchiveError, entries, members
from buildtool.release.unpack.entry import LIMITS
from tests.unit.unpack.archives import good_zip, write, zip_info, zipped
from tests.unit.unpack.conftest import Refused

GOOD = good_zip()
LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"


def changed(data: bytes, magic: bytes, offset: int, value: bytes, *, last: bool = False) -> bytes:
    """`data` with other bytes in the first or last header with this magic number."""
    start = (data.rindex(magic) if last else data.index(magic)) + offset
    return data[:start] + value + data[start + len(value) :]


def both(data: bytes, local: int, value: bytes) -> bytes:
    """`data` with other bytes in both headers of the first entry; `local` is the offset in the
    local one, after which the central one has two more."""
    return changed(changed(data, LOCAL, local, value), CENTRAL, local + 2, value)


def u32(number: int) -> bytes:
    return number.to_bytes(4, "little")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("/etc/passwd", "has an absolute path"),
        ("../x", "leads out of the directory"),
        ("a/../../x", "leads out of the directory"),
        ("a\\..\\x", "a backslash"),
        ("a\x07", "control characters"),
        ("a//b", "an empty part"),
        ("", "an empty part"),
        ("../", "leads out of the directory"),
        ("n" * 256, "more than 255 bytes"),
    ],
)
def test_names(refused: Refused, name: str, text: str) -> None:
    assert text in refused(zipped(("before", b"x"), (name, b"")), "a.zip").message


def test_a_name_that_ends_in_the_middle(refused: Refused) -> None:
    data = zipped(("aXb", b"x")).replace(b"aXb", b"a\0b")

    assert "control characters" in refused(data, "a.zip").message


def test_names_that_are_there_twice(refused: Refused) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = zipped(("a", b"x"), ("a", b"y"))
    for data in (twice, zipped(("a", b"x"), ("a/b", b"y")), zipped(("a", b"x"), ("A", b"y"))):
        refused(data, "a.zip")


@pytest.mark.parametrize(
    ("mode", "name", "text"),
    [
        (0o010644, "x", "a device or a named pipe"),
        (0o020644, "x", "a device or a named pipe"),
        (0o060644, "x", "a device or a named pipe"),
        (0o140644, "x", "a device or a named pipe"),
        (0o040755, "x", "not what its name says"),
        (0o100644, "x/", "not what its name says"),
        (0o120777, "x/", "not what its name says"),
        (0o104755, "x", "has the mode 4755"),
    ],
)
def test_special_files(refused: Refused, mode: int, name: str, text: str) -> None:
    assert text in refused(zipped((zip_info(name, mode), b"")), "a.zip").message


def test_a_link_with_a_large_target(refused: Refused) -> None:
    data = zipped(("b", b"x"), (zip_info("a", 0o120777), bytes(60 << 20)))

    assert "a target of 62,914,560 bytes" in refused(data, "a.zip").message


def test_a_directory_with_content(refused: Refused) -> None:
    data = zipped((zip_info("a/", 0o040755), b"x"))

    assert "has content, and is not a file" in refused(data, "a.zip").message


@pytest.mark.parametrize("target", [b"/etc", b"../x", b"b\\c", b"\xff", b"", b"n" * 2000])
def test_links(refused: Refused, target: bytes) -> None:
    data = zipped(("b", b"x"), (zip_info("a", 0o120777), target))

    assert "the link 'a'" in refused(data, "a.zip").message


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (both(GOOD, 6, b"\x01"), "is encrypted"),
        (both(GOOD, 6, b"\x20"), "compressed patched data"),
        (both(GOOD, 8, b"\x0c\0"), "stored (0) and deflated (8)"),
        (both(GOOD, 8, b"\0\0"), "Bad CRC-32"),
        (both(GOOD, 14, bytes(4)), "Bad CRC-32"),
        (both(GOOD, 22, u32(13)), "has another size"),
        (changed(GOOD, LOCAL, 30, b"B"), "File name in directory"),
        (changed(GOOD, CENTRAL, 24, u32(1 << 31)), "taken for an attack"),
        (changed(GOOD, CENTRAL, 42, u32(1)), "Bad magic number for file header"),
        (changed(GOOD, CENTRAL, 42, bytes(4), last=True), "File name in directory"),
        (changed(GOOD, CENTRAL, 42, u32(0xFFFFFFFF)), "Truncated file header"),
        (changed(GOOD, LOCAL, 0, b"XX"), "Bad magic number for file header"),
        (changed(GOOD, CENTRAL, 0, b"XX"), "Bad magic number for central directory"),
        (GOOD[:-1], "File is not a zip file"),
        (GOOD[22:], "before the start of the file"),
        (b"", "File is not a zip file"),
        (b"x" * 99, "File is not a zip file"),
    ],
)
def test_damaged_archives(refused: Refused, data: bytes, text: str) -> None:
    assert text in refused(data, "a.zip").why


@pytest.mark.parametrize("data", [both(GOOD, 14, bytes(4)), changed(GOOD, LOCAL, 0, b"XX")])
def test_content_that_is_read_from_outside(tmp_path: Path, data: bytes) -> None:
    archive = write(tmp_path / "a.zip", data)

    with archive.open("rb") as stream, pytest.raises(ArchiveError):
        [b"".join(content) for _, content in members(stream, archive)]


def test_a_central_directory_that_is_too_large(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.zip", GOOD)

    with pytest.raises(ArchiveError, match="more than 2 entries, or long ones"):
        entries(archive, limits=LIMITS._replace(entries=2))
    with pytest.raises(ArchiveError, match="or long ones"):
        entries(archive, limits=LIMITS._replace(entries=1, names=5))


def test_entries_that_share_their_data(refused: Refused) -> None:
    """The overlap with which zip bombs reach their ratio; see bamsoftware.com/hacks/zipbomb."""
    one = zipped(("a", b"x" * 1000))
    start, end = one.index(CENTRAL), one.index(END)
    central = one[start:end]
    data = one[:start] + central + central.replace(b"a", b"b")
    data += struct.pack("<4s4H2LH", END, 0, 0, 2, 2, 2 * len(central), start, 0)

    assert "File name in directory" in refused(data, "a.zip").why


def test_names_in_an_unknown_encoding(refused: Refused) -> None:
    data = zipped(("a", b"x")).replace(b"a", b"\xe9")

    assert "not marked as UTF-8" in refused(data, "a.zip").message


def test_names_that_are_marked_as_utf8_and_are_not(refused: Refused) -> None:
    data = zipped(("\u00e9", b"x")).replace("\u00e9".encode(), b"\xe9\xe9")

    assert "can't decode byte" in refused(data, "a.zip").why


class Unseekable(io.BytesIO):
    def seekable(self) -> bool:
        return False

    def seek(self, *_: object) -> int:
        raise io.UnsupportedOperation

    def tell(self) -> int:
        raise io.UnsupportedOperation


@pytest.mark.parametrize("zip64", [False, True])
def test_archives_that_were_written_to_a_pipe(tmp_path: Path, zip64: bool) -> None:
    stream = Unseekable()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("a", "b"):
            with archive.open(zip_info(name), "w", force_zip64=zip64) as member:
                member.write(b"data" * 100)
    data = stream.getvalue()

    good = write(tmp_path / "good.zip", data)
    with good.open("rb") as opened:
        found = {e.path: b"".join(c) for e, c in members(opened, good)}
    assert found == {"a": b"data" * 100, "b": b"data" * 100}
