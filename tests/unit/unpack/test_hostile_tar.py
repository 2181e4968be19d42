"""Hostile and damaged tar archives are refused before anything is written."""

from __future__ import annotations

import gzip
import os
import tarfile

import pytest
import zstandard

from tests.unit.unpack.archives import (
    Part,
    ar,
    deb,
    file,
    good_parts,
    link,
    special,
    tar,
    zst,
)
from tests.unit.unpack.conftest import Refused

BLOCK = 512


def raw(info: tarfile.TarInfo, data: bytes = b"", **fields: tuple[int, bytes]) -> bytes:
    """An entry whose header has other bytes at some positions, with a valid checksum."""
    header = bytearray(info.tobuf(tarfile.USTAR_FORMAT))
    for position, value in fields.values():
        header[position : position + len(value)] = value
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    return bytes(header) + data + bytes(-len(data) % BLOCK)


def header(name: str, kind: bytes, data: bytes = b"") -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, len(data)
    return raw(info, data)


def pax(*records: tuple[str, str], kind: bytes = tarfile.XHDTYPE) -> bytes:
    data = b""
    for key, value in records:
        body = f" {key}={value}\n".encode()
        length = len(body) + 2
        length += len(str(length)) - 2
        data += str(length).encode() + body
    return header("pax", kind, data)


END = bytes(2 * BLOCK)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([file("/etc/passwd")], "has an absolute path"),
        ([file("../x")], "leads out of the directory"),
        ([file("a/../../x")], "leads out of the directory"),
        ([file("./../x")], "leads out of the directory"),
        ([file("a/./x")], "an empty part or '.'"),
        ([file("a//x")], "an empty part or '.'"),
        ([file("./")], "an empty part or '.'"),
        ([file("..")], "leads out of the directory"),
        ([file("a\\..\\x")], "a backslash"),
        ([file("a\nb")], "control characters"),
        ([file("a\x1b[2J")], "control characters"),
        ([file("a\u202etxt.so")], "control characters"),
        ([file("a\udcff")], "bytes that are not UTF-8"),
        ([file("n" * 256)], "more than 255 bytes"),
        ([file("/".join(["n" * 99] * 11))], "more than 1,024 bytes"),
        ([file("d/" * 64 + "x")], "deeper than 64 directories"),
        ([special("../x", tarfile.DIRTYPE)], "leads out of the directory"),
        ([special("x/..", tarfile.DIRTYPE)], "leads out of the directory"),
        ([special("x", tarfile.LNKTYPE, "/etc/passwd")], "is a hard link"),
        ([file("a"), special("x", tarfile.LNKTYPE, "a")], "is a hard link"),
        ([special("x", tarfile.CHRTYPE, devmajor=1, devminor=3)], "a character device"),
        ([special("x", tarfile.BLKTYPE, devmajor=8)], "a block device"),
        ([special("x", tarfile.FIFOTYPE)], "a named pipe"),
        ([special("x", tarfile.CONTTYPE)], "a contiguous file"),
        ([special("x", b"Z")], "of the unknown type b'Z'"),
        ([file("x", mode=0o4755)], "has the mode 4755"),
        ([file("x", mode=0o2755)], "has the mode 2755"),
    ],
)
def test_entries_that_no_release_has(refused: Refused, parts: list[Part], text: str) -> None:
    assert text in refused([file("before"), *parts]).message


@pytest.mark.parametrize(
    ("target", "text"),
    [
        *((target, "leads out of") for target in ("/etc", "../..", "../../x", "..")),
        *((target, "an empty part, '.' or a late '..'") for target in ("", ".", "x/", "./x")),
        *((target, "an empty part, '.' or a late '..'") for target in ("x/..", "../a/../../x")),
        ("a\\b", "a backslash"),
        ("a\x1b", "control characters"),
        ("n/" * 600, "more than 1,024 bytes"),
    ],
)
def test_links_out_of_the_directory(refused: Refused, target: str, text: str) -> None:
    error = refused([file("a/x"), link("a/link", target)])

    assert "the link 'a/link'" in error.message
    assert text in error.message


@pytest.mark.parametrize(
    "parts",
    [
        [link("a", "b"), link("b", "a")],
        [link("a", "a")],
        [link("a", "dir"), link("b", "a/file"), file("dir/file")],
        [link("b", "a"), link("a", "dir/file"), file("dir/file")],
        [link("a", "missing")],
        [link("dir/a", "../dir"), file("dir/file")],
    ],
)
def test_links_through_links_or_to_nothing(refused: Refused, parts: list[Part]) -> None:
    assert "lead" in refused(parts).message


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([file("a"), file("a")], "two entries 'a'"),
        ([file("a"), file("./a")], "two entries 'a'"),
        ([file("a"), link("a", "b"), file("b")], "two entries 'a'"),
        ([link("a", "b"), file("a"), file("b")], "two entries 'a'"),
        ([special("a", tarfile.DIRTYPE), file("a")], "two entries 'a'"),
        ([file("a"), special("a", tarfile.DIRTYPE)], "two entries 'a'"),
        ([special("a", tarfile.DIRTYPE)] * 2, "two entries 'a'"),
        ([file("a/b"), file("a")], "two entries 'a'"),
        ([file("a/b"), link("a", "c"), file("c")], "two entries 'a'"),
        ([file("a"), file("a/b")], "is a file, and has entries below it"),
        ([link("a", "c"), file("a/b"), file("c/d")], "is a link, and has entries below it"),
        ([file("lib/A"), file("lib/a")], "the same name on some file systems"),
        ([file("Lib/a"), file("lib/b")], "the same name on some file systems"),
        ([file("\u00e9"), file("e\u0301")], "the same name on some file systems"),
        ([file("\u1e9e"), file("ss")], "the same name on some file systems"),
    ],
)
def test_names_that_are_there_twice(refused: Refused, parts: list[Part], text: str) -> None:
    assert text in refused(parts).message


GOOD = tar(*good_parts())


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "ends before"),
        (GOOD[:BLOCK], "ends before"),
        (GOOD[: BLOCK * 3 + 7], "ends before"),
        (GOOD.rstrip(b"\0"), "ends before"),
        (GOOD.rstrip(b"\0") + b"\0" * BLOCK, "ends before"),
        (GOOD + b"x", "other data behind its end"),
        (GOOD + GOOD, "other data behind its end"),
        (b"x" * BLOCK, "neither ustar, pax nor GNU"),
        (GOOD.replace(b"lib/", b"lob/", 1), "an invalid header"),
        (header("x", b"0") + header("y", b"5", b"data") + END, "has content, and is not a file"),
        (header("x", b"2", b"data") + END, "has content, and is not a file"),
        (raw(tarfile.TarInfo("x\0y")) + END, "bytes after its end"),
        (raw(tarfile.TarInfo("x"), size=(124, b"\xff" * 12)) + END, "a negative number"),
        (raw(tarfile.TarInfo("x"), size=(124, b"\x80" + b"\x7f" * 11)) + END, "ends before"),
        (raw(tarfile.TarInfo("x"), name=(157, b"target")) + END, "has the target of a link"),
        (header("dir/", b"0") + END, "an empty part"),
        (file("x")[0].tobuf() + b"data" + b"x" * 508 + END, "data between its entries"),
    ],
)
def test_damaged_archives(refused: Refused, data: bytes, text: str) -> None:
    assert text in refused(zst(data)).message


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (pax(("path", "../x")), "leads out of the directory"),
        (header("././@LongLink", b"L", b"../x\0"), "leads out of the directory"),
        (pax(("path", "a\0b")), "control characters"),
        (pax(("path", "a"), ("path", "b")), "twice"),
        (pax(("path", "a")) + pax(("path", "b")), "twice"),
        (header("L", b"L", b"a\0") + pax(("path", "b")), "twice"),
        (pax(("path", "a"), kind=tarfile.XGLTYPE), "twice, or of all entries"),
        (pax(("size", "-1")), "an invalid size"),
        (pax(("size", "9" * 5000)), "an invalid size"),
        (pax(("size", "9" * 19)), "ends before"),
        (pax(("GNU.sparse.realsize", "9999999999")), "unknown key 'GNU.sparse.realsize'"),
        (pax(("hdrcharset", "BINARY")), "unknown key 'hdrcharset'"),
        (header("pax", b"x", b"99 path=x\n"), "an invalid pax header"),
        (header("pax", b"x", b"0 path=x\n"), "an invalid pax header"),
        (header("pax", b"x", b"path"), "an invalid pax header"),
        (header("pax", b"x", b"7 path=\n"), "an invalid pax header"),
        (header("L", b"L", b"n" * (65 << 10)), "an extended header of 66,560 bytes"),
        (pax(("path", "n" * (66 << 10))), "an extended header of"),
        (header("s", b"S"), "a sparse file"),
    ],
)
def test_extended_headers(refused: Refused, before: bytes, text: str) -> None:
    error = refused(zst(before + header("x", b"0") + header("x", b"0") + END))

    assert text in error.message


def test_an_extended_header_without_an_entry(refused: Refused) -> None:
    assert "belongs to no entry" in refused(zst(pax(("path", "x")) + END)).message


@pytest.mark.parametrize("size", [0, 3, 5, 9, 100, -1, -4, -5])
@pytest.mark.parametrize("name", ["a.tar.zst", "a.tar.gz"])
def test_truncated_streams(refused: Refused, size: int, name: str) -> None:
    tarred = tar(file("noise", os.urandom(2000)))
    data = zst(tarred) if name.endswith("zst") else gzip.compress(tarred)

    error = refused(data[:size], name)

    assert error.code == "archive-damaged"


@pytest.mark.parametrize("more", [b"x", b"\0", zst(b""), gzip.compress(b"", mtime=0)], ids=repr)
@pytest.mark.parametrize("name", ["a.tar.zst", "a.tar.gz", "a.deb"])
def test_data_behind_the_end(refused: Refused, more: bytes, name: str) -> None:
    packed = {"a.tar.zst": zst(GOOD), "a.tar.gz": gzip.compress(GOOD), "a.deb": deb(zst(GOOD))}

    assert "behind its end" in refused(packed[name] + more, name).message


def test_damaged_streams(refused: Refused) -> None:
    checksum = bytearray(zst(GOOD))
    checksum[-1] ^= 1
    dictionary = zstandard.ZstdCompressionDict(GOOD)
    other = zstandard.ZstdCompressor(dict_data=dictionary).compress(GOOD)
    skippable = b"\x50\x2a\x4d\x18\4\0\0\0abcd" + zst(GOOD)
    reserved = zst(b"")[:-7] + (7).to_bytes(3, "little") + bytes(4)
    for data in (bytes(checksum), other, skippable, reserved, gzip.compress(GOOD)):
        assert refused(data).code == "archive-damaged"
    for data in (gzip.compress(GOOD)[:-8] + bytes(8), zst(GOOD)):
        assert refused(data, "a.tgz").code == "archive-damaged"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "ends before"),
        (b"!<arch>\n", "ends before"),
        (b"x" * 100, "not a Debian package"),
        (ar(("debian-binary", b"3.0\n")), "format 2.0"),
        (ar(("debian-binary", b"2.0\n"), ("data.tar", GOOD)), "instead of control.tar"),
        (deb(GOOD, "data.tar.bz2"), "data.tar.bz2"),
        (deb(GOOD, "other"), "'other'"),
        (deb(GOOD, "data.tar")[:-BLOCK], "ends before"),
        (deb(GOOD, "data.tar") + ar(("data.tar", GOOD))[8:], "behind its end"),
        (deb(GOOD).replace(b"`\n", b"``", 1), "an invalid header of a member"),
        (deb(tar(file("/etc/passwd")), "data.tar"), "an absolute path"),
    ],
)
def test_debian_packages(refused: Refused, data: bytes, text: str) -> None:
    assert text in refused(data, "a.deb").message
