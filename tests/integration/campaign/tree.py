"""Random projects, as values: parameters describe a tree, and an edit changes one of them.

The project is in the folder `app` of its repository.  Its only component is a program or a skel,
in `app/code`; some features add a component that it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from tests.integration.engine.sources import Source, State

SIDES = ("gcc", "zig", "skel")
SKEL = """int x_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; (void)p; return values[s]; }
int x_skel_invoke(unsigned s, void *p) { (void)p; return values[s]; }"""
Parameters = Mapping[str, str]
"""The value of each parameter, by `FEATURE.NAME`."""


@dataclass
class Tree:
    """The files of a repository, and the parts that features add to its common files."""

    side: str
    files: dict[str, str] = field(default_factory=dict)
    cmake: list[str] = field(default_factory=list)
    declarations: list[str] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    """Integers that the program or skel contains."""
    sources: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    """Lines of the component in buildtool.toml."""
    components: list[str] = field(default_factory=list)
    project_keys: list[str] = field(default_factory=list)

    @property
    def is_skel(self) -> bool:
        return self.side == "skel"

    def add(self, name: str, text: str) -> None:
        """Add a file, by its path from the component's directory: `../../top.h`."""
        path = ["app", "code"]
        for part in name.split("/"):
            path = path[:-1] if part == ".." else [*path, part]
        self.files["/".join(path)] = text

    def ship(self, directory: str) -> None:
        """Install a directory of the build tree."""
        path = f"${{CMAKE_CURRENT_BINARY_DIR}}/{directory}"
        self.cmake.append(f"install(DIRECTORY {path} DESTINATION share)")

    def install(self, library: str) -> None:
        self.cmake.append(f"install(TARGETS {library} {'DESTINATION .' if self.is_skel else ''})")

    def state(self) -> State:
        """The files of the repository."""
        kind, archs, toolchain, target = "host", "[]", self.side, "add_executable(x_skel"
        if self.is_skel:
            kind, archs, toolchain, target = "skel", '["v68"]', "zig", "add_library(x_skel SHARED"
        self.add(
            "../buildtool.toml",
            f"""[project]
name = "campaign"
{_lines(self.project_keys)}
[{kind}.code]
source = "code"
{_lines(self.keys)}
{_lines(self.components)}
[target.sim]
platform = "ubuntu-aarch64"
archs = {archs}
toolchain = "{toolchain}"
""",
        )
        values = f"const volatile int values[] = {{{', '.join(self.terms or ['0'])}}};"
        entry = SKEL if self.is_skel else "int main(int n, char **w) { return values[n] + !w; }"
        self.add("main.c", f"{_lines(self.declarations)}\n{values}\n{entry}\n")
        self.add(
            "CMakeLists.txt",
            f"""cmake_minimum_required(VERSION 3.24)
project(code C ASM)
find_package(Buildtool REQUIRED)
{target} main.c {" ".join(self.sources)})
target_include_directories(x_skel PRIVATE inc ../..)
{_lines(self.cmake)}
install(TARGETS x_skel LIBRARY DESTINATION . RUNTIME DESTINATION bin)
""",
        )
        return {name: Source(text) for name, text in self.files.items()}


@dataclass(frozen=True)
class Feature:
    """A way in which a build reads or makes files: `add` adds it to a tree, with the values that
    its parameters have there."""

    name: str
    choices: Mapping[str, tuple[str, ...]]
    add: Callable[..., None]
    sides: tuple[str, ...] = SIDES

    def values(self, parameters: Parameters) -> dict[str, str]:
        return {name: parameters[f"{self.name}.{name}"] for name in self.choices}


@dataclass(frozen=True)
class Kind:
    """The trees of some features on one side."""

    side: str
    features: tuple[Feature, ...]

    def __str__(self) -> str:
        return f"{self.side}: {', '.join(feature.name for feature in self.features)}"

    @staticmethod
    def random(random: Random, features: tuple[Feature, ...]) -> Kind:
        side = random.choice(SIDES)
        possible = [feature for feature in features if side in feature.sides]
        return Kind(side, tuple(random.sample(possible, random.randint(4, 7))))

    def first(self, random: Random) -> Parameters:
        return {
            f"{feature.name}.{name}": random.choice(values)
            for feature in self.features
            for name, values in feature.choices.items()
        }

    def edited(self, random: Random, parameters: Parameters) -> Parameters:
        """The parameters with another value for one of them."""
        name = random.choice(sorted(parameters))
        feature, _, own = name.partition(".")
        choices = next(one.choices[own] for one in self.features if one.name == feature)
        value = random.choice([value for value in choices if value != parameters[name]])
        return {**parameters, name: value}

    def state(self, parameters: Parameters) -> State:
        """The files of the repository."""
        tree = Tree(self.side)
        for feature in self.features:
            feature.add(tree, **feature.values(parameters))
        return tree.state()


def _lines(parts: list[str]) -> str:
    return "\n".join(parts)
