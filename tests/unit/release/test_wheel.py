"""Wheels: their names, what is in them, and what they refuse."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from buildtool.release.formats.entries import FormatError, Package, PackageEntry
from buildtool.release.formats.wheel import wheel_file_name, write
from buildtool.toolchains.cdsprpc import import_stub

CALC = '#include "remote.idl"\ninterface calc : remote_handle64 { long add(in long a); };\n'
STUB = ("calc_open", "calc_close", "calc_add")


def package(*entries: PackageEntry, **changes: Any) -> Package:
    fields: dict[str, Any] = {
        "name": "Calc-DSP.tools",
        "version": "1.2.0",
        "target": "sim",
        "platform": "ubuntu-aarch64",
        "glibc": "2.35",
        "api": 31,
        "epoch": 1_700_000_000,
        "entries": tuple(sorted(entries, key=lambda entry: entry.path)),
    }
    return Package(**{**fields, **changes})


def library(folder: Path, name: str, *exports: str) -> PackageEntry:
    path = folder / name
    path.write_bytes(import_stub(name, exports))
    return PackageEntry(f"lib/{name}", 0o755, path)


def release(folder: Path) -> Package:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "calc.idl").write_text(CALC)
    return package(
        library(folder, "libcalc.so", *STUB),
        library(folder, "libmath.so.1"),
        PackageEntry("lib/libmath.so", 0o777, b"", "libmath.so.1"),
        PackageEntry("models", 0o777, b"", "share/calc"),
        PackageEntry("bin/calc", 0o755, b"program"),
        PackageEntry("run.sh", 0o755, b"script"),
        PackageEntry("release.json", 0o644, b"{}"),
        PackageEntry("licenses/calc/LICENSE", 0o644, b"MIT"),
        PackageEntry("dsp/v68/libcalc_skel.so", 0o644, b"skel"),
        PackageEntry("dsp/v73/libcalc_skel.so", 0o644, b"newer"),
        PackageEntry("share/calc/a, b.txt", 0o644, b"data"),
        idl=(folder / "calc.idl",),
    )


def written(made: Package, folder: Path) -> Path:
    path = folder / wheel_file_name(made)
    write(made, path)
    return path


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "calc_dsp_tools-1.2.0-py3-none-manylinux_2_35_aarch64.whl"),
        ({"glibc": ""}, "calc_dsp_tools-1.2.0-py3-none-linux_aarch64.whl"),
        ({"platform": "android"}, "calc_dsp_tools-1.2.0-py3-none-android_31_arm64_v8a.whl"),
        ({"version": "1.2-rc1"}, "calc_dsp_tools-1.2rc1-py3-none-manylinux_2_35_aarch64.whl"),
        ({"version": "v1+Local-1"}, "calc_dsp_tools-1+local.1-py3-none-manylinux_2_35_aarch64.whl"),
    ],
)
def test_names_are_normalised(changes: dict[str, Any], name: str) -> None:
    assert wheel_file_name(package(**changes)) == name


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"name": "calc_"}, "'calc_' cannot be the name of a Python package"),
        ({"name": "größe"}, "'größe' cannot be the name of a Python package"),
        ({"version": "1.2-alpha-x"}, "'1.2-alpha-x' cannot be the version of a Python package"),
        ({"version": ""}, "'' cannot be the version of a Python package"),
    ],
)
def test_names_that_no_package_can_have_are_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(FormatError) as caught:
        wheel_file_name(package(**changes))
    assert caught.value.message == text
    assert caught.value.remedy.endswith("or take another format.")


@pytest.mark.parametrize(("name", "module"), [("3d", "_3d"), ("class", "class_"), ("A-b", "a_b")])
def test_the_package_in_it_can_be_imported(name: str, module: str, tmp_path: Path) -> None:
    path = written(package(name=name), tmp_path)
    assert f"{module}/__init__.py" in zipfile.ZipFile(path).namelist()


def test_it_has_libraries_skels_interfaces_and_licences_but_no_programs(tmp_path: Path) -> None:
    archive = zipfile.ZipFile(written(release(tmp_path), tmp_path))
    top, info = "calc_dsp_tools/", "calc_dsp_tools-1.2.0.dist-info/"
    names = [name for name in archive.namelist() if "/_fastrpc/" not in name]
    assert names == [
        f"{top}__init__.py",
        f"{top}calc.py",
        f"{top}dsp/v68/libcalc_skel.so",
        f"{top}dsp/v73/libcalc_skel.so",
        f"{top}lib/libcalc.so",
        f"{top}lib/libmath.so",
        f"{top}lib/libmath.so.1",
        f"{top}models/a, b.txt",
        f"{top}py.typed",
        f"{top}share/calc/a, b.txt",
        f"{info}METADATA",
        f"{info}WHEEL",
        f"{info}licenses/calc/LICENSE",
        f"{info}RECORD",
    ]
    metadata = archive.read(f"{info}METADATA").decode()
    assert "Name: Calc-DSP.tools\nVersion: 1.2.0\n" in metadata
    assert "skels for v68, v73\n" in metadata
    assert "License-File: calc/LICENSE\n" in metadata
    assert archive.read(f"{top}lib/libmath.so") == archive.read(f"{top}lib/libmath.so.1")
    assert "from .calc import Calc\n" in archive.read(f"{top}__init__.py").decode()


def test_descriptions_cannot_add_fields(tmp_path: Path) -> None:
    made = package(description="a\nVersion: 2", maintainer="A <a@b>\r\nLicense: no")
    archive = zipfile.ZipFile(written(made, tmp_path))
    assert archive.read("calc_dsp_tools-1.2.0.dist-info/METADATA").decode().splitlines() == [
        "Metadata-Version: 2.4",
        "Name: Calc-DSP.tools",
        "Version: 1.2.0",
        "Summary: a Version: 2",
        "Maintainer-email: A <a@b> License: no",
        "Requires-Python: >=3.9",
    ]


def test_the_record_has_the_digest_of_each_file(tmp_path: Path) -> None:
    archive = zipfile.ZipFile(written(release(tmp_path), tmp_path))
    *others, own = archive.namelist()
    rows = list(csv.reader(io.StringIO(archive.read(own).decode())))
    assert rows[-1] == [own, "", ""]
    assert [row[0] for row in rows[:-1]] == others
    for name, digest, size in rows[:-1]:
        content = archive.read(name)
        sha256 = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        assert (digest, size) == (f"sha256={sha256}", str(len(content)))


def test_the_bytes_are_the_same_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = written(release(tmp_path / "one"), tmp_path).read_bytes()
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    old = os.umask(0o077)
    try:
        second = written(release(tmp_path / "another place"), tmp_path).read_bytes()
    finally:
        os.umask(old)
        monkeypatch.undo()
        time.tzset()
    assert first == second
    times = {info.date_time for info in zipfile.ZipFile(io.BytesIO(first)).infolist()}
    assert times == {(2023, 11, 14, 22, 13, 20)}


def test_a_stub_that_no_library_exports_is_refused(tmp_path: Path) -> None:
    made = release(tmp_path)
    library(tmp_path, "libcalc.so", "calc_open")
    with pytest.raises(FormatError) as caught:
        write(made, tmp_path / "wheel")
    assert caught.value.message == (
        "no library of the release exports the stub of the interface calc"
    )
    assert "libcalc.so, libmath.so.1" in caught.value.why


def test_interfaces_with_the_same_module_are_refused(tmp_path: Path) -> None:
    made = release(tmp_path)
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "calc.idl").write_text("const long A = 1;\n")
    with pytest.raises(FormatError, match="two interfaces become the module calc"):
        write(made._replace(idl=(*made.idl, tmp_path / "two/calc.idl")), tmp_path / "wheel")


def test_names_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    made = package(PackageEntry("lib/\udcff", 0o644, b""))
    with pytest.raises(FormatError, match=r"the name 'lib/\\udcff' cannot be in a wheel"):
        write(made, tmp_path / "wheel")
