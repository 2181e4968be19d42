r"""The files that compilers and assemblers read, also those that Ninja or no tool reports rightly.

What dependency files of compilers contain, and which paths Ninja misparses in them, was determined
by experiment for each byte that a path may contain, with GCC 12, clang 14 and 22,
`cmake -E cmake_transform_depfile` of CMake 4 and Ninja 1.13:

- Ninja ends a path at a control character and at any of ``* ; < > \ ^ ` |``: it reads `a^b` as the
  paths `a` and `b`.  It drops a `:` at the end of a path.  It takes `link/../a.h` for `a.h`
  wherever `link` leads.
- All of them write a space as `\ `, `#` as `\#` and `$` as `$$`; GCC writes a tab as `\` and a
  tab.
- Clang and CMake write a slash for a backslash; CMake splits a path at a tab, and drops a carriage
  return at its end.  Such a dependency file does not show what was read.

`core.safe_path` rejects such characters in the path of a project; files in it may have any name.

No compiler reports the files of `.incbin` and `.include`, also of inline assembly.  A source that
has such a directive is preprocessed, so that macros of C in a file's name are expanded as in the
build; macros of the assembler are not.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from buildtool.core.files import read_regular
from buildtool.core.value import Value
from buildtool.drivers.cmake.scan.command_files import (
    COMMENT,
    CommandFiles,
    text_of,
    words_of,
)
from buildtool.drivers.cmake.scan.header_names import include_directories
from buildtool.drivers.cmake.scan.ninja import Command, FilesByObject
from buildtool.drivers.cmake.scan.path_filter import PathFilter, PathNormalizer
from buildtool.inputs.file_states import FileStates

# Where a name may end in a dependency file, also in a text of names separated by zero bytes.
_NAME_END = re.compile(r"[\t\n]|[\r:](?=\0|\Z)")
_MAY_READ = re.compile(r"incbin|\.include\b", re.IGNORECASE)
_ASSEMBLY = (".s", ".S", ".sx", ".asm", ".ASM")
_DIRECTIVE = re.compile(
    r'(?:^|[\s;:|{])\.(?:incbin|include)\b[ \t]*(?:"([^"\n]*)"|([^\n;]*))', re.IGNORECASE
)
_LINE_COMMENT = re.compile(r"^[ \t]*(?:#|//|@|;)[^\n]*", re.MULTILINE)
_LITERAL = r'(?:"(?:[^"\\\n]|\\.)*"|R"(?P<{0}>[^()\\\s]{{0,16}})\((?s:.*?)\)(?P={0})")'
_ASM = re.compile(
    r"\b(?:__asm__|__asm|asm)\s*(?:(?:__)?(?:volatile|inline|goto)(?:__)?\s*)*\(\s*"
    rf"((?:{_LITERAL.format('d')}\s*)+)"
)
_ONE_LITERAL = re.compile(r'R"([^()\\\s]{0,16})\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"', re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'"}
_QUOTED = re.compile(r'"([^"\n]+)"|([\w./+-]+)')
UNREADABLE = frozenset(map(chr, (*range(1, 32), 127))) | frozenset("*;<>\\^`|")
"""The characters that Ninja does not read as part of a path."""
# The bytes that every tool reads and writes literally, and the space, which separates paths.
_PLAIN = bytes({*range(32, 256)} - {*map(ord, UNREADABLE)} - {*b":#$"})
_LINE_CONTINUATION = b" \\\n"


class CompilerReads(Value):
    """The files that compilers read, as far as they are certain.

    `misparsed_deps` are the objects whose dependency files Ninja misparses, with the files that
    were read, or with () where these are uncertain.  For each of the latter, `uncertain` has a file
    that may not be the one that was read, or else the object.
    """

    files: FilesByObject
    misparsed_deps: FilesByObject
    uncertain: tuple[str, ...]


def certain_reads(
    ninja_deps: FilesByObject, misparsed_deps: FilesByObject, file_states: FileStates
) -> CompilerReads:
    """The files read for the objects in `ninja_deps`, according to it and to `misparsed_deps`."""
    reads = {name: misparsed_deps.get(name) or files for name, files in ninja_deps.items()}
    unreliable = uncertain_files({file for files in reads.values() for file in files}, file_states)
    uncertain = {name: name for name in reads if misparsed_deps.get(name) == ()}
    for name, files in reads.items() if unreliable else ():
        found = next((file for file in files if file in unreliable), "")
        if found and name not in uncertain:
            uncertain[name] = found
    for name in uncertain:
        reads[name] = tuple(file for file in reads[name] if file not in unreliable)
    return CompilerReads(
        reads,
        {**misparsed_deps, **dict.fromkeys(uncertain, ())},
        tuple(dict.fromkeys(uncertain.values())),
    )


def find_misparsed_deps(
    ninja_deps: FilesByObject, objects: Iterable[str], depfiles: Mapping[str, str], tree: str
) -> dict[str, tuple[str, ...]]:
    """Those of `objects` for which `ninja_deps` is wrong, with what their compilers read, or with
    () where that is uncertain.

    `depfiles` are the dependency files that are not named as their object with `.d` appended.
    """
    normalizer = PathNormalizer()
    found: dict[str, tuple[str, ...]] = {}
    for name in objects:
        try:
            data = read_regular(Path(depfiles.get(name, f"{name}.d")))
        except OSError:
            # GCC writes none for a source that is not preprocessed: see `AssembledFiles`.
            if ninja_deps[name] or not name.endswith((".s.o", ".s.obj")):
                found[name] = ()
            continue
        plain = is_plain(data)
        if plain and b"/.." not in data:
            continue
        # Ninja normalizes without looking at symlinks.  Its answer stands where that makes no
        # difference and it has read the same names; else `files` do, () if these are ambiguous.
        paths = [os.path.join(tree, path) for path in prerequisites(data) or ()]  # noqa: PTH118
        files = tuple(normalizer.path(path) for path in paths)
        lexical = [os.path.normpath(path) for path in paths]
        if list(files) != lexical or not (plain or _are_same(lexical, ninja_deps[name])):
            found[name] = files
    return found


def _are_same(paths: Sequence[str], ninja_deps: Sequence[str]) -> bool:
    return bool(paths) and {*paths} == {os.path.normpath(path) for path in ninja_deps}


def uncertain_files(files: Collection[str], file_states: FileStates) -> set[str]:
    """Those of `files` that do not exist, or that a dependency file may name in place of others.

    `d/a` is uncertain if there is `d/a\tb.h`, and `d/a/b.h` if there is `d/a\\b.h`.
    """
    found = {file for file in files if not _is_file(file, file_states)}
    directories: set[str] = set()
    for file in files:
        directory = file.rpartition("/")[0]
        while directory not in directories:
            directories.add(directory)
            directory = directory.rpartition("/")[0]
    if prefixes := _ambiguous_prefixes(directories, file_states):
        found |= {file for file in files if f"{file}/".startswith(prefixes)}
    return found


def _is_file(path: str, file_states: FileStates) -> bool:
    directory, _, name = path.rpartition("/")
    entries = file_states.entries(directory or "/")
    return bool(entries and entries.get(name) is False) or (
        file_states.exists(path) and not os.path.isdir(path)  # noqa: PTH112
    )


def _ambiguous_prefixes(directories: Collection[str], file_states: FileStates) -> tuple[str, ...]:
    """The paths that a dependency file has for names in `directories` that it cannot express."""
    found = []
    for directory in directories:
        names = file_states.entries(directory or "/") or {}
        text = "\0".join(names)
        for name in names if "\\" in text or _NAME_END.search(text) else ():
            read_as = _NAME_END.split(name, 1)[0].replace("\\", "/")
            # A file counts as uncertain if a neighbour's name is written as its own, whether or not
            # anybody has read the neighbour: that is not known.
            if name[-1] == "\\":  # GCC writes `a\` followed by `b` as it writes `a b`
                read_as = "."
            if read_as and read_as != name:
                found.append(os.path.normpath(f"{directory}/{read_as}").rstrip("/") + "/")
    return tuple(found)


def is_plain(data: bytes) -> bool:
    """Whether a dependency file is a single rule in which no byte can be misparsed."""
    plain = data.replace(_LINE_CONTINUATION, b" ").translate(None, _PLAIN)
    return b": " in data and plain == b":\n"


def prerequisites(data: bytes) -> tuple[str, ...] | None:
    """The paths after the first colon of a dependency file, in order, as they were passed to the
    compiler; None when the file is ambiguous.

    Rules without prerequisites, as `-MP` writes them, add nothing.
    """
    _, _, rest = data.replace(_LINE_CONTINUATION, b" ").partition(b": ")
    first, *lines = rest.split(b"\n")
    paths = _paths(first)
    if not paths:
        return None
    targets = {path + b":" for path in paths}
    others = [_paths(line) for line in lines if line]
    if any(not found or found[1:] or found[0] not in targets for found in others):
        return None
    return tuple(path.decode(errors="surrogateescape") for path in paths)


def _paths(line: bytes) -> list[bytes] | None:
    """The unescaped paths of a line; None when it is ambiguous."""
    if b"\0" in line:
        return None
    if b"\\" not in line and b"$" not in line:
        return [word for word in line.split(b" ") if word]
    line = line.replace(b"\\ ", b"\0").replace(b"\\#", b"#").replace(b"\\\t", b"\t")
    if b"\\" in line or b"$" in line.replace(b"$$", b""):
        return None
    words = line.replace(b"$$", b"$").split(b" ")
    return [word.replace(b"\0", b" ") for word in words if word]


class UncertainNameError(Exception):
    """The name of a file is computed by a macro of the assembler, or cannot be found."""


class AssembledFiles:
    """Finds what assemblers read for objects of the build tree of `path_filter`.

    `preprocess` returns the output of a compile command that only preprocesses, or None if it
    fails.
    """

    def __init__(
        self, preprocess: Callable[[Sequence[str]], str | None], path_filter: PathFilter
    ) -> None:
        self._preprocess = preprocess
        self._finder = CommandFiles(path_filter)

    def of(self, command: Command) -> tuple[str, ...]:
        """The files of the object that a compile command makes: each place where one is searched
        counts.

        Raises `UncertainNameError`.
        """
        words = words_of(command.line)
        flags, source = self._finder.flags(words), self._finder.absolute(command.source)
        if source.endswith(".s") or "assembler" in flags:
            text: str | None = _LINE_COMMENT.sub("", COMMENT.sub(" ", text_of(source)))
        else:
            text = self._preprocess(_preprocessing(words))
        if text is None:
            raise UncertainNameError
        if not source.endswith(_ASSEMBLY):
            text = "\n".join(_inline_assembly(text))
        directories = ["", source.rpartition("/")[0], *include_directories(flags, "")]
        found: dict[str, None] = {}
        waiting, seen = [text], {""}
        while waiting:
            text = waiting.pop()
            for name in self._names(text, directories):
                if name in seen:
                    continue
                seen.add(name)
                places = [self._finder.absolute(path) for path in _places(name, directories)]
                found |= dict.fromkeys(places)
                existing = [path for path in places if self._finder.is_file(path)]
                texts = (text_of(path) for path in existing)
                waiting += [COMMENT.sub(" ", text) for text in texts if _MAY_READ.search(text)]
        return tuple(sorted(self._finder.inputs(found)))

    def _names(self, text: str, directories: Sequence[str]) -> Iterator[str]:
        """The names that the directives in the text of an assembler source have."""
        computed = False
        for quoted, _ in _DIRECTIVE.findall(text):
            if quoted and "\\" not in quoted:
                yield quoted
            else:
                computed = True
        if computed:  # from an argument of a macro: each word of the text that names a file
            words = {quoted or bare for quoted, bare in _QUOTED.findall(text)}
            files = [word for word in words if self._exists(word, directories)]
            if not files:
                raise UncertainNameError
            yield from files

    def _exists(self, name: str, directories: Sequence[str]) -> bool:
        return any(
            self._finder.is_file(self._finder.absolute(path)) for path in _places(name, directories)
        )


def _places(name: str, directories: Iterable[str]) -> Iterator[str]:
    if name.startswith("/"):
        yield name
    else:
        yield from (f"{place.rstrip('/')}/{name}" if place else name for place in directories)


def _preprocessing(words: Sequence[str]) -> list[str]:
    """The compile command `words` without its launcher's results, as one that preprocesses."""
    kept: list[str] = []
    following = iter(words)
    for word in following:
        if word in ("-o", "-MF", "-MT", "-MQ"):
            next(following, "")
        elif word not in ("-MD", "-MMD"):
            kept.append("-E" if word == "-c" else word)
    return [*kept, "-P"]


def _inline_assembly(text: str) -> Iterator[str]:
    """The texts of the asm statements of preprocessed C or C++."""
    for match in _ASM.finditer(text):
        if _MAY_READ.search(match[1].replace('"', "")) or "." in match[1]:
            yield "".join(_value(found) for found in _ONE_LITERAL.finditer(match[1]))


def _value(literal: re.Match[str]) -> str:
    if literal[3] is None:
        return literal[2]
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), literal[3])
