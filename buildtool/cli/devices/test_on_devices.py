"""`buildtool test --on`: devices of one target share the tests."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from buildtool.cli import INTERRUPTED
from buildtool.cli.devices.on_devices import Child, run_on_devices
from buildtool.cli.devices.test_summary import report_tests
from buildtool.cli.devices.testing.options import MatrixOptions
from buildtool.cli.options import BuildOptions
from buildtool.cli.show import print_json
from buildtool.deploy.ready import DeviceChoice
from buildtool.device.card import RequirementsError
from buildtool.project.read import find_project
from buildtool.testing.results import DEVICE_SUITE, Outcome, TestResult, TestRun, run_from_json


def test_on_devices(
    text: str,
    words: Sequence[str],
    choice: DeviceChoice,
    build: BuildOptions,
    *,
    junit: Path | None,
    matrix: MatrixOptions,
    as_json: bool,
) -> int:
    """Run tests on several devices, and print one report of all; returns the exit status.  For a
    matrix, each device runs all tests; a device that lacks what its target requires is no failure.
    """
    words = words if as_json else [*words, "--json"]
    shards = not matrix.markdown
    done = run_on_devices(text, words, choice, build, documents=True, shards=shards)
    project, runs = find_project(Path.cwd()), [_results(child) for child in done.children]
    report_tests(project, runs, junit, matrix, table=not as_json)
    ended = zip(done.children, runs, strict=True)
    failed = any(child.status and not _is_unsupported(run) for child, run in ended)
    if as_json:
        print_json({**done.as_json(), "ok": not failed})
    return INTERRUPTED if done.interrupted else int(failed)


def _is_unsupported(run: TestRun) -> bool:
    """Whether a device lacks what the target requires."""
    return [(test.suite, test.outcome) for test in run.tests] == [
        (DEVICE_SUITE, Outcome.EXPECTED_FAILURE)
    ]


def _results(child: Child) -> TestRun:
    """The results that a process reports; if the tests could not run, one result that says why."""
    device = str(child.chosen)
    document = child.document
    try:
        run = run_from_json(document)
    except ValueError:
        message, outcome = f"exit status {child.status}", Outcome.NOT_RUN
        if isinstance(document, dict) and isinstance(error := document.get("error"), dict):
            message = str(error.get("message", message))
            if error.get("code") == RequirementsError.code:
                message, outcome = f"{message}: {error.get('why')}", Outcome.EXPECTED_FAILURE
        failed = TestResult(DEVICE_SUITE, device, device, outcome, child.seconds, message)
        began = time.time() - child.seconds
        return TestRun(
            *(device, "", child.release, "", child.chosen.soc, ""),
            started=began,
            seconds=child.seconds,
            interrupted=False,
            tests=(failed,),
        )
    return run._replace(device=device)
