"""Profiles as Conan reads them."""

from __future__ import annotations

from pathlib import Path

from buildtool.sdk.packaged_tools import find_cmake
from buildtool.toolchains.arm64 import ubuntu_aarch64
from buildtool.toolchains.conan_profile import ConanProfile, conan_profile
from buildtool.toolchains.hexagon import hexagon
from buildtool.toolchains.profile import Compiler, Profile

HOME = Path("/a project/.buildtool/conan")


def render(profile: Profile, home: Path = HOME) -> ConanProfile:
    return conan_profile(profile, home, find_cmake())


def lines(profile: Profile) -> list[str]:
    return render(profile).text.splitlines()


def value(profile: Profile, name: str) -> str:
    (line,) = [line for line in lines(profile) if line.startswith(f"{name}=")]
    return line.removeprefix(f"{name}=")


ANDROID = Profile(
    name="android-31-c++_shared",
    platform="android",
    template="android.cmake.in",
    settings={"API": "31", "STL": "c++_shared", "NDK_MAJOR": "27"},
    identity="tools",
    places={"NDK": "/opt/ndk"},
    compiler=Compiler(
        "clang", "18", "c++_shared", ("/opt/ndk/clang", "--x"), ("/opt/ndk/clang++",)
    ),
    environment={"ANDROID_NDK_ROOT": "/opt/ndk"},
)


def test_settings_of_the_arm64_side() -> None:
    text = render(ubuntu_aarch64("2.34")).text

    assert (
        "[settings]\nos=Linux\nos.glibc=2.34\narch=armv8\ncompiler=clang\ncompiler.version=22\n"
        "compiler.libcxx=libc++\ncompiler.cppstd=gnu17\nbuild_type=Release\n[conf]\n"
    ) in text


def test_settings_of_the_hexagon_side() -> None:
    text = render(hexagon("v73")).text

    assert "\nos=QURT\narch=hexagonv73\ncompiler=clang\ncompiler.version=22\n" in text
    assert "compiler.libcxx" not in text
    assert "compiler_executables" not in text


def test_settings_of_android() -> None:
    text = render(ANDROID).text

    assert "\nos=Android\nos.api_level=31\narch=armv8\n" in text
    assert "\ncompiler.libcxx=c++_shared\n" in text
    assert value(ANDROID, "tools.android:ndk_path") == "/opt/ndk"
    assert value(ANDROID, "ANDROID_NDK_ROOT") == "/opt/ndk"
    assert value(ANDROID, "AR") == "/opt/ndk/llvm-ar"


def test_another_compiler_or_setting_makes_another_package() -> None:
    """Conan includes this digest in the IDs of packages."""
    profile = ubuntu_aarch64()
    replaced = profile._replace(identity="another zig")
    moved = profile._replace(places={**profile.places, "ZIG": "/elsewhere/zig"})
    name = "user.buildtool:profile"

    assert value(profile, name) == f"sha256:{profile.digest}"
    assert value(profile, "tools.info.package_id:confs") == f"['{name}']"
    assert len({value(p, name) for p in (profile, replaced, ubuntu_aarch64("2.31"))}) == 3
    assert value(moved, name) == value(profile, name)


def test_a_command_with_arguments_becomes_a_program() -> None:
    made = render(ANDROID)

    (script,) = [path for path in made.files if path.name == "cc"]
    assert made.files[script] == '#!/bin/sh\nexec /opt/ndk/clang --x "$@"\n'
    assert f"{{'c': '{script}', 'cpp': '/opt/ndk/clang++'}}" in made.text


def test_the_files_of_two_profiles_do_not_meet(tmp_path: Path) -> None:
    first, second = render(ubuntu_aarch64(), tmp_path), render(ubuntu_aarch64("2.31"), tmp_path)

    assert not set(first.files) & set(second.files)
    first.write_files()
    for path, text in first.files.items():
        assert path.read_text() == text
        assert bool(path.stat().st_mode & 0o100) == (path.name != "toolchain.cmake")


def test_a_path_is_not_taken_for_a_template() -> None:
    text = render(ubuntu_aarch64(), Path("/{{ os }}/conan")).text

    assert text.startswith("{% raw %}\n")
    assert text.endswith("{% endraw %}\n")
    assert "/{{ os }}/conan/toolchains/" in text
