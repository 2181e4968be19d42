"""Runs CTest for a build tree: lists its tests, and runs them.

CTest works in a directory of its own, so that several can run for one tree.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import replace_link, write_if_changed
from buildtool.core.process import Completed, capture
from buildtool.core.value import Value

LAUNCHER = Path(__file__).with_name("launch.py")
TEST_FILE = "CTestTestfile.cmake"
OF_PROJECT = ("DartConfiguration.tcl", "CTestCustom.cmake", "CTestCustom.ctest")
"""What CTest reads in its directory of the settings of the project, such as a default timeout."""
JUNIT = "results.xml"
OUTPUT_BYTES = 1 << 20
NO_PROPERTIES: Mapping[str, Any] = {}


class TestsError(BuildtoolError):
    """CTest cannot list or run the tests of a build tree."""

    code = "ctest"


class ListedTest(Value):
    """A test as CTest knows it: its command line, with the launcher, and its properties."""

    name: str
    command: tuple[str, ...]
    properties: Mapping[str, Any] = NO_PROPERTIES

    @property
    def launched(self) -> tuple[str, ...]:
        """The program that the launcher runs and its arguments; () if none is launched."""
        if str(LAUNCHER) not in self.command:
            return ()
        rest = self.command[self.command.index(str(LAUNCHER)) + 1 :]
        return rest[3:] if rest[:1] == ("--test",) else rest[1:]

    @property
    def texts(self) -> Iterator[str]:
        """The arguments and values of variables that may name files."""
        yield from self.launched[1:]
        for pair in _strings(self.properties.get("ENVIRONMENT")):
            yield pair.partition("=")[2]
        for change in _strings(self.properties.get("ENVIRONMENT_MODIFICATION")):
            yield change.partition("=")[2].partition(":")[2]

    @property
    def working_directory(self) -> str:
        return str(self.properties.get("WORKING_DIRECTORY", ""))


def has_tests(tree: Path) -> bool:
    """Whether the build tree has a CTest suite."""
    return (tree / TEST_FILE).is_file()


class CTest(Value):
    """CTest, the program, for `tree`; it works in the directory `folder`."""

    program: Path
    tree: Path
    folder: Path

    def prepare(self) -> None:
        """Make the directory ready."""
        text = LAUNCHER.with_name("tests.cmake.in").read_text(encoding="utf-8")
        values = {"PYTHON": sys.executable, "LAUNCHER": str(LAUNCHER), "TREE": str(self.tree)}
        text = re.sub("@([A-Z]+)@", lambda found: values[found[1]], text)
        write_if_changed(self.folder / TEST_FILE, text)
        for name in OF_PROJECT:
            if (self.tree / name).is_file():
                replace_link(self.folder / name, self.tree / name)

    def list(self, environment: Mapping[str, str]) -> tuple[ListedTest, ...]:
        """The tests; programs may run to tell the names of theirs.  Raises `TestsError`."""
        done = self._run(["--show-only=json-v1"], environment)
        try:
            # Programs that tell their tests may have written messages before it.
            start = done.output.index('{\n  "backtraceGraph"')
            document, _ = json.JSONDecoder().raw_decode(done.output, start)
            return tuple(_listed(row) for row in document["tests"])
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise TestsError(
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
        on_line: Callable[[str], None],
    ) -> Completed:
        """Run the tests `names`, and those that set up their fixtures; all of them if it is None.

        Tests without a TIMEOUT have `timeout` seconds.  The results are in `JUNIT` then.
        """
        sizes = [f"--test-output-size-{kind}={OUTPUT_BYTES}" for kind in ("passed", "failed")]
        arguments = ["--output-junit", JUNIT, "--timeout", f"{timeout:g}"]
        (self.folder / JUNIT).unlink(missing_ok=True)
        if names is not None:
            chosen = self.folder / "chosen.txt"
            chosen.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
            arguments += ["--tests-from-file", str(chosen)]
        return self._run(
            [*arguments, *(part for s in sizes for part in s.split("="))], environment, on_line
        )

    def _run(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        on_line: Callable[[str], None] | None = None,
    ) -> Completed:
        command: list[str | Path] = [self.program, "--test-dir", self.folder, *arguments]
        return capture(command, env={**environment, "LANG": "C.UTF-8"}, on_line=on_line)


def _listed(row: Any) -> ListedTest:
    properties = {str(each["name"]): each["value"] for each in row.get("properties", ())}
    return ListedTest(str(row["name"]), tuple(map(str, row.get("command", ()))), properties)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, list):
        yield from map(str, value)
    elif value is not None:
        yield str(value)
