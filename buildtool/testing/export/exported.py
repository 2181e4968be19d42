"""An export: which tests it has, for which service; `tests.json` in its directory.

What comes back from a service is read by this list: it says only how each program ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.files import read_checksummed, write_checksummed
from buildtool.core.value import Value

FILE = "tests.json"
VERSION = 1
ROOT = "@root@"
"""Stands for the directory of the release on the device, in the texts of a test."""
NO_VARIABLES: Mapping[str, str] = {}


class ExportedTest(Value):
    """A test that runs without buildtool: `command` is a program of the release and its arguments,
    `cwd` its working directory there.  `skip_status` is the exit status by which it says that it
    was skipped; with `will_fail` it passes when the status is not 0.

    `left_out` says why the test does not run elsewhere; it then has no command.
    """

    suite: str
    name: str
    timeout: float = 0
    command: tuple[str, ...] = ()
    cwd: str = ""
    env: Mapping[str, str] = NO_VARIABLES
    will_fail: bool = False
    skip_status: int | None = None
    left_out: str = ""


class Export(Value):
    """The tests of `release`, a release of `target`, for the `devices` of `service`; `id` is a
    digest of all of it."""

    id: str
    service: str
    devices: tuple[str, ...]
    target: str
    platform: str
    release: str
    tests: tuple[ExportedTest, ...]

    @property
    def name(self) -> str:
        """The name of files and directories that belong to it, also on devices."""
        return f"buildtool-{self.id}"

    @property
    def seconds(self) -> float:
        """The time that the tests have together."""
        return sum(test.timeout for test in self.tests)


def write_list(export: Export, directory: Path) -> None:
    """Write the list of tests to the directory of the export.  Raises `OSError`."""
    tests = [test._asdict() for test in export.tests]
    document = {"version": VERSION, **export._asdict(), "tests": tests}
    write_checksummed(directory / FILE, document)


def read_list(directory: Path) -> Export:
    """The export in a directory.  Raises `UsageError` if there is none."""
    why = f"it has no {FILE}"
    try:
        document = read_checksummed(directory / FILE)
        if document.pop("version") == VERSION:
            tests = (
                ExportedTest(**{**row, "command": tuple(row["command"])})
                for row in document["tests"]
            )
            return Export(
                **{**document, "devices": tuple(document["devices"]), "tests": tuple(tests)}
            )
        why = "another version of buildtool has made it"
    except OSError:
        pass
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        why = f"{FILE} in it is damaged"
    raise UsageError(
        f"{directory} is not an export of tests",
        why=why,
        remedy="Name the directory of the export whose results these are: --export DIR",
    )
