"""The facts about ELF files, compared with those that llvm-readelf prints."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from buildtool.contract.inspection import libraries_beside
from buildtool.core.elf.read import is_elf, read_elf
from buildtool.sdk.qemu import CROSS_LIBRARIES
from tests.command_line import Buildtool
from tests.json_documents import validate
from tests.readelf import facts_of_llvm, own_facts

from .binaries import HOST, Linker, entry

SYSTEM = Path("/usr/lib")
SAMPLE = 40  # of the machine's files


def assert_same(path: Path) -> None:
    assert own_facts(read_elf(path)) == facts_of_llvm(path), path


@pytest.mark.long
def test_linked_files(linker: Linker) -> None:
    tls = "_Thread_local int x = 1; _Thread_local char y[100] __attribute__((aligned(32)));"
    weak = "int gone(void) __attribute__((weak)); int f(void) { return gone ? gone() : 0; }"
    text = 'asm(".text\\n.globl part\\npart: .quad run\\n");'
    hidden = '__attribute__((visibility("hidden"))) int h = 1; int *p = &h;'
    versioned = linker.versioned("libc.so.6", "GLIBC_2.34", "f")
    own = "-Wl,--defsym=alias=g"
    made = [
        linker.host("libtls.so", tls, "-Wl,--build-id=0xabcdef01"),
        linker.host("libweak.so", weak + "int g;", own, stripped=False),
        linker.host("libtext.so", text, "-Wl,-z,notext", "-Wl,-z,execstack"),
        linker.host("librun.so", hidden, "-Wl,-rpath,$ORIGIN/../lib:/opt/x", *versioned),
        linker.host("libneeds.so", "int f(void); int g(void) { return f(); }", *versioned),
        linker.host("libpages.so", "int g;", "-Wl,-z,max-page-size=16384", "-Wl,--hash-style=sysv"),
        linker.skel(entry() + tls),
        linker.skel(entry("missing(x)"), *linker.skel_needing("libc++.so.1"), arch="v69"),
    ]
    for path in made:
        assert_same(path)
    assert own_facts(read_elf(made[0]))["tls"] == [(132, 32)]
    assert own_facts(read_elf(made[4]))["versions"] == [("libc.so.6", "GLIBC_2.34", False)]


@pytest.mark.long
def test_files_of_the_machine() -> None:
    files = sorted(path for path in SYSTEM.glob("*-linux-gnu/*.so*") if not path.is_symlink())
    sample = files[:: max(1, len(files) // SAMPLE)]
    sample += [path for path in sorted(CROSS_LIBRARIES.glob("*.so*")) if not path.is_symlink()]
    checked = [path for path in sample if path.stat().st_size < 8 << 20 and is_elf(path)]
    for path in checked:
        assert_same(path)
    assert len(checked) > 20


def inspect(buildtool: Buildtool, path: Path, *options: str) -> dict[str, Any]:
    done = buildtool("inspect", str(path), "--json", *options, cwd=path.parent)
    document: dict[str, Any] = json.loads(done.stdout)
    validate("inspect", document)
    return document


@pytest.fixture
def skel(linker: Linker, tmp_path: Path) -> Path:
    """A skel that needs a name of libc++.so.1, and one that nothing has."""
    cxx = linker.skel("int _Znwj(int n) { return n; }", "-Wl,-soname,libc++.so.1")
    body = "_Znwj(x) + printf(x) + of_nobody(x)"
    path = tmp_path / "libdemo_skel.so"
    shutil.copy(linker.skel(entry(body), "-Wl,--no-as-needed", str(cxx)), path)
    shutil.copy(cxx, tmp_path / "libc++.so.1")
    return path


@pytest.mark.long
def test_libraries_that_need_each_other_are_listed_once(linker: Linker, tmp_path: Path) -> None:
    """Names with a directory are not followed: they would lead anywhere."""
    elsewhere = linker.folder / "libelsewhere.so"
    shutil.copy(linker.link("int elsewhere;", HOST), elsewhere)  # without a soname: needed by path
    one = linker.host("libone.so", "int one;", *linker.needing("libtwo.so"), str(elsewhere))
    two = linker.host("libtwo.so", "int two;", *linker.needing("libone.so"))
    for name, path in (("program", one), ("libone.so", one), ("libtwo.so", two)):
        shutil.copy(path, tmp_path / name)
    needed = read_elf(tmp_path / "program").needed
    assert needed == ("libtwo.so", str(elsewhere))
    assert libraries_beside(tmp_path / "program") == {
        name: tmp_path / name for name in ("libtwo.so", "libone.so")
    }


def test_a_skel_is_resolved_against_the_libraries_beside_it(
    skel: Path, buildtool: Buildtool
) -> None:
    document = inspect(buildtool, skel)

    assert document["machine_name"] == "Hexagon"
    assert document["libraries"] == [
        {
            "name": "libc++.so.1",
            "where": "beside",
            "path": str(skel.with_name("libc++.so.1")),
            "symbols": ["_Znwj"],
        }
    ]
    assert document["unresolved"] == ["of_nobody"]
    (finding,) = document["findings"]
    assert finding["rule"] == "shell-symbols"
    assert "needs of_nobody, which no known v68 DSP shell exports" in finding["message"]
    assert "nor does libc++.so.1" in finding["message"]
    failed = buildtool("inspect", str(skel), "--skel", "v68", cwd=skel.parent)
    assert failed.returncode == 1
    assert "needs of_nobody, which" in failed.stderr

    skel.with_name("libc++.so.1").unlink()  # the device may have it, with any names

    alone = inspect(buildtool, skel)
    assert alone["libraries"][0]["where"] == "missing"
    assert alone["unresolved"] == ["_Znwj", "of_nobody"]
    assert alone["findings"] == []


def test_a_name_that_no_relocation_uses_is_a_warning(
    linker: Linker, buildtool: Buildtool, tmp_path: Path
) -> None:
    skel = tmp_path / "libdemo_skel.so"
    source = 'asm(".globl left_over\\n");\nint used(int);\n' + entry("used(x)")
    shutil.copy(linker.skel(source), skel)

    error, warning = inspect(buildtool, skel)["findings"]

    assert (error["severity"], warning["severity"]) == ("error", "warning")
    assert "needs used, which no known v68 DSP shell exports" in error["message"]
    assert "lists left_over, which no known v68 DSP shell exports" in warning["message"]


def test_a_library_is_resolved_against_those_beside_it_and_in_its_runpath(
    linker: Linker, buildtool: Buildtool, tmp_path: Path
) -> None:
    far = linker.host("libfar.so", "int far(void) { return 1; }")
    near = linker.host("libnear.so", "int near(void) { return 1; }", "-Wl,--no-as-needed", str(far))
    libc = linker.versioned("libc.so.6", "GLIBC_2.34", "of_libc")
    source = "int near(void), far(void), lost(void), of_libc(void);\n"
    source += "int f(void) { return near() + far() + lost() + of_libc(); }"
    flags = ["-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN/more", str(near), *libc]
    (tmp_path / "more").mkdir()
    shutil.copy(linker.host("libx.so", source, *flags), tmp_path / "libx.so")
    shutil.copy(near, tmp_path / "libnear.so")
    shutil.copy(far, tmp_path / "more/libfar.so")

    document = inspect(buildtool, tmp_path / "libx.so")

    where = {row["name"]: (row["where"], row["symbols"]) for row in document["libraries"]}
    assert where["libnear.so"] == ("beside", ["near"])
    assert where["libc.so.6"] == ("device", ["of_libc"])
    assert document["unresolved"] == ["far", "lost"]  # the RUNPATH is not for what libnear needs
    assert document["glibc"] == "2.34"
    done = buildtool("inspect", str(tmp_path / "libx.so"), cwd=tmp_path)
    assert f"libraries        libnear.so: {tmp_path}/libnear.so, 1 symbol\n" in done.stdout
    assert "version needs    libc.so.6: GLIBC_2.34\n" in done.stdout


def test_a_damaged_library_beside_a_file(skel: Path, buildtool: Buildtool) -> None:
    skel.with_name("libc++.so.1").write_bytes(b"\x7fELF" + bytes(20))

    document = inspect(buildtool, skel)

    assert document["libraries"][0]["symbols"] == []
    assert document["findings"] == []
