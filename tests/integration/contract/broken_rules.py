"""For each rule of the contract a release of real binaries that breaks this rule only."""

from __future__ import annotations

from collections.abc import Callable

from .binaries import entry, note
from .releases import DIGEST, OTHER, TestRelease

SKEL = "dsp/v68/libdemo_skel.so"
NEW_SKEL = "dsp/v79/libdemo_skel.so"
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
    "host-platform",
    "lib/libvendor.so",
    "libvendor.so is built for Android, not for Linux with glibc",
    "it is linked for Android API level 31",
)
def _(release: TestRelease) -> None:
    release.host("lib/libvendor.so", "int v;" + note("Android", (31).to_bytes(4, "little")))


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
    "host-symbols",
    "lib/libpart.so",
    "libpart.so needs forgotten, which neither a file of the release nor a library of",
    "it would not be loaded: undefined symbol: forgotten",
)
def _(release: TestRelease) -> None:
    source = "int forgotten(void);\nint part(void) { return forgotten(); }"
    release.host("lib/libpart.so", source, *release.linker.needing("libc.so.6"))


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


@breaks("skel-hash", SKEL, "libdemo_skel.so has no SYSV hash table, which DSP", "find no symbol")
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


@breaks(
    "hvx-instructions",
    NEW_SKEL,
    "libdemo_skel.so has IEEE sums or products, which v79 lacks",
    ": v0.sf=vadd(v1.sf,v2.sf)",
)
def _(release: TestRelease) -> None:
    release.executes(NEW_SKEL, 0x1F82E1C0)


@breaks(
    "qf-values",
    NEW_SKEL,
    "libdemo_skel.so permutes qf values",
    ": v4=vror(v0,Rt) reads qf32 of 0x",
)
def _(release: TestRelease) -> None:
    # v0.qf32=vadd(v1.sf,v2.sf); v4=vror(v0,r0)
    release.executes(NEW_SKEL, 0x1FA2E120, 0x1960C024)
