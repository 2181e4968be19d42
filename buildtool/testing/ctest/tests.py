"""Runs CTest for a build tree: lists its tests, and runs them.

CTest works in a directory of its own, so that several can run for one tree.

The files that the tests of a CTest suite need on a device, and where they work there.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import read_regular, replace_link, write_if_changed
from buildtool.core.lock import held_directory, locked
from buildtool.core.processes.process import DEVNULL, PIPE, capture, running
from buildtool.core.trees import STATE
from buildtool.core.value import Value
from buildtool.inputs.file_states import FileStates
from buildtool.plan.plan import CMakeStep
from buildtool.project.components import Dsp, Host
from buildtool.project.model import Project
from buildtool.release.slices import Release
from buildtool.sdk.packaged_tools import CMake
from buildtool.sdk.tool_search import version_numbers
from buildtool.testing.deployment import (
    Additions,
    PathMap,
    directories,
    make_test_release,
    named_files,
    opened_files,
    programs,
)

TEST_LAUNCHER = Path(__file__).with_name("launch.py")
TEST_FILE = "CTestTestfile.cmake"
OF_PROJECT = ("DartConfiguration.tcl", "CTestCustom.cmake", "CTestCustom.ctest")
"""Files in CTest's directory with settings of the project, such as a default timeout."""
ENABLES = rb"(?i)\benable_testing\s*\(|\binclude\s*\(\s*CTest\s*\)"
FIRST_WITH_LISTS = (3, 29)
"""The first CTest that reads the names of tests from a file."""
ERRORS = "errors.txt"
MAX_LINE = 1 << 20
"""Bytes of a line of CTest's output that are kept."""
NO_PROPERTIES: Mapping[str, Any] = {}
FOLDER = "tests"
"""Below a project's state: what test deployments are made of, and what runs of CTest leave."""


class CTestError(BuildtoolError):
    """CTest cannot list or run the tests of a build tree."""

    code = "ctest"


class ListedTest(Value):
    """A test as CTest knows it: its command line, with the test launcher, and its properties."""

    name: str
    command: tuple[str, ...]
    properties: Mapping[str, Any] = NO_PROPERTIES

    @property
    def launched(self) -> tuple[str, ...]:
        """The program that the test launcher runs and its arguments; () if none is launched."""
        if str(TEST_LAUNCHER) not in self.command:
            return ()
        rest = self.command[self.command.index(str(TEST_LAUNCHER)) + 1 :]
        return rest[3:] if rest[:1] == ("--test",) else rest[1:]

    @property
    def will_fail(self) -> bool:
        """Whether CTest expects it to fail."""
        return bool(self.properties.get("WILL_FAIL"))

    @property
    def skip_status(self) -> int | None:
        """The exit status by which it says that it was skipped."""
        return self.properties.get("SKIP_RETURN_CODE")

    @property
    def timeout(self) -> float:
        """The seconds that it has; 0 if that is not its own number."""
        return float(self.properties.get("TIMEOUT") or 0)

    @property
    def texts(self) -> Iterator[str]:
        """The arguments and values of variables that may name files."""
        yield from self.launched[1:]
        for pair in strings(self.properties.get("ENVIRONMENT")):
            yield pair.partition("=")[2]
        for change in strings(self.properties.get("ENVIRONMENT_MODIFICATION")):
            yield change.partition("=")[2].partition(":")[2]

    @property
    def working_directory(self) -> str:
        return str(self.properties.get("WORKING_DIRECTORY", ""))


def has_tests(tree: Path) -> bool:
    """Whether the build tree has a CTest suite."""
    return (tree / TEST_FILE).is_file()


def may_have_tests(project: Project) -> bool:
    """Whether a CMake file of the project enables tests, whatever includes it."""
    sources = {project.root / host.source for host in project.hosts.values() if host.source}
    sources |= {project.root / skel.source for skel in project.skels.values() if skel.source}
    return any(map(_enables_tests, {project.root, *sources}))


def _enables_tests(folder: Path) -> bool:
    for inside, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in (STATE, ".git")]
        for name in names:
            if name == "CMakeLists.txt" or name.endswith(".cmake"):
                with contextlib.suppress(OSError):
                    if re.search(ENABLES, read_regular(Path(inside, name))):
                        return True
    return False


class CTest(Value):
    """The CTest of `cmake` for `tree`; it works in the directory `folder`."""

    cmake: CMake
    tree: Path
    folder: Path

    def prepare(self) -> None:
        """Make the directory ready."""
        text = TEST_LAUNCHER.with_name("tests.cmake.in").read_text(encoding="utf-8")
        launcher = str(TEST_LAUNCHER)
        values = {"PYTHON": sys.executable, "TEST_LAUNCHER": launcher, "TREE": str(self.tree)}
        text = re.sub("@([A-Z_]+)@", lambda found: values[found[1]], text)
        write_if_changed(self.folder / TEST_FILE, text)
        for name in OF_PROJECT:
            if (self.tree / name).is_file():
                replace_link(self.folder / name, self.tree / name)

    def tests(self, environment: Mapping[str, str]) -> tuple[ListedTest, ...]:
        """The tests; programs may run to tell the names of theirs.  Raises `CTestError`."""
        done = capture(self._command(["--show-only=json-v1"]), env=environment)
        try:
            # Programs that tell their tests may have written messages before it.
            start = done.output.index('{\n  "backtraceGraph"')
            document, _ = json.JSONDecoder().raw_decode(done.output, start)
            return tuple(_listed(row) for row in document["tests"])
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise CTestError(
                f"CTest cannot list the tests of {self.tree}",
                why=done.output[-2000:] or f"it printed nothing ({error})",
                remedy="Programs that list their own tests run on the device: check what they"
                " print.",
            ) from error

    def run(
        self,
        environment: Mapping[str, str],
        names: Sequence[str] | None,
        *,
        timeout: float,
        jobs: int,
    ) -> Generator[str, None, None]:
        """Run the tests `names`, and those that set up their fixtures; all of them if it is None.

        Tests without a TIMEOUT have `timeout` seconds; `jobs` run at the same time, 0 for as many
        as CTEST_PARALLEL_LEVEL says.  Yields what CTest prints, line by line.
        """
        arguments = ["--verbose", "--timeout", f"{timeout:g}"]
        if jobs:
            arguments += ["--parallel", str(jobs)]
        if names is not None and version_numbers(self.cmake.version) >= FIRST_WITH_LISTS:
            chosen = self.folder / "chosen.txt"
            chosen.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
            arguments += ["--tests-from-file", str(chosen)]
        elif names is not None:
            literal = (re.sub(r"([][.*+?()|^$\\])", r"\\\1", name) for name in names)
            arguments += ["--tests-regex", f"^({'|'.join(literal)})$"]
        with (
            (self.folder / ERRORS).open("wb") as errors,
            running(
                self._command(arguments),
                env=environment,
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=errors.fileno(),
            ) as process,
        ):
            assert process.stdout
            for line in _lines(process.stdout):
                yield line.decode(errors="surrogateescape").rstrip("\n")

    def errors(self) -> str:
        """The end of what CTest wrote to standard error when it ran tests."""
        text = (self.folder / ERRORS).read_text(encoding="utf-8", errors="replace")
        return text[-2000:].strip()

    def _command(self, arguments: Sequence[str]) -> list[str | Path]:
        program = self.cmake.program.with_name("ctest")
        return [program, "--test-dir", self.folder, *arguments]


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of `stream`, of long ones the first `MAX_LINE` bytes: a test may write no end of
    line at all."""
    begins = True
    while line := stream.readline(MAX_LINE):
        is_cut = len(line) == MAX_LINE and not line.endswith(b"\n")
        if begins:
            yield line + b" [the rest of the line is left out]" if is_cut else line
        begins = not is_cut


def _listed(row: Any) -> ListedTest:
    properties = {str(each["name"]): each["value"] for each in row.get("properties", ())}
    return ListedTest(str(row["name"]), tuple(map(str, row.get("command", ()))), properties)


def strings(value: object) -> Iterator[str]:
    """The strings of a property, which is a string or a list of them."""
    if isinstance(value, list):
        yield from map(str, value)
    elif value is not None:
        yield str(value)


def tested_component(project: Project, step: CMakeStep) -> Host | Dsp:
    """The component whose tests the tree of `step` has."""
    name = step.component
    found = project.skels[name] if step.arch else project.hosts[name]
    assert isinstance(found, Host | Dsp)
    return found


def files_of_tests(
    step: CMakeStep,
    tests: Iterable[ListedTest],
    patterns: Iterable[str],
    written: Collection[str] = (),
) -> Additions:
    """The files of a component in the test deployment: its programs, those that `tests` name,
    except the ones that tests have `written`, and those that match `patterns`."""
    named = (Path(path) for path in _named(step, tests) if path not in written)
    return {**opened_files(step, patterns), **named_files(step, named), **programs(step)}


def working_directories(step: CMakeStep, tests: Collection[ListedTest]) -> set[str]:
    """The directories of the test deployment that tests work in, or may write files to."""
    paths = [
        *(test.working_directory for test in tests),
        *(
            path if Path(path).is_dir() else str(Path(path).parent)
            for path in [*_named(step, tests)]
        ),
    ]
    mapped = map(PathMap(directories(step)).path, paths)
    return {path for path in mapped if path}


def _named(step: CMakeStep, tests: Iterable[ListedTest]) -> Iterator[str]:
    """The paths that arguments and variables of tests name; relative ones if they name a file."""
    paths = PathMap(directories(step))
    for test in tests:
        for text in test.texts if test.launched else ():
            yield from paths.named_in(text)
        folder = test.working_directory or step.tree
        for text in test.launched[1:]:
            # Not pathlib: an argument may be too long for a name.
            if os.path.isfile(path := os.path.normpath(Path(folder, text))):  # noqa: PTH113
                yield path


def held_test_release(
    stack: ExitStack, folder: Path, release: Release, added: Iterable[Additions]
) -> Release:
    """`release` with all files `added`, which `stack` keeps from being removed; `folder` is
    `FOLDER` of the project."""
    everything = {place: output for part in added for place, output in part.items()}
    with locked(folder / "lock"):  # another process removes what nobody holds
        states = FileStates(folder / "digests")
        place = folder / "deployments" / release.target
        found = make_test_release(release, everything, place, states)
        states.save()
        stack.enter_context(held_directory(found.directory))
    return found
