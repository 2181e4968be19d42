"""The sysroot of the emulated device can be pulled, and programs built with it."""

from __future__ import annotations

import json
from pathlib import Path

from buildtool.core.elf.read import read_elf
from tests.command_line import Buildtool, Edit
from tests.conftest import LONG


def test_pulling_it(tmp_path: Path, buildtool: Buildtool) -> None:
    pull = ("sysroot", "pull", "sim", "--name", "once", "--json")
    first = buildtool(*pull, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    info = json.loads(first.stdout)

    assert info["changed"]
    assert (info["platform"], info["soc"], info["arch"]) == ("ubuntu-aarch64", "QCS6490", "v68")
    assert info["libcdsprpc"]["soname"] == "libcdsprpc.so.1"
    assert info["shells"] == ["usr/lib/rfsa/adsp/cdsp/fastrpc_shell_unsigned_3"]
    assert info["glibc"].startswith("2.")
    library = read_elf(Path(info["directory"], "root", info["libcdsprpc"]["path"]))
    assert len(library.exports) == info["libcdsprpc"]["export_count"]
    again = json.loads(buildtool(*pull, cwd=tmp_path).stdout)
    assert again == {**info, "changed": False}

    other = json.loads(buildtool(*pull, "--soc", "SM8550", cwd=tmp_path).stdout)
    assert (other["changed"], other["soc"], other["arch"]) == (True, "SM8550", "v73")
    assert other["pulled_from"] == "sim (SM8550)"


def test_it_has_no_c_library_to_link_against(tmp_path: Path, buildtool: Buildtool) -> None:
    done = buildtool("sysroot", "pull", "sim", "--name", "none", "--libc", cwd=tmp_path)
    assert done.returncode == 1
    assert "has no crt1.o" in done.stderr
    assert "omit --libc" in done.stderr


def test_the_sample_built_for_it_is_verified_on_it(
    sample: Path, buildtool: Buildtool, edit: Edit
) -> None:
    pulled = buildtool("sysroot", "pull", "sim", "--name", "pulled", cwd=sample)
    assert pulled.returncode == 0, pulled.stderr
    keys = '[target.sim]\nsysroot = "pulled"\ntoolchain = "zig"\nglibc = "2.36"'
    edit(sample / "buildtool.toml", "[target.sim]", keys)
    toolchains = ("zig", "gcc") if LONG else ("zig",)
    for toolchain in toolchains:
        edit(sample / "buildtool.toml", '"zig"', f'"{toolchain}"')

        done = buildtool("run", "sim", "--", "bin/htp-probe", cwd=sample)

        assert done.returncode == 0, done.stderr
        assert "44 of 44 verified" in done.stdout
    trees = [*(sample / ".buildtool/build/htp-ops").glob("*/toolchain.cmake")]
    assert len(trees) == len(toolchains)
    assert all("for the device 'pulled'" in tree.read_text() for tree in trees)
