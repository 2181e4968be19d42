"""The files that a command reads because its words name them, and that no tool reports: version
scripts, linker scripts, `@FILE`, libraries of `-l`, plugins, profiles, lists of sanitizers.

Only few linkers write a dependency file, and zig's driver does not pass on that option.  So each
word of a command that names a file counts, whatever the option means.  Where a linker searches
directories, each place that it may look at counts, also one where nothing is: then the appearance
of a file there is noticed.  A directory of the build tree that a command copies ends with `/`.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from buildtool.core.files import open_regular
from buildtool.drivers.cmake.scan.ninja import Command
from buildtool.drivers.cmake.scan.path_filter import PathFilter
from buildtool.drivers.cmake.tree_record import OBJECTS
from buildtool.inputs.path_sets import MAX_NAME

MAX_TEXT = 4 << 20
"""Of a linker script or response file, in bytes."""
_PASSED_ON = re.compile(r"-W[la],(.+)")
_NEXT_IS_PASSED_ON = frozenset({"-Xlinker", "-Xclang", "-Xassembler", "-Xpreprocessor", "-mllvm"})
# Compilers report these files; the others are written.
_SKIPPED = frozenset({"-include", "-imacros", "-o", "-MF", "-MT", "-MQ", "-c", "-Map"})
_SKIPPED_WITH_VALUE = ("-ffile-prefix-map=", "-fdebug-prefix-map=", "-fmacro-prefix-map=", "-D")
_PROFILE = re.compile(r"-f(?:profile|auto-profile)[\w-]*=(.+)")
_JOINED = re.compile(r"-(?:T|R|dT)(?=[^-=])(.+)|-[A-Za-z][\w-]*?@(.+)")
_BINARY = (b"\x7fELF", b"!<arch>\n", b"BC\xc0\xde", b"\xde\xc0\x17\x0b")
_THIN = b"!<thin>\n"
_SCRIPT_LIST = re.compile(
    r"\b(?:INPUT|GROUP|AS_NEEDED|STARTUP|SEARCH_DIR)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)"
)
_SCRIPT_INCLUDE = re.compile(r"\bINCLUDE\s+(\"[^\"]+\"|[^\s;]+)")
COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_KNOWN_TO_NINJA = (*OBJECTS, ".pch", ".gch", ".modmap")
_TOOLS = ("/", "{python}", "{cache}", "{buildtool")


def words_of(line: str) -> list[str]:
    """The words of a command line."""
    if not any(sign in line for sign in "\"'\\"):
        return line.split()
    try:
        return shlex.split(line)
    except ValueError:  # the shell would reject it too
        return line.split()


def expanded(
    words: Iterable[str], absolute: Callable[[str], str], responses: list[str]
) -> Iterator[str]:
    """`words` as the programs get them that a driver passes them on to.

    The paths of response files, which `absolute` makes, are added to `responses`.  Each is read
    once: they may name each other.
    """
    for word in words:
        if match := _PASSED_ON.fullmatch(word):
            yield from expanded(match[1].split(","), absolute, responses)
        elif word[:1] == "@" and word != "@" and (path := absolute(word[1:])):
            if path in responses:
                continue
            responses.append(path)
            text = text_of(path).replace("\n", " ")
            yield from expanded(words_of(text), absolute, responses)
        elif word not in _NEXT_IS_PASSED_ON:
            yield word


class CommandFiles:
    """Finds the files of commands, which run in the build tree of `path_filter`.

    Paths are absolute; those in the build tree are among them.  Of the files of the project that a
    command of the project's names, only those in `present` count, if given: it writes the others.
    """

    def __init__(self, path_filter: PathFilter, present: Collection[str] | None = None) -> None:
        self._filter = path_filter
        self._present = present
        self._base = path_filter.tree
        self._files: dict[str, bool] = {}
        self._compile_flags: dict[str, tuple[str, ...]] = {}
        self.lists: set[str] = set()
        """The files found that name others: linker scripts, thin archives."""

    def of(self, command: Command) -> tuple[str, ...]:
        """What `command` reads, sorted."""
        if command.compiles:
            # Commands of one target differ only after its flags.
            flags = re.split(r" -M[MD]* | -o ", command.line, maxsplit=1)[0]
            if flags not in self._compile_flags:
                found = self.inputs(self._of_flags(words_of(flags)))
                self._compile_flags[flags] = tuple(sorted(found))
            return self._compile_flags[flags]
        files: set[str] = set()
        directory = self._base
        # CMake joins the commands of a rule so.  A quoted " && " is split too: its words are looked
        # at one by one, and only those that name files count.
        for part in command.line.split(" && "):
            if part.startswith("cd "):
                directory = self.absolute("".join(words_of(part)[1:2]))
            # Others in the line of a linker are archivers, and the commands of POST_BUILD.
            elif command.links and " -o " in part:
                files |= self.inputs(self._of_link(words_of(part)))
            else:
                files |= self.inputs(self._own_files(words_of(_without_written(part)), directory))
        return tuple(sorted(files))

    def flags(self, words: Sequence[str]) -> list[str]:
        """The arguments among `words`, with the content of response files, and those that a driver
        passes on as they are for the program that gets them."""
        return [word for word in expanded(_after_program(words), self.absolute, []) if word]

    def absolute(self, path: str) -> str:
        return self._filter.normalizer.path(os.path.join(self._base, path))  # noqa: PTH118

    def inputs(self, paths: Iterable[str]) -> set[str]:
        """Those of `paths` that are inputs, or files of the build tree that are no objects."""
        found = set()
        for path in paths:
            if "\0" in path or len(path) > MAX_NAME:  # of a damaged list: it names no file
                continue
            name = self._filter.name(path)
            if name is not None:
                if not name.startswith("{cache}"):  # the step key covers the tools there
                    found.add(self._filter.roots.path_of(name))
            elif path.startswith(f"{self._base}/") and not path.endswith(_KNOWN_TO_NINJA):
                found.add(path)
        return found

    def _own_files(self, words: Sequence[str], directory: str) -> Iterator[str]:
        """The files among `words` that belong to the project and not to a tool, and the directories
        of the build tree that are copied."""
        copied = _copied(words)
        for word in words:
            path = self.absolute(os.path.join(directory, word))  # noqa: PTH118
            if word in copied and path.startswith(f"{self._base}/") and not self.is_file(path):
                yield f"{path}/"
            name = self._filter.name(path) if self.is_file(path) else None
            if name and not name.startswith(_TOOLS) and self._was_present(path):
                yield path

    def _was_present(self, path: str) -> bool:
        # A link in the build tree, which the build makes, stands for the file that it leads to.
        is_made = path.startswith(f"{self._base}/")
        return self._present is None or is_made or path in self._present

    def is_file(self, path: str) -> bool:
        """Whether an absolute path is a file."""
        if path not in self._files:
            self._files[path] = os.path.isfile(path)  # noqa: PTH113
        return self._files[path]

    def _of_flags(self, words: Sequence[str]) -> Iterator[str]:
        responses: list[str] = []
        flags = [*expanded(_after_program(words), self.absolute, responses)]
        yield from responses
        yield from self._named(flags)

    def _named(self, flags: Sequence[str]) -> Iterator[str]:
        """The files that `flags` name, directly or after an option."""
        for before, word in itertools.pairwise(("", *flags)):
            if before in _SKIPPED or word.startswith(_SKIPPED_WITH_VALUE):
                continue
            values = [word] if word[:1] != "-" else word.split("=")[1:]
            if match := _JOINED.fullmatch(word):
                values += [match[1] or match[2]]
            for value in values:
                if ("/" in value or "." in value) and self.is_file(path := self.absolute(value)):
                    yield path
                    if word.startswith(("-specs", "--specs", "--config")) or before == "--config":
                        names = re.split(r"[\s=,<>]+", text_of(path))
                        yield from filter(self.is_file, map(self.absolute, filter(None, names)))
            if match := _PROFILE.fullmatch(word):
                yield from _profiles(self.absolute(match[1]))

    def _of_link(self, words: Sequence[str]) -> Iterator[str]:
        responses: list[str] = []
        flags = [*expanded(_after_program(words), self.absolute, responses)]
        yield from responses
        directories = [*map(self.absolute, option_values(flags, ("-L", "--library-path=")))]
        named = dict.fromkeys(self._named(flags))
        for library in option_values(flags, ("-l", "--library=")):
            named |= dict.fromkeys(library_places(library, directories))
        for script in option_values(flags, ("-T", "--script=", "-dT", "--default-script=")):
            named |= dict.fromkeys(self._places(script, directories))
        waiting, seen = [*named], set(named)
        while waiting:
            path = waiting.pop()
            yield path
            for other in self._named_in(path, directories) if self.is_file(path) else ():
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)

    def _places(self, name: str, directories: Sequence[str], beside: str = "") -> Iterator[str]:
        """Where a linker looks for `name`."""
        first = (os.path.dirname(beside),) if beside else ()  # noqa: PTH120
        for directory in (*first, self._base, *directories):
            yield self._filter.normalizer.path(os.path.join(directory, name))  # noqa: PTH118

    def _named_in(self, path: str, directories: list[str]) -> Iterator[str]:
        """The files that a linker script or a thin archive names."""
        if path.endswith(OBJECTS) or not self._filter.counts(path):
            return
        start = read_bytes(path, len(_THIN))
        if start.startswith(_BINARY):
            return
        self.lists.add(path)
        if start == _THIN:
            yield from _thin_members(path)
            return
        text = COMMENT.sub(" ", text_of(path))
        # SEARCH_DIR adds directories for this script and for all that follow on the link line.
        found = [word for part in _SCRIPT_LIST.findall(text) for word in _script_words(part)]
        added = (self.absolute(word) for word in found if os.path.isdir(self.absolute(word)))  # noqa: PTH112
        directories += [directory for directory in added if directory not in directories]
        for word in [*found, *(name.strip('"') for name in _SCRIPT_INCLUDE.findall(text))]:
            if word.startswith("-l"):
                yield from library_places(word[2:], directories)
            elif word not in ("AS_NEEDED", ""):
                yield from self._places(word.removeprefix("=").lstrip(","), directories, path)


def _after_program(words: Sequence[str]) -> Sequence[str]:
    """The words after the program of a compiler or linker, which may have a launcher."""
    first = next((at for at, word in enumerate(words) if word[:1] in ("-", "@")), len(words))
    return words[first:]


def _without_written(line: str) -> str:
    """A command line without the files that it writes."""
    return re.sub(r"(?:\d?>{1,2}|(?<= )-o|(?<= )--output[ =])\s*\S+", " ", line)


def _copied(words: Sequence[str]) -> set[str]:
    """The words of a command line that may name directories which the command copies or packs."""
    at = words.index("-E") + 1 if "-E" in words else 0
    program = os.path.basename("".join(words[at : at + 1]))  # noqa: PTH119
    if program in ("tar", "zip"):
        return {*words[at + 1 :]}
    is_copying = program in ("cp", "rsync") or program.startswith("copy_directory")
    return {word for word in words[at + 1 : -1] if word[:1] != "-"} if is_copying else set()


def option_values(flags: Sequence[str], options: tuple[str, ...]) -> Iterator[str]:
    """The values of options, also as words of their own."""
    for word, following in itertools.pairwise((*flags, "")):
        for option in options:
            if word.rstrip("=") == option.rstrip("="):
                yield following
            elif word.startswith(option) and not word.startswith("--lto"):
                yield word[len(option) :]


def library_places(library: str, directories: Iterable[str]) -> Iterator[str]:
    """Where a linker looks for the library of `-l`: "x", or ":libx.so" for a file name."""
    names = [library[1:]] if library[:1] == ":" else [f"lib{library}.so", f"lib{library}.a"]
    for directory in directories:
        for name in names:
            yield f"{directory}/{name}"


def _script_words(text: str) -> Iterator[str]:
    yield from (word.strip('"') for word in re.findall(r'"[^"]*"|[^\s,()"]+', text))


def _profiles(path: str) -> Iterator[str]:
    """A profile, which may not exist, or those in a directory."""
    yield path
    for folder, _, names in os.walk(path) if "\0" not in path else ():
        yield from (f"{folder}/{name}" for name in names)


def _thin_members(path: str) -> Iterator[str]:
    """The members of a thin archive, which are files of their own.  Source: GNU ar's format: a
    member `//` holds the long names, which others name by `/OFFSET`."""
    data, names, at = read_bytes(path), b"", len(_THIN)
    while (header := data[at : at + 60])[48:58].strip().isdigit():
        name, size = header[:16].rstrip(), int(header[48:58])
        at += 60
        if name == b"//":
            names = data[at : at + size]
        if name in (b"//", b"/", b"/SYM64/"):
            at += size + size % 2
        else:
            text = names[int(name[1:]) :].partition(b"\n")[0] if name[1:].isdigit() else name
            member = os.fsdecode(text.rstrip(b"/"))
            yield os.path.normpath(os.path.join(os.path.dirname(path), member))  # noqa: PTH118, PTH120


def text_of(path: str) -> str:
    """The text of a file; "" for one that cannot be read."""
    return read_bytes(path).decode(errors="surrogateescape")


def read_bytes(path: str, size: int = MAX_TEXT) -> bytes:
    """The start of a file; nothing for one that cannot be read."""
    try:
        with open_regular(Path(path), follow=True) as stream:
            return stream.read(size)
    except (OSError, ValueError):
        return b""
