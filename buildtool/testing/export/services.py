"""The services that exported tests run on, and the job file or command line of each.

Sources (August to November 2026): docs/cloud.md.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.value import Value
from buildtool.testing.export.exported import Export

TEMPLATES = Path(__file__).with_name("templates")
BUNDLE, RUN = "bundle.tar.gz", "run.sh"
PREPARATION = 900.0
"""Seconds that unpacking and other work around the tests may take."""
LONGEST = 3 * 3600
"""Seconds that a program may take on Device Run."""
QUOTED: Mapping[str, Callable[[str], str]] = {".sh": shlex.quote, ".py": repr, ".yaml": json.dumps}
"""How a text is written in a file with this suffix."""


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
