"""The directory in the shape of a Hexagon SDK."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from buildtool import _data
from buildtool.project.keys import HEXAGON_ARCHS
from buildtool.sdk.hexagon_layout import find_tools, is_sdk
from buildtool.sdk.packaged_tools import usable_zig
from buildtool.toolchains.hexagon import hexagon
from buildtool.toolchains.sdk_root import NULL_HEADERS, SdkRoot, sdk_root


@pytest.fixture
def root() -> SdkRoot:
    return sdk_root(usable_zig())


def test_it_has_what_third_parties_look_for(root: SdkRoot) -> None:
    assert is_sdk(root.where)
    info = json.loads((root.where / "hexagon_sdk.json").read_text())["root"]["tools"]["info"]
    assert root.where / info[0]["path"] == root.tools == find_tools(root.where)[0]
    for program in ("clang", "clang++", "ar"):
        assert os.access(root.tools / f"Tools/bin/hexagon-{program}", os.X_OK)
    for name in (
        *("incs/HAP_farf.h", "incs/HAP_dcvs.h", "incs/domain.h", "incs/dspqueue.h"),
        *("incs/stddef/AEEStdErr.h", "incs/stddef/AEEStdDef.idl", "ipc/fastrpc/incs/remote.h"),
        *(
            "incs/rpcmem.h",
            "ipc/fastrpc/rpcmem/inc/rpcmem.h",
            "build/cmake/hexagon_fun.cmake",
            "utils/examples",
        ),
        *(f"rtos/qurt/compute{arch}/include/qurt/qurt.h" for arch in HEXAGON_ARCHS),
    ):
        assert (root.where / name).exists(), name


def test_every_open_header_is_in_it(root: SdkRoot) -> None:
    there = {path.name for path in root.where.rglob("*.h") if "libc" not in path.parts}
    folders = [_data.path("dsp") / "include", _data.path("host") / "include"]
    assert {path.name for folder in folders for path in folder.rglob("*.h")} <= there


def test_all_headers_of_the_c_library_that_define_null_are_replaced() -> None:
    include = usable_zig().library / "libc" / "include" / "generic-musl"
    found = {
        file.name
        for file in include.glob("*.h")
        if re.search(r"#\s*define\s+NULL\b", file.read_text(errors="replace"))
    }
    assert found <= {*NULL_HEADERS, "locale.h"}


def test_no_path_of_this_machine_is_in_a_profile_s_digest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    zig = usable_zig()
    first = hexagon("v73", zig)
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "another"))
    second = hexagon("v73", zig._replace(where=Path("/opt/another/zig")))
    assert first.places != second.places
    assert (first.digest, first.settings) == (second.digest, second.settings)


def test_a_root_that_was_only_partly_deleted_is_written_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
    first = sdk_root(usable_zig())
    (first.where / "hexagon_sdk.json").unlink()
    (first.where / "zig").unlink()
    assert sdk_root(usable_zig()) == first
    assert (first.where / "zig").is_file()


@pytest.mark.parametrize("strict", [False, True])
def test_strict_isa_is_part_of_the_profile(strict: bool) -> None:
    profile = hexagon("v73", strict_isa=strict)
    assert ("BUILDTOOL_STRICT_ISA" in profile.environment) == strict
    assert (profile.digest == hexagon("v73").digest) != strict
    assert any(rule.broken_by(["-mhmx"]) for rule in profile.unsupported) == strict


def test_sanitize_is_part_of_the_profile() -> None:
    assert hexagon("v73", sanitize=True).digest != hexagon("v73").digest


def test_another_installation_has_the_same_root(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Not in the cache of all tests: those that run at the same time start its Python.
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
    first = sdk_root(usable_zig())
    monkeypatch.setattr("sys.executable", "/opt/another venv/bin/python")
    assert sdk_root(usable_zig()) == first
    assert "'/opt/another venv/bin/python'" in (first.where / "python").read_text()
