"""For each rule a release of real binaries that breaks this rule only."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.contract.check import RULES, check
from buildtool.contract.inspection import inspect_directory
from buildtool.contract.promise import Promise
from buildtool.contract.subject import Subject, read_tree
from buildtool.sdk.sysroot import Sysroot

from .binaries import entry, note
from .conftest import Make
from .releases import DIGEST, OTHER, TestRelease

SKEL = "dsp/v68/libdemo_skel.so"
NOTE = note("buildtool", DIGEST)
CASES: dict[str, tuple[str, str, str, Callable[[TestRelease], object]]] = {}
"""By rule: the path and the text of the finding, its why, and how a release is broken."""

Break = Callable[[TestRelease], object]


def breaks(rule: str, path: str, message: str, why: str) -> Callable[[Break], Break]:
    def register(function: Break) -> Break:
        CASES[rule] = (path, message, why, function)
        return function

    return register


@breaks("declared-files", "run.sh", "run.sh is missing", "declares it")
def _(release: TestRelease) -> None:
    release.declare()
    (release.root / "run.sh").unlink()


@breaks("no-undeclared-files", "bin/more", "bin/more is not part of the release", "not declare")
def _(release: TestRelease) -> None:
    release.declare()
    release.put("bin/more", b"#!/bin/sh\n")


@breaks("declared-contents", "run.sh", "run.sh is not as the release lists it", "its sha256 is ")
def _(release: TestRelease) -> None:
    release.declare()
    release.put("run.sh", b"#!/bin/sh\nexec bin/dem0\n")


@breaks(
    "declared-components",
    "",
    "the component other has no file in the release for v68",
    "the step skel/other/v68 ships nothing",
)
def _(release: TestRelease) -> None:
    release.steps.append({"name": "skel/other/v68", "component": "other", "arch": "v68"})


@breaks("declared-archs", "dsp/v75", "dsp/v75 has no skel", "the target is for v75, too")
def _(release: TestRelease) -> None:
    release.target["archs"] = ["v68", "v75"]


@breaks(
    "plain-files",
    "lib/libx.so",
    "libx.so is a link to ../../libx.so.1, which is not in the release",
    "it leads to nothing",
)
def _(release: TestRelease) -> None:
    (release.root / "lib/libx.so").symlink_to("../../libx.so.1")


@breaks("no-empty-files", "share/data.bin", "data.bin is empty", "it has no bytes")
def _(release: TestRelease) -> None:
    release.put("share/data.bin", b"")


@breaks("valid-elf", "bin/demo", "demo is not a valid ELF file", "")
def _(release: TestRelease) -> None:
    release.put("bin/demo", (release.root / "bin/demo").read_bytes()[:200])


@breaks(
    "arm64-machine",
    "lib/libpart.so",
    "libpart.so is not an ARM64 file",
    "its ELF machine is 62 (x86-64, 64 bits), ARM64's is 183",
)
def _(release: TestRelease) -> None:
    flags = ("--target=x86_64-linux-gnu", "-Wl,-soname,libpart.so")
    release.put("lib/libpart.so", release.linker.link("int part;", flags))


@breaks(
    "hexagon-machine",
    "dsp/v68/libpart.so",
    "libpart.so is not a Hexagon file",
    "its ELF machine is 183 (AArch64, 64 bits), Hexagon's is 164",
)
def _(release: TestRelease) -> None:
    release.host("dsp/v68/libpart.so", "int part;")


@breaks("dsp-arch", SKEL, "libdemo_skel.so is built for v69, not for v68", "in its e_flags is 0x69")
def _(release: TestRelease) -> None:
    release.skel(SKEL, entry() + NOTE, arch="v69")


@breaks(
    "idl-digest",
    SKEL,
    "libdemo_skel.so and the stub are generated from different IDL",
    "the digest of the IDL is 0102030405060708, but 0001020304050607 in lib/libdemo.so",
)
def _(release: TestRelease) -> None:
    release.skel(SKEL, entry() + note("buildtool", OTHER))


@breaks(
    "glibc-floor",
    "lib/libpart.so",
    "libpart.so needs glibc 2.36, but the target is for glibc 2.35 and newer",
    "for arc4random of libc.so.6",
)
def _(release: TestRelease) -> None:
    libc = release.linker.versioned("libc.so.6", "GLIBC_2.36", "arc4random")
    source = "void arc4random(void);\nvoid part(void) { arc4random(); }"
    release.host("lib/libpart.so", source, *libc)


@breaks(
    "android-api",
    "lib/libpart.so",
    "libpart.so needs Android API level 33, but the target is for 31 and newer",
    "that level introduced preadv2 of libc.so",
)
def _(release: TestRelease) -> None:
    libc = release.linker.versioned("libc.so", "LIBC_T", "preadv2")
    release.host("lib/libpart.so", "void preadv2(void);\nvoid part(void) { preadv2(); }", *libc)


@breaks(
    "android-pages",
    "lib/libpart.so",
    "libpart.so cannot be loaded on devices with 16 KiB pages",
    "one of its LOAD segments is aligned to 4096 bytes, not 16384",
)
def _(release: TestRelease) -> None:
    release.host("lib/libpart.so", "int part;", "-Wl,-z,max-page-size=4096")


@breaks(
    "needed-libraries",
    "bin/demo",
    "demo needs libmissing.so.2, which is neither in the release nor on every device",
    "no file of the release has that name",
)
def _(release: TestRelease) -> None:
    release.host("bin/demo", "int run;", *release.linker.needing("libmissing.so.2"))


@breaks(
    "cdsprpc-soname",
    "lib/libpart.so",
    "libpart.so needs libcdsprpc.so, but every device has libcdsprpc.so.1",
    "the loader searches for exactly that name",
)
def _(release: TestRelease) -> None:
    release.host("lib/libpart.so", "int part;", *release.linker.needing("libcdsprpc.so"))


@breaks(
    "cdsprpc-functions",
    "lib/libpart.so",
    "libpart.so needs rpcmem_alloc2, which the libcdsprpc of some devices does not have",
    "cannot locate symbol rpcmem_alloc2",
)
def _(release: TestRelease) -> None:
    source = "int rpcmem_alloc2(void);\nint part(void) { return rpcmem_alloc2(); }"
    release.host("lib/libpart.so", source)


@breaks(
    "no-shipped-cdsprpc",
    "lib/libmine.so",
    "libmine.so is a FastRPC library of the system: libadsprpc.so",
    "breaks every session",
)
def _(release: TestRelease) -> None:
    release.put("lib/libmine.so", release.linker.host("libadsprpc.so", "int part;"))


@breaks(
    "no-shadowed-library",
    "lib/libm.so.6",
    "libm.so.6 shadows libm.so.6 of the device",
    "the loader searches the release first",
)
def _(release: TestRelease) -> None:
    release.host("lib/libm.so.6", "int part;")


@breaks(
    "runpath-in-release",
    "lib/libpart.so",
    "libpart.so has a RUNPATH that points outside the release: /opt/demo/lib",
    "on a device the release has no files there",
)
def _(release: TestRelease) -> None:
    release.host("lib/libpart.so", "int part;", "-Wl,-rpath,/opt/demo/lib")


@breaks(
    "skel-alignment",
    SKEL,
    "libdemo_skel.so has segments that are not aligned to 4 KiB",
    "alignments: 0x10000, ",
)
def _(release: TestRelease) -> None:
    release.skel(SKEL, entry() + NOTE, "-Wl,-z,max-page-size=65536")


@breaks("skel-hash", SKEL, "libdemo_skel.so has no SYSV hash table, which DSP", "no symbol")
def _(release: TestRelease) -> None:
    release.skel(SKEL, entry() + NOTE, "-Wl,--hash-style=gnu")


@breaks(
    "wrapped-malloc",
    SKEL,
    "libdemo_skel.so needs malloc, which no known v68 DSP shell exports",
    "0x80000406",
)
def _(release: TestRelease) -> None:
    release.skel(SKEL, "int malloc(int);\n" + entry("malloc(x)") + NOTE)


@breaks(
    "shell-symbols",
    SKEL,
    "libdemo_skel.so needs no_such_thing, which no known v68 DSP shell exports",
    "no_such_thing: not on v68 QCM6490/QCS6490, ",
)
def _(release: TestRelease) -> None:
    release.skel(SKEL, "int no_such_thing(int);\n" + entry("no_such_thing(x)") + NOTE)


@breaks(
    "cxx-runtime",
    SKEL,
    "libdemo_skel.so needs libc++.so.1, which is not beside it",
    "no DSP shell has the C++ runtime",
)
def _(release: TestRelease) -> None:
    release.skel(SKEL, entry() + NOTE, *release.linker.skel_needing("libc++.so.1"))


@breaks(
    "skel-libraries",
    SKEL,
    "libdemo_skel.so needs libmore.so, which is not beside it",
    "unless the device has that library",
)
def _(release: TestRelease) -> None:
    release.skel(SKEL, entry() + NOTE, *release.linker.skel_needing("libmore.so"))


@breaks(
    "skel-entry",
    "dsp/v68/libmore_skel.so",
    "libmore_skel.so has no entry point",
    "ENOSUCHSYMBOL 0x80000442",
)
def _(release: TestRelease) -> None:
    release.skel("dsp/v68/libmore_skel.so", "int more;")


@breaks(
    "no-text-relocations", "lib/libpart.so", "libpart.so has text relocations", "it has DT_TEXTREL"
)
def _(release: TestRelease) -> None:
    source = 'asm(".text\\n.globl part\\npart: .quad run\\n");'
    release.host("lib/libpart.so", source, "-Wl,-z,notext")


@breaks(
    "no-executable-stack",
    SKEL,
    "libdemo_skel.so asks for an executable stack",
    "its segment PT_GNU_STACK is executable",
)
def _(release: TestRelease) -> None:
    release.skel(SKEL, entry() + NOTE, "-Wl,-z,execstack")


@breaks(
    "no-build-paths",
    "lib/libpart.so",
    "libpart.so contains a path of the build machine: /home/somebody/demo/part.c",
    "it looks like a directory of a build or of a user",
)
def _(release: TestRelease) -> None:
    text = 'const char *part(void) { return "in /home/somebody/demo/part.c"; }'
    release.host("lib/libpart.so", text)


@breaks("stripped", "lib/libpart.so", "libpart.so is not stripped", "it has the sections .symtab")
def _(release: TestRelease) -> None:
    release.host("lib/libpart.so", "int part;", stripped=False)


WARNINGS = {"no-build-paths", "skel-libraries"}


@pytest.mark.parametrize("rule", [module.RULE.name for module in RULES])
def test_a_release_that_breaks_one_rule(rule: str, make: Make) -> None:
    path, message, why, break_it = CASES[rule]
    release = make("android" if rule.startswith("android") else "ubuntu-aarch64")

    break_it(release)
    if not (release.root / "release.json").exists():
        release.declare()

    (finding,) = release.findings()
    assert (finding.rule, finding.path) == (rule, path)
    assert finding.message.startswith(message)
    assert why in finding.why
    assert finding.remedy
    assert finding.severity == ("warning" if rule in WARNINGS else "error")


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
