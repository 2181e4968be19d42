"""The subject of `buildtool lint`: sources, interfaces and scripts of a project, and the comments
that silence rules there."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.files import read_regular
from buildtool.core.value import Value
from buildtool.lint.c_functions import Call, Function, functions_of
from buildtool.lint.c_tokens import Code, Comment, Place, tokenize
from buildtool.lint.shell import Assignment, ShellComment, read_script

if TYPE_CHECKING:
    from buildtool.idl.model import Unit

# The text of a comment that silences rules at one place: `buildtool-lint: ignore RULE`.
MARKER = "buildtool-lint:"
_COMMENT = r"\bbuildtool-lint:[ \t]*(\w*)[ \t]*([\w\-, \t]*)"
C_SUFFIXES = frozenset((".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl"))
IDL_SUFFIX = ".idl"
SCRIPT_SUFFIXES = frozenset((".sh", ".bash", ".ksh", ".zsh"))
SUFFIXES = C_SUFFIXES | SCRIPT_SUFFIXES | {IDL_SUFFIX}
MAX_FILE_BYTES = 2 << 20
# A source without any of these words is not split into tokens: no rule finds anything in it.
_WORDS = (
    r"HAP_(?:power_set|m(?:un)?map|request_\w*VTCM|compute_res)|fastrpc_m(?:un)?map|FASTRPC_MAP"
    r"|remote_m(?:un)?map|remote_mem_(?:un)?map"
    rf"|remote_session_control|qurt_mem_cache_clean|dlsym|dl_get_sym|GetProcAddress|_LIBRARY_PATH|{MARKER}"
)


class Silence(Value):
    """The rules that a comment silences in line `line` of a file; `written_in` is its own line."""

    path: str
    line: int
    rules: tuple[str, ...]
    written_in: int
    action: str


def silences(path: str, comments: Iterable[Comment]) -> Sequence[Silence]:
    """A comment after code is for its line, one alone in its lines for the next line."""
    found = []
    for comment in comments:
        if MARKER not in comment.text:
            continue
        for match in re.finditer(_COMMENT, comment.text):
            line = comment.last_line + 1 if comment.alone else comment.first_line
            rules = tuple(match[2].replace(",", " ").split())
            found.append(Silence(path, line, rules, comment.first_line, match[1]))
    return found


class Interface(Value):
    """An IDL file; `released` is the one of the last release, None if there is none to compare."""

    path: str
    unit: Unit
    released: Unit | None = None


class Subject(Value):
    """What the rules read; `skipped` has the reason for each file that could not be read."""

    code: tuple[Code, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    assignments: tuple[tuple[Assignment, Place], ...] = ()
    silences: tuple[Silence, ...] = ()
    files: int = 0
    skipped: Mapping[str, str] = {}
    simulator: bool = False

    @cached_property
    def functions(self) -> list[Function]:
        return [function for code in self.code for function in functions_of(code)]

    def calls(self, *names: str) -> Iterator[tuple[Function, Call]]:
        """The calls of functions with these names, each with the function that it is in."""
        for function in self.functions:
            for call in function.calls:
                if call.name in names:
                    yield function, call

    @cached_property
    def words(self) -> frozenset[str]:
        """All names and string literals of the sources."""
        return frozenset(text.strip('"') for code in self.code for text in code.texts)


def read_subject(files: Mapping[str, Path], released: Mapping[str, Unit] | None = None) -> Subject:
    """Read files, by the paths that findings name; `released` has interfaces by such paths.

    A file that is neither a source nor an interface is a script.
    """
    code, interfaces = list[Code](), list[Interface]()
    assignments, found = list[tuple[Assignment, Place]](), list[Silence]()
    skipped, simulator = dict[str, str](), False
    for path, file in files.items():
        try:
            data = read_regular(file, MAX_FILE_BYTES + 1)
        except OSError as error:
            skipped[path] = error.strerror or str(error)
            continue
        if len(data) > MAX_FILE_BYTES or b"\0" in data:
            large = f"it is larger than {MAX_FILE_BYTES:,} bytes"
            skipped[path] = large if len(data) > MAX_FILE_BYTES else "it is no text"
            continue
        text = data.decode(errors="replace")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        simulator = simulator or "hexagon-sim" in text
        if file.suffix == IDL_SUFFIX:
            found += silences(path, tokenize(path, text).comments) if MARKER in text else ()
            unit = _load(path, file, skipped)
            if unit:
                interfaces.append(Interface(path, unit, (released or {}).get(path)))
        elif file.suffix in C_SUFFIXES:
            if re.search(_WORDS, text):
                code.append(tokenize(path, text))
                found += silences(path, code[-1].comments)
        elif "LIBRARY_PATH" in text or MARKER in text:
            script, comments = _read_script(path, text)
            assignments += script
            found += silences(path, comments)
    return Subject(
        tuple(code),
        tuple(interfaces),
        tuple(assignments),
        tuple(found),
        len(files) - len(skipped),
        skipped,
        simulator,
    )


def _read_script(path: str, text: str) -> tuple[list[tuple[Assignment, Place]], list[Comment]]:
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    assignments, comments = list[tuple[Assignment, Place]](), list[Comment]()
    for each in read_script(text):
        line = bisect.bisect_right(starts, each.offset)
        column = each.offset - starts[line - 1] + 1
        if isinstance(each, ShellComment):
            alone = not text[starts[line - 1] : each.offset].strip()
            comments.append(Comment(each.text, line, line, alone))
        else:
            assignments.append((each, Place(path, line, column)))
    return assignments, comments


def _load(path: str, file: Path, skipped: dict[str, str]) -> Unit | None:
    from buildtool.idl.errors import IdlError  # noqa: PLC0415 - imports the grammar
    from buildtool.idl.parse import load  # noqa: PLC0415

    try:
        return load(file)
    except IdlError as error:
        skipped[path] = f"it is no valid interface by itself: {error.problem}"
        return None
