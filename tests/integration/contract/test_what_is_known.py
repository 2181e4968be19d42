"""What is known of a release, its files and its devices decides what the rules find."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from buildtool.contract.inspection import check, inspect_directory
from buildtool.contract.subject import Promise, Subject, read_tree
from buildtool.sdk.sysroot import Sysroot

from .binaries import entry, note
from .conftest import Make
from .releases import DIGEST, OTHER

SKEL = "dsp/v68/libdemo_skel.so"
NOTE = note("buildtool", DIGEST)


@pytest.mark.parametrize("platform", ["ubuntu-aarch64", "android"])
def test_a_release_that_keeps_all_rules(platform: str, make: Make) -> None:
    release = make(platform)
    (release.root / "lib/libd.so").symlink_to("libdemo.so")
    release.declare()

    assert release.findings() == ()


def test_known_build_paths_are_errors_and_no_others(make: Make, tmp_path: Path) -> None:
    release = make()
    long = "x" * ((1 << 20) - 4)  # the path lies on both sides of what is read at once
    release.put("share/notes.txt", f"{long}/build/demo/a.c /home/somebody/x/y".encode())
    promise = Promise(platform="ubuntu-aarch64", build_paths=("/build/demo",))

    (finding,) = check(read_tree(release.root, promise))

    assert (finding.rule, finding.severity) == ("no-build-paths", "error")
    assert finding.message.endswith(
        "notes.txt contains a path of the build machine: /build/demo/a.c /home/somebody/x/y"
    )
    release.put("share/notes.txt", b"/build/demo2/a.c, /data/local/tmp/x/y")
    assert check(read_tree(release.root, promise)) == []
    assert check(read_tree(release.root, promise._replace(build_paths=None))) == []
    assert check(read_tree(release.root, promise._replace(build_paths=("/local", "/tmp")))) == []
    release.put("share/notes.txt", b"clang -I/build/demo/include, x=/local")
    for path in ("/build/demo", "/local"):
        (finding,) = check(read_tree(release.root, promise._replace(build_paths=(path,))))
        assert f"machine: {path}" in finding.message


def test_a_skel_that_one_arch_lacks(make: Make) -> None:
    release = make()
    release.target["archs"] = ["v68", "v69"]
    release.skel("dsp/v69/libother_skel.so", entry(), arch="v69")
    release.declare()

    (finding,) = release.findings()

    assert finding.rule == "idl-digest"
    assert finding.message == "dsp/v69 has no skel for the stub in lib/libdemo.so"


def test_an_arch_that_the_target_does_not_have(make: Make) -> None:
    release = make()
    release.skel("dsp/v69/libdemo_skel.so", entry() + NOTE, arch="v69")
    release.declare()

    (finding,) = release.findings()

    assert (finding.rule, finding.path) == ("declared-archs", "dsp/v69")


def test_symbols_of_a_library_beside_the_skel(make: Make) -> None:
    release = make()
    release.skel("dsp/v68/libmore.so", "int more(int x) { return x; }", "-Wl,-soname,libmore.so")
    flags = release.linker.skel_needing("libmore.so")
    release.skel(SKEL, "int more(int);\n" + entry("more(x)") + NOTE, *flags)
    release.declare()
    assert release.findings() == ()

    release.skel("dsp/v68/libmore.so", "int less;", "-Wl,-soname,libmore.so")
    release.declare()
    (finding,) = release.findings()
    assert finding.message == (
        "libdemo_skel.so needs more, which no known v68 DSP shell exports, nor does libmore.so"
    )


def test_what_the_ndk_notes_in_a_file_for_a_newer_android(make: Make) -> None:
    release = make("android")
    source = note("Android", (34).to_bytes(4, "little"))
    release.host("lib/libpart.so", source)
    release.host("lib/libicu_user.so", "int part;", *release.linker.needing("libicu.so"))
    release.target["api"] = 30
    release.declare()

    newer, older = release.findings()

    assert newer.message.startswith("libicu_user.so needs Android API level 31, but the target")
    assert newer.why == "that level introduced libicu.so"
    assert older.message.startswith("libpart.so needs Android API level 34")
    assert older.why == "the NDK linked it for that level"


def test_a_library_that_is_found_by_runpath_only(make: Make) -> None:
    release = make()
    release.host("lib/more/libmore.so", "int more;")
    flags = release.linker.needing("libmore.so")
    release.host("bin/tool", "int tool;", *flags)
    release.declare()
    (finding,) = release.findings()
    assert finding.why.endswith("it is lib/more/libmore.so")

    release.host("bin/tool", "int tool;", *flags, "-Wl,-rpath,$ORIGIN/../lib/more")
    release.declare()
    assert release.findings() == ()


def test_foreign_files_get_warnings_for_what_only_releases_must_keep(make: Make) -> None:
    release = make()
    release.put("share/empty", b"")
    release.host("lib/libm.so.6", "int part;", "-Wl,-rpath,/opt", stripped=False)
    release.host("lib/libcdsprpc.so.1", "int part;", *release.linker.needing("libnone.so"))

    found = inspect_directory(release.root)

    assert found.kind == "directory"
    assert {finding.severity for finding in found.findings} == {"warning"}
    assert sorted(finding.rule for finding in found.findings) == [
        *("needed-libraries", "no-empty-files", "no-shadowed-library", "no-shipped-cdsprpc"),
        *("runpath-in-release", "stripped"),
    ]


@pytest.mark.long
def test_releases_below_a_directory_are_checked_as_releases(make: Make, tmp_path: Path) -> None:
    release = make()
    release.declare()
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/demo").write_text("#!/bin/sh\n")
    release.root.rename(tmp_path / "usr/lib")
    assert inspect_directory(tmp_path).releases == 1
    assert inspect_directory(tmp_path).findings == ()

    (tmp_path / "usr/lib/run.sh").unlink()
    (tmp_path / "usr/bin/demo").write_text("")

    assert [(f.rule, f.path) for f in inspect_directory(tmp_path).findings] == [
        ("declared-files", "usr/lib/run.sh"),
        ("no-empty-files", "usr/bin/demo"),
    ]


def test_a_release_in_a_release_is_a_file_of_it(make: Make, tmp_path: Path) -> None:
    outer = make()
    shutil.copytree(outer.root, outer.root / "a")
    outer.declare()
    shutil.copyfile(outer.root / "release.json", outer.root / "a/release.json")

    found = inspect_directory(tmp_path)

    assert found.releases == 1
    assert [(finding.rule, finding.path) for finding in found.findings] == [
        ("no-undeclared-files", "release/a/release.json"),
        ("arm64-machine", "release/a/dsp/v68/libdemo_skel.so"),
    ]


def test_both_sides_in_one_directory_as_android_apps_have_them(make: Make, tmp_path: Path) -> None:
    release = make("android")
    folder = tmp_path / "app/jni/arm64-v8a"
    folder.mkdir(parents=True)
    for name in ("lib/libdemo.so", SKEL):
        shutil.copy(release.root / name, folder)
    assert inspect_directory(tmp_path / "app").findings == ()

    release.host("lib/libpart.so", "int part;", "-Wl,-z,max-page-size=4096")
    shutil.copy(release.root / "lib/libpart.so", folder)
    skel = release.skel(SKEL, "int malloc(int);\n" + entry("malloc(x)") + note("buildtool", OTHER))
    shutil.copy(skel, folder)

    found = inspect_directory(tmp_path / "app").findings
    assert [finding.rule for finding in found] == ["idl-digest", "android-pages", "wrapped-malloc"]


def test_a_pipe_is_reported_and_not_opened(make: Make) -> None:
    release = make()
    subprocess.run(["mkfifo", release.root / "lib/pipe"], check=True)

    (finding,) = release.findings()

    assert finding.message == "pipe is neither a file nor a link"


def test_the_same_findings_in_any_order_of_files(make: Make) -> None:
    release = make()
    for name in ("a", "b", "c"):
        release.put(f"share/{name}", b"")
    tree = read_tree(release.root)
    reverse = Subject(dict(reversed(list(tree.files.items()))), tree.links, tree.promise)

    assert check(tree) == check(reverse)
    assert [finding.path for finding in check(tree)] == ["share/a", "share/b", "share/c"]


def test_a_pulled_sysroot_decides(make: Make, tmp_path: Path) -> None:
    release = make()
    source = "int rpcmem_alloc2(void);\nint part(void) { return rpcmem_alloc2(); }"
    release.host("lib/libpart.so", source, *release.linker.needing("libyaml-0.so.2"))
    release.skel(SKEL, "int of_this_board(int);\n" + entry("of_this_board(x)") + NOTE)
    release.declare()
    assert [finding.rule for finding in release.findings()] == [
        *("needed-libraries", "cdsprpc-functions", "shell-symbols")
    ]
    board = Sysroot(
        where=tmp_path / "board",
        version="1",
        identity="",
        name="board",
        source="a stand-in",
        platform="ubuntu-aarch64",
        soname="libcdsprpc.so.1",
        exports=frozenset({"rpcmem_alloc", "rpcmem_alloc2"}),
        library="",
        shell_exports=frozenset({"of_this_board"}),
    )
    (board.root / "lib").mkdir(parents=True)
    (board.root / "lib/libyaml-0.so.2").write_bytes(b"")
    assert inspect_directory(release.root, sysroot=board).findings == ()

    older = board._replace(exports=frozenset(), shell_exports=frozenset({"printf"}))
    found = inspect_directory(release.root, sysroot=older).findings
    assert [(finding.rule, finding.path) for finding in found] == [
        ("cdsprpc-functions", "lib/libdemo.so"),
        ("cdsprpc-functions", "lib/libpart.so"),
        ("shell-symbols", SKEL),
    ]
    assert "the libcdsprpc of the device 'board' does not have" in found[0].message
    assert "the DSP shell of the device 'board' does not export" in found[2].message
