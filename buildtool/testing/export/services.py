"""The job file or command line of each service that exported tests run on.

Sources (August to November 2026): Google's Device Run: the page "Device Run for Android
executables" and the reference of `gcloud beta device-run sessions submit android-executable` on
docs.cloud.google.com.  Qualcomm Device Cloud: its SDK as scripts/snapdragon/qdc of
ggml-org/llama.cpp uses it.  LAVA: "Test definitions" on lava.readthedocs.io, and the schemas of
Debian's package lava-common.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from buildtool.core.errors import UsageError
from buildtool.core.value import Value
from buildtool.testing.export.exported import Export

BUNDLE, RUN = "bundle.tar.gz", "run.sh"
ANDROID_FOLDER = "/data/local/tmp"
QDC_LINUX, QDC_LOGS = f"{ANDROID_FOLDER}/TestContent", f"{ANDROID_FOLDER}/QDC_logs"
ARTIFACT, LAVA_ARCHIVE = "artifact.zip", "tests.tar.gz"
PREPARATION = 300.0
"""Seconds that unpacking and other work around the tests may take."""
Files = Mapping[str, str]


class Service(Value):
    """What a service gets beside `BUNDLE` and `RUN`.

    `files` are written to the directory of the export; `packed` are written to the archive
    `archive` together with those two.  `several` is whether one job has several devices.
    """

    platforms: tuple[str, ...]
    files: Callable[[Export, str], Files]
    packed: Callable[[Export], Files] = lambda _: {}
    archive: str = ""
    several: bool = False


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


def _device_run(export: Export, _: str) -> Files:
    bundle, results = f"{ANDROID_FOLDER}/{export.name}.tar.gz", f"{ANDROID_FOLDER}/{export.name}"
    seconds = min(max(export.seconds + PREPARATION, 60), 10800)  # the limits of the service
    words = [
        *("gcloud", "beta", "device-run", "sessions", "submit", "android-executable"),
        f"--device={','.join(export.devices)}",
        f"--executable={RUN}",
        f"--executable-args={bundle},{results}.work,{results}",
        f"--other-files-to-push={BUNDLE}={bundle}",
        f"--paths-to-pull={results}",
        f"--executable-timeout={math.ceil(seconds)}s",
    ]
    comment = (
        "Run the tests on Google's Device Run.  Arguments are added to the command line, such as\n"
        "# --project and --bucket-name.  The results of the session that this starts:\n"
        "#   gcloud storage cp -r gs://BUCKET/automation/sessions/SESSION results"
    )
    return {"submit.sh": _script(comment, f'exec {_lines(words)} "$@"')}


def _qdc(export: Export, project: str) -> Files:
    android = export.platform == "android"
    words = [f"{QDC_LINUX}/{RUN}", f"{QDC_LINUX}/{BUNDLE}", f"{QDC_LINUX}/work"]
    entry = f"/bin/bash {' '.join(words)} {QDC_LOGS}/{export.name}"
    values = {
        "ARCHIVE": repr(ARTIFACT),
        "CHIP": repr(export.devices[0]),
        "NAME": repr(f"tests of {project}"[:32]),
        "MINUTES": str(_minutes(export)),
        "FRAMEWORK": "APPIUM" if android else "BASH",
        "ENTRY": repr(None if android else entry),
    }
    return {"submit.py": _template("qdc_submit.py.in", values)}


def _qdc_packed(export: Export) -> Files:
    if export.platform != "android":
        return {}
    values = {"FOLDER": repr(ANDROID_FOLDER), "LOGS": repr(QDC_LOGS), "NAME": repr(export.name)}
    test = _template("qdc_test.py.in", values)
    return {"tests/test_buildtool.py": test, "requirements.txt": "pytest\n"}


def _lava(export: Export, project: str) -> Files:
    import yaml  # noqa: PLC0415 - slow to import

    minutes = {"minutes": _minutes(export)}
    boot = {
        "method": "minimal",
        "prompts": ["root@"],
        "auto_login": {"login_prompt": "login:", "username": "root"},
        "transfer_overlay": {"download_command": "wget", "unpack_command": "tar -C / -xzf"},
    }
    test = {
        "repository": "@URL@",
        "from": "url",
        "compression": "gz",
        "path": "lava.yaml",
        "name": "buildtool",
    }
    job: dict[str, Any] = {
        "job_name": f"tests of {project}"[:200],
        "device_type": export.devices[0],
        "visibility": "personal",
        "timeouts": {
            "job": {"minutes": minutes["minutes"] + 30},
            "action": {"minutes": 15},
            "connection": {"minutes": 5},
        },
        "actions": [
            {"deploy": {"to": "overlay"}},
            {"boot": boot},
            {"test": {"timeout": minutes, "definitions": [test]}},
        ],
    }
    comment = (
        f"Run the tests in a LAVA lab:  sh submit.sh URL\n# URL is where the lab can download"
        f" {LAVA_ARCHIVE}.  The results of the job that this starts:\n"
        "#   lavacli results --yaml JOB >results.yaml"
    )
    text = (
        "# deploy and boot are for a board that boots its own Linux: replace them with those of\n"
        "# other jobs for this device type.\n"
    )
    body = (
        "url=${1:?the URL of " + LAVA_ARCHIVE + ' is missing}\nsed "s|@URL@|$url|" job.yaml'
        " >job.ready.yaml\nexec lavacli jobs submit job.ready.yaml"
    )
    return {
        "job.yaml": text + yaml.safe_dump(job, sort_keys=False, allow_unicode=True),
        "submit.sh": _script(comment, body),
    }


def _lava_packed(export: Export) -> Files:
    import yaml  # noqa: PLC0415 - slow to import

    definition = {
        "metadata": {"format": "Lava-Test Test Definition 1.0", "name": "buildtool"},
        "run": {"steps": [f"sh ./{RUN} {BUNDLE} work {export.name}"]},
    }
    return {"lava.yaml": yaml.safe_dump(definition, sort_keys=False)}


def _minutes(export: Export) -> int:
    return math.ceil((export.seconds + PREPARATION) / 60)


def _script(comment: str, body: str) -> str:
    return f'#!/bin/sh\n# {comment}\nset -eu\ncd -- "$(dirname -- "$0")"\n{body}\n'


def _lines(words: list[str]) -> str:
    head = " ".join(word for word in words if not word.startswith("--"))
    options = [shlex.quote(word) for word in words if word.startswith("--")]
    return " \\\n    ".join([head, *options])


def _template(name: str, values: Mapping[str, str]) -> str:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


SERVICES: Mapping[str, Service] = {
    "google-device-run": Service(("android",), _device_run, several=True),
    "qdc": Service(("android", "ubuntu-aarch64"), _qdc, _qdc_packed, ARTIFACT),
    "lava": Service(("ubuntu-aarch64",), _lava, _lava_packed, LAVA_ARCHIVE),
}
