"""The files that assemblers read: those of `.incbin` and `.include`, also of inline assembly.

No compiler reports them.  A source that has such a directive is preprocessed, so that macros of C
in a file's name are expanded as in the build; macros of the assembler are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from buildtool.drivers.cmake.scan.command_files import (
    COMMENT,
    CommandFiles,
    text_of,
    words_of,
)
from buildtool.drivers.cmake.scan.header_names import include_directories
from buildtool.drivers.cmake.scan.ninja import Command
from buildtool.drivers.cmake.scan.path_filter import PathFilter

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
