"""The device's libcdsprpc: headers to compile with and a name to link; the library never ships.

Linking needs a toolchain that has an import stub of it where it looks for libraries, as buildtool's
ARM64 profiles do.
"""

from pathlib import Path

from conan import ConanFile
from conan.tools.files import copy


class Cdsprpc(ConanFile):
    name = "cdsprpc"
    version = "1.0"
    license = "MIT"
    description = "FastRPC client library of Qualcomm devices: the system's own"
    package_type = "header-library"
    no_copy_source = True

    def export_sources(self) -> None:
        headers = Path(self.recipe_folder).parents[1] / "host" / "include"
        copy(self, "*.h", src=headers, dst=self.export_sources_folder)

    def package_id(self) -> None:
        self.info.clear()

    def package(self) -> None:
        copy(self, "*.h", src=self.source_folder, dst=Path(self.package_folder, "include"))

    def package_info(self) -> None:
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.includedirs = ["include", "include/fastrpc"]
        self.cpp_info.system_libs = ["cdsprpc"]
