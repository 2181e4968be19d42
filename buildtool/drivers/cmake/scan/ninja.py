"""What Ninja knows of a built tree: what its outputs are made of, and from which headers.

Source: Ninja's manual, "Extra tools": `-t inputs`, `-t targets all`, `-t deps`, `-t query`.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from buildtool.core.files import read_regular
from buildtool.core.process import capture, check

_OBJECT = re.compile(r"(.+): #deps \d+, deps mtime -?\d+ \((?:VALID|STALE)\)")
_DEPFILE = re.compile(r"(?m)^build ((?:[^:$\n]|\$.)+):|^  (?:DEP_FILE|depfile) = (.+)$")
PHONY = "phony"
_CMAKE_ITSELF = (PHONY, "RERUN_CMAKE", "VERIFY_GLOBS")  # rules that make nothing of the project


@dataclass(frozen=True, slots=True)
class NinjaGraph:
    """What the targets of a tree are made of, by rule.

    `inputs` are all files that the targets depend on, `made` what some rule makes, `needed` what
    of it the targets need.  All absolute, not otherwise changed.
    """

    inputs: tuple[str, ...]
    made: frozenset[str]
    needed: frozenset[str]


def read_graph(
    tree: Path, ninja: Path, environment: Mapping[str, str], targets: Sequence[str] = ()
) -> NinjaGraph:
    """Ask Ninja about the configured `tree`; no `targets`: those that it builds by default.

    Raises `ToolError` when Ninja fails.
    """
    ask = _Ask(tree, ninja, environment)
    inputs = tuple(ask.absolute(line) for line in ask("inputs", "--no-shell-escape", *targets))
    made = ask.made()
    needed = made & {*inputs, *map(ask.absolute, targets)} if targets else made
    return NinjaGraph(inputs, made, needed)


def read_headers(
    tree: Path, ninja: Path, environment: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """For each object in the built `tree` what its compiler read, in its order and spelling;
    absolute.  Ninja remembers objects too that no rule makes any more.

    Raises `ToolError` when Ninja fails.
    """
    return _Ask(tree, ninja, environment).headers()


def read_regeneration(
    tree: Path, ninja: Path, environment: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """What CMake writes when Ninja runs it, as Ninja names it, and what it reads, absolute.

    Raises `ToolError` when Ninja fails.
    """
    ask = _Ask(tree, ninja, environment)
    lines = itertools.takewhile(lambda line: line != "  outputs:", ask("query", "build.ninja"))
    inputs = [line[4:].removeprefix("| ") for line in lines if line.startswith("    ")]
    return ask("targets", "rule", "RERUN_CMAKE"), [ask.absolute(name) for name in inputs]


def read_depfiles(tree: Path) -> dict[str, str]:
    """The dependency files of those outputs that name one other than `OUTPUT.d`; absolute.

    Source: Ninja's manual, "Ninja file reference", and the variables that CMake's rules take.
    """
    text = read_regular(tree / "build.ninja").decode(errors="surrogateescape")
    found: dict[str, str] = {}
    outputs: list[str] = []
    for match in _DEPFILE.finditer(text):
        if match[1]:
            names = match[1].replace("${cmake_ninja_workdir}", "").replace("$ ", "\0").split()
            outputs = [_absolute(tree, _unescaped(name)) for name in names if name != "|"]
        else:
            depfile = _absolute(tree, _unescaped(match[2]))
            found |= {name: depfile for name in outputs if depfile != f"{name}.d"}
    return found


def dependents_of(
    tree: Path,
    ninja: Path,
    files: Collection[Path],
    environment: Mapping[str, str],
    misread: Mapping[str, tuple[str, ...]],
) -> dict[Path, tuple[Path, ...]]:
    """For each of `files` the outputs that are made directly from it, by what Ninja knows; of the
    objects that it has `misread`, by what these were made from.

    An output is made anew when it is deleted.  A file of which no rule and no compiler told has
    none: what depends on it nobody knows.  Raises `ToolError` when Ninja fails.
    """
    if not files:
        return {}
    ask = _Ask(tree, ninja, environment)
    wanted = {str(file): file for file in files}
    found: dict[Path, set[Path]] = {file: set() for file in files}
    told = {**ask.headers(), **misread}
    for name, headers in told.items():
        for header in wanted.keys() & {*headers, *map(os.path.normpath, headers)}:
            found[wanted[header]].add(Path(name))
    if known := ask.known(wanted):
        rules = ask.rules()
        for name, outputs in _outputs(ask("query", *known)).items():
            for path in map(ask.absolute, outputs):
                if rules.get(path, PHONY) not in _CMAKE_ITSELF:
                    found[wanted[name]].add(Path(path))
    return {file: tuple(sorted(outputs)) for file, outputs in found.items()}


def _outputs(lines: Sequence[str]) -> dict[str, list[str]]:
    """Of the answer to `-t query`: each name, and what stands below its `outputs:`."""
    found: dict[str, list[str]] = {}
    names: list[str] = []
    listed = False
    for line in lines:
        if not line.startswith(" "):
            names, listed = found.setdefault(line.removesuffix(":"), []), False
        elif line.startswith("    ") and listed:
            names.append(line[4:])
        else:
            listed = line == "  outputs:"
    return found


def _absolute(tree: Path, name: str) -> str:
    return name if name.startswith("/") else f"{tree}/{name}"


def _unescaped(name: str) -> str:
    return re.sub(r"\$(.)", r"\1", name.replace("\0", " "))


@dataclass(frozen=True, slots=True)
class _Ask:
    tree: Path
    ninja: Path
    environment: Mapping[str, str]

    def __call__(self, tool: str, *arguments: str) -> list[str]:
        command: list[str | Path] = [self.ninja, "-C", self.tree, "-t", tool, *arguments]
        done = check(
            capture(command, env=self.environment),
            f"asking Ninja about {self.tree}",
            remedy=f"Delete the tree and build again: rm -r '{self.tree}'",
        )
        return [line for line in done.output.split("\n") if line]

    def absolute(self, name: str) -> str:
        return _absolute(self.tree, name)

    def rules(self) -> dict[str, str]:
        """Every output, and the rule that makes it."""
        rows = (line.rpartition(": ") for line in self("targets", "all"))
        return {self.absolute(name): rule for name, _, rule in rows}

    def made(self) -> frozenset[str]:
        # CMake declares files that may vanish as phony outputs: these are not made.
        return frozenset(n for n, rule in self.rules().items() if rule not in _CMAKE_ITSELF)

    def headers(self) -> dict[str, tuple[str, ...]]:
        objects: dict[str, list[str]] = {}
        files: list[str] = []
        prefix = f"{self.tree}/"
        for line in self("deps"):
            if line.startswith("    "):
                files.append(line[4:] if line.startswith("/", 4) else prefix + line[4:])
            elif match := _OBJECT.fullmatch(line):
                files = objects.setdefault(self.absolute(match[1]), [])
        return {name: tuple(found) for name, found in objects.items()}

    def known(self, names: Collection[str]) -> list[str]:
        """Those of `names` that are inputs of some rule; Ninja refuses to speak of others."""
        every = set(self("inputs", "--no-shell-escape", *self.tops()))
        return [name for name in names if name in every]

    def tops(self) -> list[str]:
        """Outputs that together depend on everything there is a rule for."""
        return [line.rpartition(": ")[0] for line in self("targets", "depth", "1")]
