"""The compiler of the Hexagon side as a tool requirement: zig or a Hexagon SDK of this machine.

The package is empty: the CMake toolchain file, which says where the compiler is on this machine, is
written when it is needed.  Which compiler that is shapes the names of the packages built with it.
"""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration

if TYPE_CHECKING:
    from buildtool.toolchains.profile import Profile


class HexagonToolchain(ConanFile):
    name = "hexagon-toolchain"
    version = "1.0"
    license = "MIT"
    description = "CMake toolchain file for Qualcomm's Hexagon DSP"
    package_type = "application"
    # Which compiler: zig's (llvm), that of a Hexagon SDK, or the SDK's where there is one.
    options: Any = {"toolchain": ["auto", "llvm", "sdk"], "identity": [None, "ANY"]}
    default_options = {"toolchain": "auto"}
    build_policy = "missing"
    upload_policy = "skip"
    # What is built with another compiler is another package.
    build_mode = "full_mode"

    def configure(self) -> None:
        if profile := self._profile():
            self.options.identity = profile.digest

    def validate(self) -> None:
        if not self._arch():
            raise ConanInvalidConfiguration(
                "hexagon-toolchain is a tool requirement of packages for os=QURT,"
                " arch=hexagonv68 ... hexagonv81"
            )

    def package_id(self) -> None:
        # How it was chosen does not matter, only which it is.
        del self.info.options.toolchain

    def package_info(self) -> None:
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.includedirs = []
        profile = self._profile()
        assert profile is not None  # validate() has refused what has none
        text = _buildtool("toolchains.conan_profile").toolchain(profile)
        name = f"{profile.name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.cmake"
        file = _buildtool("core.cache").cache_dir() / "toolchains" / name
        _buildtool("core.files").write_if_changed(file, text)
        self.conf_info.append("tools.cmake.cmaketoolchain:user_toolchain", str(file))
        self.conf_info.define("tools.cmake.cmaketoolchain:generator", "Ninja")
        for variable, value in profile.environment.items():
            self.buildenv_info.define(variable, value)
        cmake = _buildtool("sdk.cmake").find_cmake()
        # Not tools.cmake:cmake_program, which Conan gives to a shell without quotation marks.
        for program in (cmake.ninja, cmake.program):
            self.buildenv_info.prepend_path("PATH", str(program.parent))

    def _arch(self) -> str:
        arch = str(self.settings_target.get_safe("arch")) if self.settings_target else ""
        return arch.removeprefix("hexagon") if arch.startswith("hexagonv") else ""

    def _profile(self) -> Profile | None:
        arch = self._arch()
        if not arch:
            return None
        model = _buildtool("project.model")
        select_profiles = _buildtool("toolchains.select_profiles")
        which = str(self.options.toolchain)
        target = model.Target(platform="ubuntu-aarch64", archs=(arch,), dsp_toolchain=which)
        header = model.Header(name="none")
        project = model.Project(Path.cwd(), header, {}, {}, {"none": target})
        errors = _buildtool("core.errors")
        try:
            profiles: dict[str, Profile] = select_profiles.skel_profiles(project, target)
        except errors.BuildtoolError as error:
            raise ConanInvalidConfiguration(str(error)) from error
        return profiles[arch]


def _buildtool(module: str) -> ModuleType:
    """A module of buildtool, whose profiles these are."""
    try:
        return importlib.import_module(f"buildtool.{module}")
    except ImportError as error:
        raise ConanInvalidConfiguration(
            "buildtool is not installed beside Conan, and the toolchain file is its:"
            " run the conan of the environment that buildtool is installed in"
        ) from error
