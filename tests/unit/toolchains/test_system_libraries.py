"""The libraries that belong to the device."""

from __future__ import annotations

from pathlib import Path

from buildtool.toolchains.cdsprpc import Cdsprpc
from buildtool.toolchains.profile import Compiler, Profile
from buildtool.toolchains.system_libraries import UBUNTU, system_libraries

PROFILE = Profile(
    "p", "ubuntu-aarch64", "", {"API": "31"}, "", {}, Compiler("clang", "22", "", (), ())
)


def test_on_ubuntu_the_c_library_and_the_compiler_s(tmp_path: Path) -> None:
    assert system_libraries(PROFILE) == UBUNTU
    assert {"libc.so.6", "libm.so.6", "ld-linux-aarch64.so.1", "libstdc++.so.6"} < UBUNTU

    cdsprpc = Cdsprpc("libcdsprpc.so.1", frozenset())
    assert system_libraries(PROFILE._replace(cdsprpc=cdsprpc)) == UBUNTU | {"libcdsprpc.so.1"}

    library = tmp_path / "usr/lib/aarch64-linux-gnu/libyaml-0.so.2"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"")
    pulled = PROFILE._replace(places={"SYSROOT": str(tmp_path)})
    assert system_libraries(pulled) == UBUNTU | {"libyaml-0.so.2"}


def test_on_android_what_a_stand_in_ndk_links_for_the_api_level(tmp_path: Path) -> None:
    libraries = (
        tmp_path / "toolchains/llvm/prebuilt/linux-x86_64/sysroot/usr/lib/aarch64-linux-android"
    )
    for name in ("30/libc.so", "31/libc.so", "31/liblog.so", "31/crtbegin_so.o", "libfoo.so"):
        (libraries / name).parent.mkdir(parents=True, exist_ok=True)
        (libraries / name).write_bytes(b"")
    profile = PROFILE._replace(platform="android", places={"NDK": str(tmp_path)})

    assert system_libraries(profile) == {"libc.so", "liblog.so"}


def test_of_a_dsp_nothing_is_known() -> None:
    assert system_libraries(PROFILE._replace(platform="hexagon")) == frozenset()
