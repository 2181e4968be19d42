"""Ninja's data about a build tree: its graph, and the headers of each object.

Source: Ninja's manual, "Extra tools": `-t inputs`, `-t targets all`, `-t deps`, `-t query`.

The build statements of the build.ninja that CMake writes say which command makes which file.
Ninja's tools do not tell the commands of a project, which may write files that nobody declares,
from compilers and linkers, which do not.

Source: Ninja's manual, "Ninja file reference", and the rules that CMake's Ninja generator writes.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from buildtool.core.files import read_regular
from buildtool.core.processes.process import capture, check
from buildtool.core.value import Value
from buildtool.drivers.cmake.tree_files import STL_FOLDER

_OBJECT = re.compile(r"(.+): #deps \d+, deps mtime -?\d+ \((?:VALID|STALE)\)")
_DEPFILE = re.compile(r"(?m)^build ((?:[^:$\n]|\$.)+):|^  (?:DEP_FILE|depfile) = (.+)$")
_PHONY = "phony"
_INTERNAL_RULES = (_PHONY, "RERUN_CMAKE", "VERIFY_GLOBS")  # make nothing of the project

FilesByObject = Mapping[str, tuple[str, ...]]
"""For each object the files that its compiler read; all paths are absolute."""


class NinjaGraph(Value):
    """The inputs and outputs of the targets of a step.

    `inputs` are all files that the targets depend on, `rule_outputs` everything that a rule of the
    tree makes, `needed_outputs` those of them that the targets need, though a rule may make others
    beside them.  Paths are absolute, and otherwise as Ninja prints them.
    """

    inputs: tuple[str, ...]
    rule_outputs: frozenset[str]
    needed_outputs: frozenset[str]


class Command(Value):
    """A command of a build tree: the rule that it belongs to, its line for the shell, and its first
    input."""

    rule: str
    line: str
    source: str

    @property
    def compiles(self) -> bool:
        return "_COMPILER__" in self.rule

    @property
    def links(self) -> bool:
        return "_LINKER__" in self.rule


class NinjaQuery(Value):
    """Runs Ninja's tools on the configured `tree`.  Methods raise `ToolError` when Ninja fails."""

    tree: Path
    ninja: Path
    environment: Mapping[str, str]

    def graph(self, targets: Sequence[str] = ()) -> NinjaGraph:
        """The graph of `targets`; without any, of those that Ninja builds by default."""
        remedy = (
            "Name CMake targets of the component in 'targets' of buildtool.toml." if targets else ""
        )
        lines = self._run("inputs", "--no-shell-escape", *targets, remedy=remedy)
        inputs = tuple(self._absolute(line) for line in lines)
        outputs = self.rule_outputs()
        needed = outputs & {*inputs, *map(self._absolute, targets)}
        return NinjaGraph(inputs, outputs, needed)

    def rule_outputs(self) -> frozenset[str]:
        """Everything that a rule makes."""
        # CMake declares files that may vanish as phony outputs: no rule makes them.
        return frozenset(n for n, rule in self._rules().items() if rule not in _INTERNAL_RULES)

    def headers(self) -> dict[str, tuple[str, ...]]:
        """For each object what its compiler read, in the compiler's order and spelling.

        Ninja also remembers objects that no rule makes any more.
        """
        objects: dict[str, list[str]] = {}
        files: list[str] = []
        prefix = f"{self.tree}/"
        for line in self._run("deps"):
            if line.startswith("    "):
                files.append(line[4:] if line.startswith("/", 4) else prefix + line[4:])
            elif match := _OBJECT.fullmatch(line):
                files = objects.setdefault(self._absolute(match[1]), [])
        return {name: tuple(found) for name, found in objects.items()}

    def regeneration(self) -> tuple[list[str], list[str]]:
        """The files that CMake writes when Ninja runs it, as Ninja names them, and those that it
        reads, by absolute path."""
        answer = self._run("query", "build.ninja")
        lines = itertools.takewhile(lambda line: line != "  outputs:", answer)
        inputs = [line[4:].removeprefix("| ") for line in lines if line.startswith("    ")]
        outputs = self._run("targets", "rule", "RERUN_CMAKE")
        return outputs, [self._absolute(name) for name in inputs]

    def dependents(
        self, files: Collection[Path], misparsed_deps: FilesByObject
    ) -> dict[Path, tuple[Path, ...]]:
        """For each of `files` the outputs that are made directly from it.

        For the objects of `misparsed_deps` these are used in place of what Ninja knows.  A file
        that neither a rule nor a compiler named has no outputs here: what depends on it is unknown.
        """
        if not files:
            return {}
        by_name = {str(file): file for file in files}
        found: dict[Path, set[Path]] = {file: set() for file in files}
        for name, headers in {**self.headers(), **misparsed_deps}.items():
            for header in by_name.keys() & {*headers, *map(os.path.normpath, headers)}:
                found[by_name[header]].add(Path(name))
        if rule_inputs := self._rule_inputs_among(by_name):
            rules = self._rules()
            for name, outputs in _outputs(self._run("query", *rule_inputs)).items():
                for path in map(self._absolute, outputs):
                    if rules.get(path, _PHONY) not in _INTERNAL_RULES:
                        found[by_name[name]].add(Path(path))
        return {file: tuple(sorted(outputs)) for file, outputs in found.items()}

    def commands(self) -> dict[str, Command]:
        """The command of each output that a rule makes; of several outputs of one command, the
        first.  Where CMake has put arguments in a response file, they are in the command."""
        rows = json.loads("\n".join(self._run("compdb", "-x")))
        rules = self._rules()
        found = ((self._absolute(row["output"]), row) for row in rows)
        return {
            name: Command(rules[name], row["command"], row["file"])
            for name, row in found
            if rules.get(name, _PHONY) not in _INTERNAL_RULES
        }

    def declared_inputs(self, outputs: Collection[str]) -> dict[str, set[str]]:
        """For each of `outputs` the files of which Ninja knows that it is made of them."""
        found: dict[str, set[str]] = {}
        names: set[str] = set()
        as_named = [output.removeprefix(f"{self.tree}/") for output in outputs]
        for line in self._run("query", *as_named) if outputs else ():
            if not line.startswith(" "):
                names = found.setdefault(self._absolute(line.removesuffix(":")), set())
            elif line == "  outputs:":
                names = set()
            elif line.startswith("    ") and not line.startswith("    || "):
                names.add(self._absolute(line[4:].removeprefix("| ")))
        return found

    def preprocessed(self, words: Sequence[str]) -> str | None:
        """What a compile command that preprocesses prints; None when it fails."""
        done = capture(words, env=self.environment, cwd=self.tree)
        return done.output if done.status == 0 else None

    def restat(self, outputs: Collection[str]) -> None:
        """Update the mtimes of `outputs` in Ninja's log."""
        self._run("restat", *outputs)

    def _run(self, tool: str, *arguments: str, remedy: str = "") -> list[str]:
        """The lines that `ninja -t TOOL ARGUMENTS...` prints."""
        command: list[str | Path] = [self.ninja, "-C", self.tree, "-t", tool, *arguments]
        done = check(
            capture(command, env=self.environment),
            f"querying Ninja about {self.tree}",
            remedy=remedy or f"Delete the tree and build again: rm -r '{self.tree}'",
        )
        return [line for line in done.output.split("\n") if line]

    def _absolute(self, name: str) -> str:
        return _absolute(self.tree, name)

    def _rules(self) -> dict[str, str]:
        """Every output, and the rule that makes it."""
        rows = (line.rpartition(": ") for line in self._run("targets", "all"))
        return {self._absolute(name): rule for name, _, rule in rows}

    def _rule_inputs_among(self, names: Collection[str]) -> list[str]:
        """Those of `names` that are inputs of a rule; `-t query` fails for others."""
        # Everything that a rule makes is needed by one of the outputs of depth 1.
        tops = [line.rpartition(": ")[0] for line in self._run("targets", "depth", "1")]
        inputs = set(self._run("inputs", "--no-shell-escape", *tops))
        return [name for name in names if name in inputs]


def read_depfiles(tree: Path) -> dict[str, str]:
    """Output → dependency file, both absolute, where that is not named `OUTPUT.d`.

    Source: Ninja's manual, "Ninja file reference", and the variables of CMake's rules.
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


def _outputs(lines: Sequence[str]) -> dict[str, list[str]]:
    """For each name in the output of `-t query` the lines below its `outputs:`."""
    found: dict[str, list[str]] = {}
    names: list[str] = []
    in_outputs = False
    for line in lines:
        if not line.startswith(" "):
            names, in_outputs = found.setdefault(line.removesuffix(":"), []), False
        elif line.startswith("    ") and in_outputs:
            names.append(line[4:])
        else:
            in_outputs = line == "  outputs:"
    return found


def _absolute(tree: Path, name: str) -> str:
    return name if name.startswith("/") else f"{tree}/{name}"


def _unescaped(name: str) -> str:
    return re.sub(r"\$(.)", r"\1", name.replace("\0", " "))


REGENERATION = "RERUN_CMAKE"
_STATEMENT = re.compile(r"(?m)^build (.+)((?:\n  .*)*)")
_OWN_COMMANDS = re.compile(r"\n  (?:PRE_LINK|POST_BUILD) = (?!:?(?:\n|$))")
_CONVERSION = re.compile(r" -E cmake_transform_depfile Ninja gccdepfile ([^\n]*)")
_WORK_DIRECTORY = "${cmake_ninja_workdir}"


class BuildRule(Value):
    """A build statement; `outputs` and `inputs` are absolute paths.

    `compiles`: it makes objects.  `is_custom`: it runs a command of the project's: a custom
    command that is not cmake/compile_stl.cmake's, or one before or after a link.  `appends`: that
    adds to a file with `>>`.  `depfile`: the absolute path of the dependency file that it writes
    and CMake converts, or "".
    """

    rule: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    compiles: bool
    is_custom: bool
    appends: bool
    depfile: str


def read_build_rules(tree: Path) -> list[BuildRule]:
    """The build statements of the configured `tree`, without phony ones."""
    text = read_regular(tree / "build.ninja").decode(errors="surrogateescape")
    return list(_rules(text.replace("$\n", ""), f"{tree}/"))


def _rules(text: str, prefix: str) -> Iterator[BuildRule]:
    for match in _STATEMENT.finditer(text):
        words = _words(match[1])
        if "" not in words:
            continue
        at = words.index("")
        rule = words[at + 1] if len(words) > at + 1 else "phony"
        if rule == "phony":
            continue
        outputs = tuple(dict.fromkeys(_file_names(words[:at], prefix)))
        is_stl = "".join(outputs[:1]).startswith(f"{prefix}{STL_FOLDER}/")
        is_custom = rule == "CUSTOM_COMMAND" and not is_stl
        is_custom |= _OWN_COMMANDS.search(match[2]) is not None
        yield BuildRule(
            rule,
            outputs,
            tuple(_file_names(words[at + 2 :], prefix)),
            "_COMPILER__" in rule or (is_stl and outputs[0].endswith(".o")),
            is_custom,
            is_custom and ">>" in match[2],
            next(_file_names(_converted(match[2]), prefix), ""),
        )


def _converted(command: str) -> list[str]:
    """The dependency files that a command has CMake convert: the first path after the directories
    of sources and build tree."""
    if not (match := _CONVERSION.search(command)):
        return []
    try:
        return shlex.split(re.sub(r"\$(.)", r"\1", match[1]))[4:5]
    except ValueError:  # an unbalanced quotation mark
        return []


def _words(line: str) -> list[str]:
    """The paths of a build statement without its escapes; the colon after the outputs is ""."""
    line = line.replace(_WORK_DIRECTORY, "\1").replace("$$", "\2").replace("$ ", "\3")
    line = line.replace("$:", "\4")
    outputs, _, rest = line.partition(":")
    words = [*outputs.split(" "), "\0", *rest.split(" ")]
    plain = (
        word.replace("\2", "$").replace("\3", " ").replace("\4", ":") for word in words if word
    )
    return ["" if word == "\0" else word for word in plain]


def _file_names(words: Collection[str], prefix: str) -> Iterator[str]:
    for word in words:
        if word not in ("|", "||", "|@"):
            name = word.replace("\1", "")
            yield name if name.startswith("/") else prefix + name
