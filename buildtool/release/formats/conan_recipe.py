"""A Conan package of ARM64 libraries and programs, and of the skels that they use.

It is made of a release, not of sources.  In the directory of this file:

    conan export-pkg . --profile:all profile

The skels are resources: DIRECTORY/<arch>/*.so.
"""

import json
from pathlib import Path
from typing import Any

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.files import collect_libs, copy

IDENTITY: dict[str, str] = {}


class Release(ConanFile):
    name = IDENTITY["name"]
    version = IDENTITY["version"]
    description = IDENTITY["description"]
    settings: Any = "os", "arch"
    package_type = "shared-library"

    def package_id(self) -> None:
        # Which compiler, C library or API level builds the package is part of what is in it: the
        # oldest system that it runs on is checked in package_info().
        self.info.settings.rm_safe("os.*")
        self.info.conf.clear()

    def build(self) -> None:
        raise ConanException(
            f"{self.ref} has no package for os={self.settings.os}, arch={self.settings.arch}: its"
            " packages are made with `buildtool package --format conan`"
        )

    def package(self) -> None:
        copy(self, "*", src=Path(self.source_folder, "release"), dst=self.package_folder)
        # Releases have a library under the name that programs load; linkers search for another.
        for library in sorted(Path(self.package_folder, "lib").glob("lib*.so.*")):
            linked_as = library.with_name(library.name.partition(".so.")[0] + ".so")
            if not linked_as.exists():
                linked_as.symlink_to(library.name)

    def package_info(self) -> None:
        folder = Path(self.package_folder)
        target = json.loads((folder / "release.json").read_text(encoding="utf-8"))["target"]
        self._check("os.glibc", "glibc", target["glibc"])
        self._check("os.api_level", "API level", target["api"])
        self.cpp_info.libs = collect_libs(self)
        self.cpp_info.includedirs = ["include"] if (folder / "include").is_dir() else []
        self.cpp_info.bindirs = ["bin"] if (folder / "bin").is_dir() else []
        if not self.cpp_info.libs:
            self.cpp_info.libdirs = []
        if target["archs"]:
            self.cpp_info.resdirs = ["dsp"]
        if len(target["archs"]) == 1:
            skels = str(folder / "dsp" / target["archs"][0])
            self.runenv_info.append("ADSP_LIBRARY_PATH", skels, separator=";")

    def _check(self, setting: str, what: str, oldest: str | int | None) -> None:
        """Refuse a consumer that also runs on systems older than those of the package."""
        has = self.settings.get_safe(setting)
        if oldest and has and _numbers(has) < _numbers(oldest):
            raise ConanException(f"{self.ref} needs {what} {oldest}; it is asked for {has}")


def _numbers(version: str | int) -> list[int]:
    return [int(part) for part in str(version).split(".")]
