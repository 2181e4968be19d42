"""The compiler of the Hexagon side as a tool requirement: zig or a Hexagon SDK of this machine.

The package holds no compiler, only a CMake toolchain file that says where it is; so it is made anew
for another compiler, shapes the names of what is built with it, and is never uploaded.
"""

import importlib
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import save

TOOLCHAIN = "hexagon.cmake"


class HexagonToolchain(ConanFile):
    name = "hexagon-toolchain"
    version = "1.0"
    license = "MIT"
    description = "CMake toolchain file for Qualcomm's Hexagon DSP"
    package_type = "application"
    # Which compiler: zig's (llvm), that of a Hexagon SDK, or the SDK's where there is one.
    options = {"toolchain": ["auto", "llvm", "sdk"], "identity": ["ANY"]}
    default_options = {"toolchain": "auto", "identity": ""}
    build_policy = "missing"
    upload_policy = "skip"
    # What is built with another compiler is another package.
    build_mode = "full_mode"

    def configure(self):
        if profile := self._profile():
            self.options.identity = profile.digest

    def validate(self):
        if not self._arch():
            raise ConanInvalidConfiguration(
                "hexagon-toolchain is a tool requirement of packages for os=QURT,"
                " arch=hexagonv68 ... hexagonv81"
            )

    def package_id(self):
        # Paths of this machine are in the package: it is of no use to another Python environment.
        self.info.options.identity = f"{self.info.options.identity} in {self._place()}"

    def package(self):
        toolchain = self._profile().cmake_toolchain()
        save(self, Path(self.package_folder, TOOLCHAIN), toolchain)

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.includedirs = []
        toolchain = str(Path(self.package_folder, TOOLCHAIN))
        self.conf_info.append("tools.cmake.cmaketoolchain:user_toolchain", toolchain)
        self.conf_info.define("tools.cmake.cmaketoolchain:generator", "Ninja")
        cmake = _buildtool("sdk.cmake").find_cmake()
        self.conf_info.define("tools.cmake:cmake_program", str(cmake.program))
        self.buildenv_info.prepend_path("PATH", str(cmake.ninja.parent))

    def _arch(self):
        arch = str(self.settings_target.get_safe("arch")) if self.settings_target else ""
        return arch.removeprefix("hexagon") if arch.startswith("hexagonv") else ""

    def _place(self):
        return _buildtool("_data").ROOT

    def _profile(self):
        arch = self._arch()
        if not arch:
            return None
        model = _buildtool("project.model")
        choose = _buildtool("toolchains.choose")
        which = str(self.options.toolchain)
        target = model.Target(platform="ubuntu-aarch64", archs=(arch,), dsp_toolchain=which)
        header = model.Header(name="none")
        project = model.Project(Path.cwd(), header, {}, {}, {"none": target})
        return choose.skel_profiles(project, target)[arch]


def _buildtool(module):
    """A module of buildtool, whose profiles these are."""
    try:
        return importlib.import_module(f"buildtool.{module}")
    except ImportError as error:
        raise ConanInvalidConfiguration(
            "buildtool is not installed beside Conan, and the toolchain file is its:"
            " run the conan of the environment that buildtool is installed in"
        ) from error
