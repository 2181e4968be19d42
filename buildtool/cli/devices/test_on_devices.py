"""`buildtool test --on`: devices of one target share the tests."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from buildtool.cli.devices.device_processes import Child
from buildtool.cli.devices.on_devices import run_on_devices
from buildtool.cli.devices.test_summary import report_tests
from buildtool.cli.options import BuildOptions
from buildtool.cli.show import print_json
from buildtool.deploy.ready import DeviceChoice
from buildtool.testing.results import Outcome, TestResult, TestRun, run_from_json

SUITE = "device"


def test_on_devices(
    text: str,
    words: Sequence[str],
    junit: Path | None,
    choice: DeviceChoice,
    build: BuildOptions,
    *,
    as_json: bool,
) -> int:
    """As `on_devices`, with one report of the tests on all devices."""
    words = words if as_json else [*words, "--json"]
    done = run_on_devices(text, words, choice, build, documents=True, shards=True)
    report_tests([_results(child) for child in done.children], junit, table=not as_json)
    if as_json:
        print_json(done.as_json())
    return done.status


def _results(child: Child) -> TestRun:
    """The results that a process reports; if the tests could not run, one result that says why."""
    device = str(child.chosen)
    document = child.document
    try:
        run = run_from_json(document)
    except ValueError:
        message = f"exit status {child.status}"
        if isinstance(document, dict) and isinstance(document.get("error"), dict):
            message = str(document["error"].get("message", message))
        failed = TestResult(SUITE, device, device, Outcome.NOT_RUN, child.seconds, message)
        began = time.time() - child.seconds
        return TestRun(
            *(device, "", child.release, "", child.chosen.soc, ""),
            started=began,
            seconds=child.seconds,
            interrupted=False,
            tests=(failed,),
        )
    return run._replace(device=device)
