"""The subject of `buildtool lint`: which sources, interfaces and scripts are read, what is in
them, and the comments that silence rules there."""

from __future__ import annotations

import bisect
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.core.files import read_regular
from buildtool.core.processes.process import ToolError, git
from buildtool.core.value import Value
from buildtool.lint.c_functions import Call, Function, functions_of
from buildtool.lint.c_tokens import Code, Comment, Place, tokenize
from buildtool.lint.shell import Assignment, ShellComment, read_script
from buildtool.project.model import Project

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


MAX_FILES = 20_000
_BUILD_TREE = "CMakeCache.txt"
_FIRST_LINE = re.compile(rb"#![ \t]*\S*/(?:env[ \t]+(?:-S[ \t]+)?)?(?:ba|da|k|mk|z|a)?sh\b")
"""The first line of scripts without a suffix."""


def project_files(project: Project) -> dict[str, Path]:
    """The sources below the components, their IDL files, and all scripts, by their paths in the
    project; without what git ignores, build trees and other repositories."""
    sources = [project.root / each.source for each in project.hosts.values() if each.source]
    sources += [project.root / each.source for each in project.skels.values() if each.source]
    interfaces = [project.root / each.idl for each in project.skels.values() if each.idl]
    sources, interfaces = (
        [path for path in paths if path.is_relative_to(project.root)]  # the loader's are elsewhere
        for paths in (sources, interfaces)
    )
    found = [each for folder in dict.fromkeys(sources) for each in _files_in(folder, SUFFIXES)]
    found += [each for each in interfaces if each.is_file()]
    found += _files_in(project.root, SCRIPT_SUFFIXES)
    return _by_path(found, project.root)


def named_files(paths: Iterable[Path], root: Path) -> dict[str, Path]:
    """The files that `paths` name, and those below directories; raises `UsageError`."""
    found = list[Path]()
    for path in paths:
        absolute = Path(os.path.abspath(path))  # noqa: PTH100 - without resolving links
        if absolute.is_dir():
            found += _files_in(absolute, SUFFIXES)
        elif not absolute.exists():
            raise UsageError(f"{path} does not exist", remedy="Name a file or a directory.")
        elif absolute.suffix not in SUFFIXES and not _begins_as_script(absolute):
            raise UsageError(
                f"{path} is no kind of file that is checked",
                why=f"these are: {' '.join(sorted(SUFFIXES))}, and scripts with #!/bin/sh",
                remedy="Name a source, an interface or a script.",
            )
        else:
            found.append(absolute)
    return _by_path(found, root)


def _by_path(files: Iterable[Path], root: Path) -> dict[str, Path]:
    """Files by their paths relative to `root`, absolute if they are elsewhere, in order."""
    found = {
        (str(file.relative_to(root)) if file.is_relative_to(root) else str(file)): file
        for file in files
    }
    if len(found) > MAX_FILES:
        raise UsageError(
            f"{len(found):,} files are too many",
            why=f"at most {MAX_FILES:,} are checked at once",
            remedy="Name the directories with your own sources: buildtool lint PATH...",
        )
    return dict(sorted(found.items()))


def _files_in(folder: Path, suffixes: frozenset[str]) -> list[Path]:
    """The files below `folder` with these suffixes, and scripts without one, that git does not
    ignore; all without git."""
    names = _listed_by_git(folder)
    files = _walk(folder) if names is None else (folder / name for name in names if name)
    return [
        file
        for file in files
        if (file.suffix in suffixes and file.is_file())
        or (not file.suffix and _begins_as_script(file))
    ]


def _begins_as_script(file: Path) -> bool:
    """Whether the first line says that a shell executes the file."""
    try:
        return file.is_file() and _FIRST_LINE.match(read_regular(file, 64)) is not None
    except OSError:
        return False


def _listed_by_git(folder: Path) -> list[str] | None:
    """What git has or would add below a directory; None outside of a repository."""
    try:
        return git(folder, "ls-files", "-z", "-co", "--exclude-standard").split("\0")
    except ToolError:
        return None


def _walk(folder: Path) -> Iterator[Path]:
    """All files, without hidden directories, build trees and links to directories."""
    for place, folders, names in os.walk(folder):
        if _BUILD_TREE in names and Path(place) != folder:
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place, name) for name in names)
