"""A project of one library, whose content shows from which sources it was built."""

from __future__ import annotations

from tests.project import Project

HEAD = "cmake_minimum_required(VERSION 3.25)\nproject(app C)\n"
LIBRARY = "add_library(app SHARED {sources})\ninstall(TARGETS app LIBRARY DESTINATION lib)\n"


class Marked(Project):
    """The project, whose component is `app`."""

    def lists(self, *rest: str, sources: str = "a.c") -> None:
        """Write the component's CMakeLists.txt."""
        self.write("app/CMakeLists.txt", HEAD + LIBRARY.format(sources=sources) + "".join(rest))

    def project(self, keys: str = "", more: str = "") -> None:
        """Write buildtool.toml, with more keys of the component, and more components."""
        self.write(
            "buildtool.toml",
            f'[project]\nname = "stale"\n\n[host.app]\nsource = "app"\n{keys}\n{more}'
            '\n[target.sim]\nplatform = "ubuntu-aarch64"\ntoolchain = "gcc"\n',
        )

    def outcome(self) -> str:
        """Build; returns the outcome of the component's step."""
        return self.build_here("sim", jobs=1)["host/app"]

    def has(self, mark: str) -> bool:
        """Whether the library was built from the source with this mark."""
        files = (self.release() / "lib").iterdir()
        return any(f"mark: {mark}.".encode() in file.read_bytes() for file in files)


def marked(mark: str, name: str = "mark") -> str:
    """C source of a variable with this mark."""
    return f'const char *const {name} = "mark: {mark}.";\n'
