"""The inputs of CMake's checks: the sources of try_compile(), try_run() and check_ commands with
all headers that these may include.

CMake deletes the build trees of checks, and a check that fails because a header is missing leaves
no dependency file.  So headers are searched here, in the text of the sources: each header that a
compiler could find in any of the directories counts, and so does the absence of one that is in
none of them.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
from collections.abc import Iterable

from buildtool.drivers.cmake.scan.configure_log import Event
from buildtool.drivers.cmake.scan.header_names import (
    ANY,
    find_requested_names,
    joined_lines,
    read_source,
)
from buildtool.drivers.cmake.scan.include_directories import (
    include_directories,
    macro_definitions,
)
from buildtool.drivers.cmake.scan.input_collector import InputCollector

_COMMAND = re.compile(r"\[\d+/\d+\] (.*)")
_DIRECTORY = re.compile(r"Change Dir: '(.*)'")
_INCLUDES = re.compile(r"-DINCLUDE_DIRECTORIES(?::\w+)?=(.*)", re.DOTALL)
_UNKNOWN = re.compile(r"[<\"][^>\"]*(?:@\w|\$\{)[^>\"]*[>\"]")  # a name that CMake fills in


class Checks:
    """The sources of all checks of a configuration: files, and `texts` that CMake writes into
    files; and what they are compiled with."""

    def __init__(self) -> None:
        self.files: dict[str, None] = {}
        self.texts: dict[str, None] = {}
        self.directories: dict[str, None] = {}
        self.definitions: dict[str, None] = {}

    def add_call(self, arguments: Iterable[str], base: str) -> None:
        """try_compile() or try_run(), whose relative paths start at `base`."""
        for word in arguments:
            if word and self._add_file(os.path.join(base, word)):  # noqa: PTH118
                continue
            if match := _INCLUDES.fullmatch(word):
                self._add_flags([f"-I{path}" for path in match[1].split(";") if path], base)
            else:
                self._add_flags(_words(word.replace(";", " ")), base)

    def add_text(self, text: str, *, by_cmake: bool) -> None:
        """A text that may be that of a source; `by_cmake`: of one of CMake's own modules, for which
        the names that they fill in are known from their calls."""
        self.texts[joined_lines(_UNKNOWN.sub("" if by_cmake else "UNKNOWN()", text))] = None

    def add_event(self, event: Event) -> None:
        """The build of a check: its commands."""
        base = "/"
        for line in event.output:
            if match := _DIRECTORY.match(line):
                base = match[1]
            elif match := _COMMAND.match(line):
                words = _words(match[1])
                self._add_flags(words, base)
                for option, word in itertools.pairwise(words):
                    if option == "-c":
                        self._add_file(os.path.join(base, word))  # noqa: PTH118
                    elif option in ("-include", "-imacros"):
                        self.texts[f'#include "{word}"'] = None

    def _add_file(self, path: str) -> bool:
        """Add a source, if CMake has not deleted it."""
        if os.path.isfile(path):  # noqa: PTH113
            self.files[path] = None
            return True
        return False

    def _add_flags(self, flags: list[str], base: str) -> None:
        self.directories |= dict.fromkeys(include_directories(flags, base))
        self.definitions |= dict.fromkeys(macro_definitions(flags))


def add_checks(checks: Checks, implicit: Iterable[str], found: InputCollector) -> None:
    """Add to `found` what the checks read; `implicit` are the directories that the compilers search
    after all others."""
    if checks.files or checks.directories:
        _Search(checks, tuple(dict.fromkeys(implicit)), found).run()


class _Search:
    """Searches the headers of all checks."""

    def __init__(self, checks: Checks, implicit: tuple[str, ...], found: InputCollector) -> None:
        self._checks = checks
        self._implicit = implicit
        self._found = found
        self._texts: dict[str, str] = {}
        self._names: set[str] = set()
        self._waiting = [*checks.files]

    def run(self) -> None:
        definitions = self._checks.definitions
        self._look(find_requested_names(self._checks.texts, definitions), "")
        while self._waiting:
            while self._waiting:
                self._read(self._waiting.pop())
            # A macro of one file may name what another one includes.
            every = find_requested_names([*self._checks.texts, *self._texts.values()], definitions)
            folders = {path.rpartition("/")[0] for path in self._texts}
            for names, folder in itertools.product([every - self._names], folders):
                self._look(names, folder)

    def _read(self, path: str) -> None:
        if path in self._texts:
            return
        path_filter = self._found.path_filter
        is_tools = path_filter.name(path) is None and not path.startswith(f"{path_filter.tree}/")
        self._texts[path] = "" if is_tools else read_source(path)  # the step key covers the tools
        self._found.add_content(path)
        names = find_requested_names([self._texts[path]], self._checks.definitions)
        self._look(names, path.rpartition("/")[0])

    def _look(self, names: Iterable[str], beside: str) -> None:
        """Search `names`, which a file in the directory `beside` includes or tests."""
        self._names.update(names)
        own = [path for path in (beside, *self._checks.directories) if path]
        for name in names:
            if name == ANY:
                for directory in own:
                    if not f"{directory}/".startswith(tuple(f"{p}/" for p in self._implicit)):
                        self._found.add_listing("*", directory, recursive=True, directories=False)
                continue
            for directory in own if name[0] != "/" else ("",):
                self._find(f"{directory}/{name}")
            paths = [f"{directory}/{name}" for directory in self._implicit]
            present = [path for path in paths if os.path.isfile(path)]  # noqa: PTH113
            for path in present or paths:
                self._find(path)

    def _find(self, path: str) -> None:
        path = self._found.path_filter.normalizer.path(path)
        if os.path.isfile(path):  # noqa: PTH113
            self._waiting.append(path)
        else:
            self._found.add_existence(path)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # an unbalanced quotation mark
        return text.split()
