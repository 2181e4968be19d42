"""A stand-in Android NDK in the layout of r25 … r29.

Sources of the layout: the NDK's public build scripts and toolchain file (platform/ndk of the
Android Open Source Project), its revision history, and paths that public build scripts name.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .zig import library, write_file, zig_program

HOST = "linux-x86_64"
TRIPLE = "aarch64-linux-android"


@dataclass(frozen=True)
class Release:
    """The differences between NDKs; `lib` is where clang has its resource directory."""

    name: str
    revision: str
    build: str
    clang: str
    lib: str
    apis: tuple[int, int]
    page_size: int

    @property
    def major(self) -> int:
        return int(self.revision.split(".")[0])


RELEASES = {
    "r25": Release(
        "r25c", "25.2.9519653", "r450784d1", "14.0.7", "lib64/clang/14.0.7", (19, 33), 4096),
    "r26": Release("r26d", "26.3.11579264", "r487747e", "17.0.2", "lib/clang/17", (21, 34), 4096),
    "r27": Release("r27c", "27.2.12479018", "r522817c", "18.0.3", "lib/clang/18", (21, 35), 4096),
    "r28": Release("r28c", "28.2.13676358", "r530567e", "19.0.1", "lib/clang/19", (21, 35), 16384),
    "r29": Release("r29", "29.0.14206865", "r563880c", "21.0.0", "lib/clang/21", (21, 36), 16384),
}  # fmt: skip
FLEXIBLE_PAGES_SINCE = 27  # ANDROID_SUPPORT_FLEXIBLE_PAGE_SIZES
RELEASE_NAME_SINCE = 26  # Pkg.ReleaseName in source.properties
NO_NDK_API = (20, 25)  # levels without new APIs: aliases of the previous level
NAMES = {
    "N": 24, "N-MR1": 24, "O": 26, "O-MR1": 27, "P": 28, "Q": 29, "R": 30, "S": 31, "Sv2": 32,
    "Tiramisu": 33, "UpsideDownCake": 34, "VanillaIceCream": 35,
}  # fmt: skip


def make_ndk(directory: Path, release: str = "r27") -> Path:
    """Write an NDK (`r25` … `r29`) to `directory`; returns `directory`."""
    ndk = RELEASES[release]
    _properties(directory, ndk)
    _meta(directory / "meta", ndk)
    _toolchain_file(directory / "build" / "cmake" / "android.toolchain.cmake", ndk)
    prebuilt = directory / "toolchains" / "llvm" / "prebuilt" / HOST
    _programs(prebuilt / "bin", ndk)
    _sysroot(prebuilt / "sysroot" / "usr", ndk)
    resources = prebuilt / ndk.lib / "lib" / "linux"
    resources.mkdir(parents=True)
    (resources / "libclang_rt.builtins-aarch64-android.a").write_bytes(b"!<arch>\n")
    (prebuilt / "AndroidVersion.txt").write_text(f"{ndk.clang}\nbased on {ndk.build}\n")
    write_file(directory / "ndk-build", "no-tool", {}, program=True)
    return directory


def _properties(directory: Path, ndk: Release) -> None:
    lines = ["Pkg.Desc = Android NDK", f"Pkg.Revision = {ndk.revision}"]
    if ndk.major >= RELEASE_NAME_SINCE:
        lines += [f"Pkg.BaseRevision = {ndk.revision}", f"Pkg.ReleaseName = {ndk.name}"]
    directory.mkdir(parents=True)
    (directory / "source.properties").write_text("\n".join(lines) + "\n")


def _meta(directory: Path, ndk: Release) -> None:
    directory.mkdir()
    first, last = ndk.apis
    aliases = {str(level): level - 1 for level in NO_NDK_API}
    aliases |= {name: level for name, level in NAMES.items() if first <= level <= last}
    platforms = {"min": first, "max": last, "aliases": aliases}
    (directory / "platforms.json").write_text(json.dumps(platforms, indent=2))
    abis = {
        "armeabi-v7a": _abi(
            32, "armv7-a", "arm", "arm-linux-androideabi", "armv7-none-linux-androideabi"),
        "arm64-v8a": _abi(64, "aarch64", "arm64", TRIPLE, "aarch64-none-linux-android"),
        "x86": _abi(32, "i686", "x86", "i686-linux-android", "i686-none-linux-android"),
        "x86_64": _abi(64, "x86_64", "x86_64", "x86_64-linux-android", "x86_64-none-linux-android"),
    }  # fmt: skip
    (directory / "abis.json").write_text(json.dumps(abis, indent=2))


def _abi(bitness: int, proc: str, arch: str, triple: str, llvm_triple: str) -> dict[str, object]:
    return {
        "bitness": bitness,
        "default": True,
        "deprecated": False,
        "proc": proc,
        "arch": arch,
        "triple": triple,
        "llvm_triple": llvm_triple,
    }


def _toolchain_file(path: Path, ndk: Release) -> None:
    values = {
        "RELEASE": ndk.name,
        "MAJOR": str(ndk.major),
        "REVISION": ndk.revision,
        "API_MIN": str(ndk.apis[0]),
        "API_MIN64": str(max(21, ndk.apis[0])),
        "API_MAX": str(ndk.apis[1]),
        "HAS_PAGE_SIZES": "ON" if ndk.major >= FLEXIBLE_PAGES_SINCE else "OFF",
    }
    write_file(path, "android.toolchain.cmake", values)


def _programs(bin_: Path, ndk: Release) -> None:
    zig = str(zig_program())
    major = ndk.clang.split(".")[0]
    values = {
        "ZIG": zig,
        "CLANG": ndk.clang,
        "BUILD": ndk.revision.split(".")[2],
        "REVISION": ndk.build,
        "PAGE_SIZE": str(ndk.page_size),
    }
    write_file(bin_ / f"clang-{major}", "clang", values, program=True)
    (bin_ / "clang").symlink_to(f"clang-{major}")
    (bin_ / "clang++").symlink_to("clang")
    for api in _levels(ndk):
        for name in ("clang", "clang++"):
            wrapper = {"NAME": name, "API": str(api)}
            write_file(bin_ / f"{TRIPLE}{api}-{name}", "clang-for-api", wrapper, program=True)
    for name in ("ar", "ranlib", "objcopy"):
        write_file(bin_ / f"llvm-{name}", "zig-tool", {"ZIG": zig, "VERB": name}, program=True)
    strip = {"ZIG": zig, "VERB": "objcopy --strip-all"}
    write_file(bin_ / "llvm-strip", "zig-tool", strip, program=True)
    for name in ("llvm-nm", "llvm-readelf", "llvm-objdump", "llvm-symbolizer"):
        write_file(bin_ / name, "no-tool", {}, program=True)
    write_file(bin_ / "ld.lld", "zig-tool", {"ZIG": zig, "VERB": "ld.lld"}, program=True)
    (bin_ / "ld").symlink_to("ld.lld")


def _levels(ndk: Release) -> list[int]:
    first, last = max(21, ndk.apis[0]), ndk.apis[1]
    return [api for api in range(first, last + 1) if api not in NO_NDK_API]


def _sysroot(usr: Path, ndk: Release) -> None:
    arm64 = ["--target=aarch64-linux-gnu.2.35"]
    libraries = usr / "lib" / TRIPLE
    libraries.mkdir(parents=True)
    shared = library("libc++_shared.so", "void __libcpp_stand_in(void) {}", arm64)
    _copy(shared, libraries)
    for name in ("libc++_static.a", "libc++abi.a"):
        (libraries / name).write_bytes(b"!<arch>\n")
    log = "int __android_log_print(int p, const char *t, const char *f, ...) { return 0; }"
    stubs = [library("liblog.so", log, arm64)]
    stubs += [library(f"lib{name}.so", "", arm64) for name in ("c", "m", "dl", "android")]
    for api in _levels(ndk):
        (libraries / str(api)).mkdir()
        for stub in stubs:
            _copy(stub, libraries / str(api))
        # The NDK's programs are built for glibc and name these files.
        for name in ("ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6"):
            (libraries / str(api) / name).write_bytes(b"")
    headers = usr / "include" / "android"
    headers.mkdir(parents=True)
    (headers / "log.h").write_text(
        "#pragma once\nenum { ANDROID_LOG_INFO = 4 };\n"
        '#ifdef __cplusplus\nextern "C"\n#endif\n'
        "int __android_log_print(int priority, const char *tag, const char *format, ...);\n"
    )
    (usr / "include" / TRIPLE).mkdir()


def _copy(file: Path, folder: Path) -> None:
    (folder / file.name).write_bytes(file.read_bytes())
