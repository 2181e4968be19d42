"""Read the CMake files of one component as CMake would, but every branch of each if().

Nothing is configured: variables are followed as far as their values are plain, loops and
functions are gone through, and what cannot be told is left out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from buildtool.project.propose import variables
from buildtool.project.propose.conditions import side_of, switch_of
from buildtool.project.propose.facts import Reading, Where
from buildtool.project.propose.language import Argument, Command
from buildtool.project.propose.record import Record
from buildtool.project.propose.tree import CMakeTree
from buildtool.project.propose.variables import BUILD, SOURCE, below

MAX_WORK = 100_000  # for one component: commands, arguments, and their texts by 64 characters
MAX_CALLS = 24  # of functions, loops, includes and subdirectories within one another
_ENDS = {
    "if": "endif",
    "foreach": "endforeach",
    "while": "endwhile",
    "function": "endfunction",
    "macro": "endmacro",
}


@dataclass(slots=True)
class _Scope:
    """Where the reading is: the directory of the listing, its place in the build tree, the file."""

    directory: str
    binary: str
    file: str
    values: dict[str, str]
    parent: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class _Function:
    parameters: tuple[str, ...]
    body: tuple[Command, ...]
    file: str
    is_macro: bool


@dataclass(slots=True)
class _Reader:
    tree: CMakeTree
    record: Record
    functions: dict[str, _Function] = field(default_factory=dict)
    branches: list[tuple[tuple[str, ...], bool, str]] = field(default_factory=list)
    left: int = MAX_WORK
    depth: int = 0

    def listing(self, directory: str, binary: str, values: Mapping[str, str]) -> None:
        """Read the CMakeLists.txt of `directory` and what it brings in."""
        inside = {
            **values,
            "CMAKE_CURRENT_SOURCE_DIR": _place(SOURCE, directory),
            "CMAKE_CURRENT_LIST_DIR": _place(SOURCE, directory),
            "CMAKE_CURRENT_BINARY_DIR": _place(BUILD, binary),
        }
        file = "CMakeLists.txt" if directory == "." else f"{directory}/CMakeLists.txt"
        self.record.parts.add(directory)
        with self.deeper() as allowed:
            if allowed:
                self.run(self.tree.listings[directory], _Scope(directory, binary, file, inside))

    @contextlib.contextmanager
    def deeper(self) -> Iterator[bool]:
        self.depth += 1
        try:
            yield self.depth <= MAX_CALLS
        finally:
            self.depth -= 1

    def run(self, body: Sequence[Command], scope: _Scope) -> None:
        at = 0
        while at < len(body) and self.left > 0:
            command = body[at]
            self.left -= 1 + len(command.arguments)
            if command.name in _ENDS:
                end = _end(body, at)
                self.block(command, body[at + 1 : end], scope)
                at = end + 1
                continue
            self.command(command, scope)
            at += 1

    def block(self, command: Command, body: Sequence[Command], scope: _Scope) -> None:
        with self.deeper() as allowed:
            if not allowed:
                return
            match command.name:
                case "if":
                    self.branch(command, body, scope)
                case "foreach":
                    self.loop(command, body, scope)
                case "while":
                    self.run(body, scope)
                case _ if command.arguments:
                    name, *parameters = (argument.text for argument in command.arguments)
                    is_macro = command.name == "macro"
                    self.functions[name.lower()] = _Function(
                        tuple(parameters), tuple(body), scope.file, is_macro
                    )

    def branch(self, command: Command, body: Sequence[Command], scope: _Scope) -> None:
        """Every branch, each with what its condition says of the side."""
        sides: list[str] = []
        for condition, part in _branches(command, body):
            words = tuple(argument.text for argument in condition)
            side = side_of(words, self.record.arch_variables, sides)
            sides.append(side)
            for text in words:
                self.record.mention(text)
            self.branches.append((words, not condition, side))
            self.run(part, scope)
            self.branches.pop()

    def loop(self, command: Command, body: Sequence[Command], scope: _Scope) -> None:
        name, *items = self.words(command, scope) or ("",)
        if items[:1] == ["IN"]:
            items = [
                item
                for word in items[1:]
                if word not in ("LISTS", "ITEMS", "ZIP_LISTS")
                for item in scope.values.get(word, word).split(";")
            ]
        for item in items:
            self.record.mention(item)
            self.run(body, self.inside(scope, {name: item}))
            if self.left <= 0:
                return

    def inside(self, scope: _Scope, bound: Mapping[str, str], file: str = "") -> _Scope:
        """A scope within `scope`, where the variables in `bound` have these values as well."""
        self.left -= len(scope.values) // 16
        values = {**scope.values, **bound}
        return _Scope(scope.directory, scope.binary, file or scope.file, values, scope.values)

    def call(self, function: _Function, given: tuple[str, ...], scope: _Scope) -> None:
        with self.deeper() as allowed:
            if not allowed:
                return
            rest = given[len(function.parameters) :]
            bound = dict(zip(function.parameters, given, strict=False))
            bound |= {f"ARGV{i}": word for i, word in enumerate(given)}
            bound |= {"ARGC": str(len(given)), "ARGV": ";".join(given), "ARGN": ";".join(rest)}
            inner = self.inside(scope, bound, function.file)
            self.run(function.body, inner)
            if function.is_macro:
                scope.values |= {k: v for k, v in inner.values.items() if k not in bound}

    def words(self, command: Command, scope: _Scope) -> tuple[str, ...]:
        found = variables.words(command.arguments, scope.values, self.record.arch_variables)
        self.left -= sum(map(len, found)) // 64
        return found

    def command(self, command: Command, scope: _Scope) -> None:
        words = self.words(command, scope)
        where = Where(scope.file, command.line)
        for argument in command.arguments:
            self.record.mention(argument.text)
        if function := self.functions.get(command.name):
            for word in words:
                self.record.mention(word)
            self.call(function, words, scope)
        elif command.name in _VARIABLES:
            _VARIABLES[command.name](words, scope)
            self.record.set_command(command.name, words, where, self.side)
        elif command.name in ("add_subdirectory", "include") and words:
            self.bring_in(command.name, words, scope)
        else:
            switch = switch_of(self.branches, self.record.options)
            self.record.see(command.name, words, where, self.side, scope, switch)
            if command.name == "project" and words:
                here = _place(SOURCE, scope.directory)
                scope.values |= {
                    "PROJECT_NAME": words[0],
                    "PROJECT_SOURCE_DIR": here,
                    "PROJECT_BINARY_DIR": _place(BUILD, scope.binary),
                    f"{words[0]}_SOURCE_DIR": here,
                }

    def bring_in(self, kind: str, words: tuple[str, ...], scope: _Scope) -> None:
        if kind == "add_subdirectory":
            directory = below(words[0], scope.directory)
            binary = below(words[1] if len(words) > 1 else words[0], scope.binary, BUILD)
            if directory in self.tree.listings and directory is not None:
                self.listing(directory, binary or "**", scope.values)
            return
        found = below(words[0], scope.directory) if words[0].endswith(".cmake") else None
        if found not in self.tree.modules:
            ending = f"/{words[0]}.cmake"
            found = next((m for m in self.tree.modules if f"/{m}".endswith(ending)), None)
        if found is None:
            return
        with self.deeper() as allowed:
            if allowed:
                folder = found.rpartition("/")[0] or "."
                inside = {**scope.values, "CMAKE_CURRENT_LIST_DIR": _place(SOURCE, folder)}
                inner = _Scope(scope.directory, scope.binary, found, inside, scope.parent)
                self.run(self.tree.modules[found], inner)
                del inner.values["CMAKE_CURRENT_LIST_DIR"]
                scope.values |= inner.values

    @property
    def side(self) -> str:
        """What the conditions around this place say of the side, the innermost first."""
        return next((side for *_, side in reversed(self.branches) if side), "")


def read_component(tree: CMakeTree, directory: str, arch_variables: Sequence[str] = ()) -> Reading:
    """What the listing of `directory` says, as the top of a CMake project.

    `arch_variables` are names that others give it the DSP arch by.
    """
    record = Record(directory, (*variables.ARCH_VARIABLES, *arch_variables))
    top = _place(SOURCE, directory)
    values = {
        "CMAKE_SOURCE_DIR": top,
        "CMAKE_BINARY_DIR": BUILD,
        "PROJECT_SOURCE_DIR": top,
        "PROJECT_BINARY_DIR": BUILD,
    }
    _Reader(tree, record).listing(directory, ".", values)
    return record.reading()


def _place(base: str, directory: str) -> str:
    return base if directory == "." else f"{base}/{directory}"


def _end(body: Sequence[Command], at: int) -> int:
    """The place of the command that ends the block which begins at `at`."""
    opening, closing = body[at].name, _ENDS[body[at].name]
    depth = 0
    for place in range(at, len(body)):
        depth += (body[place].name == opening) - (body[place].name == closing)
        if depth == 0:
            return place
    return len(body)


def _branches(
    command: Command, body: Sequence[Command]
) -> Iterator[tuple[tuple[Argument, ...], Sequence[Command]]]:
    """Condition and commands of each branch of an if(); else() has no condition."""
    condition, start, depth = command.arguments, 0, 0
    for place, inner in enumerate(body):
        depth += (inner.name == "if") - (inner.name == "endif")
        if depth == 0 and inner.name in ("elseif", "else"):
            yield condition, body[start:place]
            condition = inner.arguments if inner.name == "elseif" else ()
            start = place + 1
    yield condition, body[start:]


def _set(words: tuple[str, ...], scope: _Scope) -> None:
    if not words:
        return
    name, *rest = words
    values = scope.values
    if rest[-1:] == ["PARENT_SCOPE"]:
        values = scope.values if scope.parent is None else scope.parent
        rest = rest[:-1]
    if "CACHE" in rest:
        rest = rest[: rest.index("CACHE")]
        if name in values:
            return
    values[name] = ";".join(rest)[: variables.MAX_TEXT]


def _list(words: tuple[str, ...], scope: _Scope) -> None:
    if len(words) > 2 and words[0] in ("APPEND", "PREPEND"):
        old = scope.values.get(words[1], "")
        parts = [old, *words[2:]] if words[0] == "APPEND" else [*words[2:], old]
        joined = ";".join(part for part in parts if part)
        scope.values[words[1]] = joined[: variables.MAX_TEXT]


_VARIABLES: Mapping[str, Callable[[tuple[str, ...], _Scope], None]] = {"set": _set, "list": _list}
