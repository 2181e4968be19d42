"""An export: which tests it has, for which service; `tests.json` in its directory.

What comes back from a service is read by this list: it says only how each program ended.  The job
file or command line of each service is from docs/cloud.md (August to November 2026).
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.files import read_checksummed, write_checksummed
from buildtool.core.value import Value

FILE = "tests.json"
VERSION = 1
ROOT = "@root@"
"""Stands for the directory of the release on the device, in the texts of a test."""
NO_VARIABLES: Mapping[str, str] = {}
TEMPLATES = Path(__file__).with_name("templates")
BUNDLE, RUN = "bundle.tar.gz", "run.sh"
PREPARATION = 900.0
"""Seconds that unpacking and other work around the tests may take."""
LONGEST = 3 * 3600
"""Seconds that a program may take on Device Run."""
QUOTED: Mapping[str, Callable[[str], str]] = {".sh": shlex.quote, ".py": repr, ".yaml": json.dumps}
"""How a text is written in a file with this suffix."""


class ExportedTest(Value):
    """A test that runs without buildtool: `command` is a program of the release and its arguments,
    `cwd` its working directory there.  `skip_status` is the exit status, `skip_text` the output by
    which it says that it was skipped; with `will_fail` it passes when the status is not 0.

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
    skip_text: str = ""
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


class Service(Value):
    """What a service gets: `files` in the directory, and `BUNDLE` and `RUN`, in the `archive` with
    the files `packed` if it has one.  `several` is whether one job has several devices."""

    platforms: tuple[str, ...]
    files: tuple[str, ...]
    archive: str = ""
    packed: tuple[str, ...] = ()
    several: bool = False


SERVICES: Mapping[str, Service] = {
    "google-device-run": Service(("android",), ("submit.sh",), several=True),
    "qdc": Service(
        platforms=("android", "ubuntu-aarch64"),
        files=("submit.py",),
        archive="artifact.zip",
        packed=("tests/test_buildtool.py", "requirements.txt"),  # for phones
    ),
    "lava": Service(("ubuntu-aarch64",), ("job.yaml", "submit.sh"), "tests.tar.gz", ("lava.yaml",)),
}


def service_of(text: str, platform: str) -> tuple[str, tuple[str, ...]]:
    """The service and the devices of `--for SERVICE:DEVICE[,DEVICE...]`; raises `UsageError`."""
    name, _, rest = text.partition(":")
    devices = tuple(word.strip() for word in rest.split(",") if word.strip())
    service = SERVICES.get(name)
    if not service or not devices or not rest.isprintable():
        raise UsageError(
            f"--for {text}: it names no {'device' if service else 'service'}",
            why="the service and its name of the device are needed",
            remedy=f"Write --for SERVICE:DEVICE; services: {', '.join(SERVICES)}.",
        )
    if platform not in service.platforms:
        raise UsageError(
            f"--for {name}: the target is for {platform}",
            why=f"{name} runs programs for {', '.join(service.platforms)}",
            remedy="Name another target: --target TARGET",
        )
    if len(devices) > 1 and not service.several:
        raise UsageError(
            f"--for {text}: it names {len(devices)} devices",
            why=f"a job of {name} has one device",
            remedy="Export once for each device.",
        )
    return name, devices


def filled(name: str, export: Export, project: str) -> str:
    """The text of a file for the service of `export`."""
    seconds = math.ceil(export.seconds + PREPARATION)
    texts = {
        "NAME": export.name,
        "DEVICES": ",".join(export.devices),
        "JOB": f"tests of {project}"[:200],
    }
    quoted = QUOTED.get(Path(name).suffix, str)
    values = {
        **{key: quoted(text) for key, text in texts.items()},
        "SECONDS": str(min(seconds, LONGEST)),
        "MINUTES": str(math.ceil(seconds / 60)),
        "ANDROID": str(export.platform == "android"),
    }
    template = TEMPLATES / f"{export.service}_{name.replace('/', '_')}.in"
    text = template.read_text(encoding="utf-8")
    return re.sub("@([A-Z]+)@", lambda found: values.get(found[1], found[0]), text)
