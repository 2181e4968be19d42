"""The names of headers that a text asks for: what `__has_include` and its relatives test, and what
is included.

Compilers report the headers that they read, and not those that a condition tests in vain; GCC
reports no tested header at all.  A condition may be in a branch that is not compiled, or in a
comment: each name that a compiler could look for counts.  Where a macro stands for the name, every
definition of it counts, and a function-like macro stands for the arguments of all its uses.

Flags of a compiler about headers are directories to search, and macros that may name headers.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from buildtool.core.files import open_regular
from buildtool.core.value import Value
from buildtool.drivers.cmake.scan.path_filter import PathFilter

MAX_BYTES = 256 << 20
ANY = ""
"""In place of a name that is not known: the text computes it."""
_SPACE = r"(?:[ \t]|/\*(?s:.*?)\*/)*"
_NAME = r'"[^"\n]+"|<[^>\n]+>'
_HASH = rf"(?:#|%:){_SPACE}"  # to check that it starts the line takes far longer
_TEST = re.compile(
    rf"\b__has_(?:include(?:_next)?|embed)\b(?:{_SPACE}\({_SPACE}({_NAME}|[^,)\n]*))?"
)
_INCLUDE = re.compile(rf"{_HASH}(?:include(?:_next)?|import|embed)\b{_SPACE}({_NAME}|\w+\(?)")
_DEFINE = re.compile(rf"{_HASH}define{_SPACE}(\w+)(?:\(([^)\n]*)\))?([^\n]*)")
_DIRECTIVE = re.compile(rf"{_HASH}(?:if|elif|define)\b[^\n]*")
_ARGUMENT = rf"(?:{_NAME}|\([^()\n]*\)|[^(),\n])*+"
_ASSEMBLY = re.compile(rb"incbin|\.include\b", re.IGNORECASE)
_ASKED = re.compile(r'["</]([^"<>/\n]+)(?=[">])')
_CONTINUATION = re.compile(r"\\[ \t]*\r?\n")


class _Request(Value):
    """A text that stands for a name, and the macro with its parameters that it is in, if any."""

    text: str
    macro: str = ""
    parameters: tuple[str, ...] = ()


def read_source(path: str) -> str:
    """The text of a source with continued lines joined; "" for a file that cannot be read."""
    return joined_lines(_read(path).decode(errors="surrogateescape"))


def _read(path: str) -> bytes:
    try:
        with open_regular(Path(path), follow=True) as stream:
            return stream.read(MAX_BYTES)
    except OSError:
        return b""


def objects_that_ask_for(
    paths: Iterable[str],
    objects: Mapping[str, Iterable[str]],
    read: Callable[[str], str] = read_source,
) -> set[str]:
    """Those of `objects` that were compiled from a text which asks for a header with the name of
    one of `paths`: a compiler may find another file now, or none.

    `objects` maps to the files that compilers read, and `read` returns the text of one.
    """
    names = {os.path.basename(path) for path in paths}  # noqa: PTH119
    is_asking: dict[str, bool] = {}
    found = set()
    for name, files in objects.items():
        for file in files:
            if file not in is_asking:
                is_asking[file] = not names.isdisjoint(_ASKED.findall(read(file)))
            if is_asking[file]:
                found.add(name)
                break
    return found


class AssemblerSources:
    """Finds sources and headers with text for an assembler that may name a file to read."""

    def __init__(self, path_filter: PathFilter) -> None:
        self._filter = path_filter
        self._found: dict[str, bool] = {}

    def has(self, path: str) -> bool:
        """Whether the text of `path` may name a file, and is not that of a tool."""
        found = self._found.get(path)
        if found is None:
            counts = self._filter.counts(path)
            found = self._found[path] = counts and _ASSEMBLY.search(_read(path)) is not None
        return found


def joined_lines(text: str) -> str:
    """A text with continued lines joined."""
    return _CONTINUATION.sub("", text) if "\\" in text else text


def find_tested_names(
    files: Iterable[str], definitions: Iterable[str]
) -> Mapping[str, frozenset[str]]:
    """The names that each of `files` tests; files that test none are left out.

    `definitions` are those of the command lines: `NAME=VALUE`.
    """
    files = tuple(files)
    requests = {}
    for file in files:
        if b"__has_" in _read(file) and (found := tuple(_tests(read_source(file)))):
            requests[file] = found
    macros = Macros(map(read_source, files), definitions)
    return {file: frozenset(macros.names(found)) for file, found in requests.items()}


def find_requested_names(texts: Iterable[str], definitions: Iterable[str]) -> frozenset[str]:
    """The names that `texts` include or test; they are all of the texts that a compiler reads."""
    texts = tuple(texts)
    included = (_Request(found[1]) for text in texts for found in _INCLUDE.finditer(text))
    # Which branches are compiled is not decided: that would take the values of all macros.
    tested = (request for text in texts for request in _tests(text))
    return frozenset(Macros(texts, definitions).names((*included, *tested)))


def _tests(text: str) -> Iterator[_Request]:
    for found in _TEST.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.end()]
        macro, parameters = _defined(line)
        if found[1] is not None:
            yield _Request(found[1].strip(), macro, parameters)
        elif macro and not parameters:  # another name of the operator
            yield _Request("name", macro, ("name",))


def _defined(line: str) -> tuple[str, tuple[str, ...]]:
    """The macro that a line defines, and its parameters."""
    found = _DEFINE.search(line)
    if not found:
        return "", ()
    return found[1], tuple(name.strip() for name in (found[2] or "").split(",") if name.strip())


class Macros:
    """The macros that `texts` define; the texts are looked at only if a name needs that."""

    def __init__(self, texts: Iterable[str], definitions: Iterable[str]) -> None:
        self._texts = texts
        self._definitions = definitions

    def names(self, requests: Iterable[_Request]) -> set[str]:
        """The names that the texts of `requests` may stand for."""
        names: set[str] = set()
        seen: set[_Request] = set()
        waiting = [*requests]
        while waiting:
            request = waiting.pop()
            if request in seen:
                continue
            seen.add(request)
            # A name, a parameter of the macro around it, another macro, or else an expression.
            text = request.text
            if re.fullmatch(_NAME, text):
                names.add(text[1:-1])
            elif text in request.parameters:
                index = request.parameters.index(text)
                waiting += self._arguments(request.macro, index)
            elif re.fullmatch(r"\w+", text):
                waiting += map(_Request, self._values.get(text, ()))
            elif re.search(r"\w", text):
                names.add(ANY)
        return names

    @cached_property
    def _lines(self) -> tuple[str, ...]:
        """The directives that define or use macros."""
        return tuple(line for text in self._texts for line in _DIRECTIVE.findall(text))

    @cached_property
    def _values(self) -> Mapping[str, list[str]]:
        values: dict[str, list[str]] = defaultdict(list)
        for line in self._lines:
            if found := _DEFINE.match(line):
                value = re.sub(r"/\*.*?\*/|(?<![:\w])//.*", "", found[3]).strip()
                # The bracket keeps the value of a function-like macro from being taken for a name:
                # what a use of it gives is not known, which is `ANY`.
                values[found[1]].append(f"({value}" if found[2] is not None else value)
        for definition in self._definitions:
            name, _, value = definition.partition("=")
            values[name].append(value.strip())
        return values

    def _arguments(self, macro: str, index: int) -> Iterator[_Request]:
        """The argument number `index` in each use of a function-like macro."""
        use = re.compile(rf"\b{macro}{_SPACE}\(((?:{_ARGUMENT},)*{_ARGUMENT})")
        for line in self._lines:
            if macro not in line:
                continue
            inside, parameters = _defined(line)
            for found in use.finditer(line):
                if inside == macro and found.start() < line.index(macro) + 1:
                    continue  # the definition itself
                words = [word.strip() for word in re.findall(rf"(?:^|,)({_ARGUMENT})", found[1])]
                if index < len(words):
                    yield _Request(words[index], inside, parameters)


_OPTIONS = ("-iquote", "-I", "-isystem", "-idirafter")  # in search order
_EMBED_OPTIONS = ("--embed-dir",)


def include_directories(
    flags: Iterable[str], base: str, includes: Iterable[str] = (), system: Iterable[str] = ()
) -> tuple[str, ...]:
    """The include directories in search order, of `flags` and of the options that CMake reports
    apart from them; relative ones start at `base`."""
    rows = _paths(flags, base, _OPTIONS)
    rows["-I"][:0] = includes
    rows["-isystem"][:0] = system
    return tuple(dict.fromkeys(path for option in _OPTIONS for path in rows[option]))


def embed_directories(flags: Iterable[str], base: str) -> tuple[str, ...]:
    """The directories that `flags` name for `#embed`."""
    return tuple(_paths(flags, base, _EMBED_OPTIONS)["--embed-dir"])


def macro_definitions(flags: Iterable[str]) -> tuple[str, ...]:
    """The macros that `flags` define: `NAME=VALUE`, or a name."""
    return tuple(_options(flags, ("-D",))["-D"])


def _paths(flags: Iterable[str], base: str, options: tuple[str, ...]) -> dict[str, list[str]]:
    return {
        option: [path if path.startswith("/") else f"{base}/{path}" for path in paths]
        for option, paths in _options(flags, options).items()
    }


def _options(flags: Iterable[str], options: tuple[str, ...]) -> dict[str, list[str]]:
    """The values of each of `options` among `flags`, also as separate words."""
    rows: dict[str, list[str]] = {option: [] for option in options}
    words = iter(flags)
    for word in words:
        for option in options:
            if word.startswith(option):
                rows[option].append(word[len(option) :].removeprefix("=") or next(words, ""))
                break
    return rows
