"""The pytest plugin: the fixture `device` and the option `--buildtool-device`.

pytest loads it wherever buildtool is installed, so it imports nothing else before a test needs a
device.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest

from buildtool.testing import DSP_CRASH, LOST, OUTCOME, TEST_VARIABLE

if TYPE_CHECKING:
    from buildtool.project.model import Project
    from buildtool.testing.pytest_suite import TestDevice

DEVICE = pytest.StashKey["TestDevice"]()
DEVICE_VARIABLE = "BUILDTOOL_DEVICE"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("buildtool").addoption(
        "--buildtool-device",
        metavar="NAME",
        default=os.environ.get(DEVICE_VARIABLE) or "sim",
        help=f"device of the fixture `device` (default: ${DEVICE_VARIABLE}, or sim)",
    )


def pytest_configure(config: pytest.Config) -> None:
    # With pytest-xdist, the workers send their reports to the process that buildtool has started.
    if TEST_VARIABLE in os.environ and not hasattr(config, "workerinput"):
        from buildtool.testing.pytest_records import PytestRecords  # noqa: PLC0415 - see above

        records = PytestRecords(json.loads(os.environ[TEST_VARIABLE])["records"])
        config.pluginmanager.register(records, "buildtool-records")


@pytest.fixture(scope="session")
def device(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> Iterator[TestDevice]:
    """The device that --buildtool-device names, with the release of the project.

    The first test that needs it builds the project; the first program pushes what changed.
    """
    import hashlib  # noqa: PLC0415 - see above

    from buildtool.cli.screen import Screen  # noqa: PLC0415 - see above
    from buildtool.core.errors import BuildtoolError  # noqa: PLC0415 - see above
    from buildtool.deploy.ready import DeviceChoice  # noqa: PLC0415 - see above
    from buildtool.device.sharing import TOKEN_DIGITS, VARIABLE  # noqa: PLC0415 - see above
    from buildtool.engine.options import Options  # noqa: PLC0415 - see above
    from buildtool.flow.tests import device_session  # noqa: PLC0415 - see above
    from buildtool.testing.pytest_suite import TestDevice  # noqa: PLC0415 - see above
    from buildtool.testing.suites import TIMEOUT  # noqa: PLC0415 - see above

    told = json.loads(os.environ.get(TEST_VARIABLE, "{}"))
    with contextlib.ExitStack() as stack:
        run = getattr(pytestconfig, "workerinput", {}).get("testrunuid")
        if run and VARIABLE not in os.environ:
            # The workers of pytest-xdist use the device together.
            token = hashlib.sha256(run.encode()).hexdigest()[:TOKEN_DIGITS]
            stack.enter_context(pytest.MonkeyPatch.context()).setenv(VARIABLE, token)
        try:
            session = stack.enter_context(
                device_session(
                    _project(request.session),
                    pytestconfig.getoption("buildtool_device"),
                    DeviceChoice(**told.get("choice", {"domain": ""})),
                    Screen(quiet=True),
                    Options(**told.get("options", {})),
                    directory=told.get("directory", ""),
                )
            )
            if not told and VARIABLE not in os.environ:  # nobody else runs programs there
                session.reset()
        except BuildtoolError as error:
            pytest.fail(str(error), pytrace=False)
        found = TestDevice(
            session,
            told.get("timeout", TIMEOUT),
            dsp_may_crash=told.get("dsp_may_crash", False),
        )
        pytestconfig.stash[DEVICE] = found
        yield found


def _project(session: pytest.Session) -> Project:
    """The project of the directory in which pytest was started, else that of the first test."""
    from buildtool.project.read import find_optional_project, find_project  # noqa: PLC0415

    found = find_optional_project(session.config.invocation_params.dir)
    return found or find_project(session.items[0].path.parent)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # xfail marks may not hide a crash
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to a test how often the connection was lost, and whether a program took too long.  One
    that crashed the DSP process has failed."""
    crashes: list[str] = []
    if found := item.config.stash.get(DEVICE, None):
        from buildtool.run.run import RunTimeoutError  # noqa: PLC0415 - it is loaded

        item.user_properties += [(LOST, line) for line in found.take_lost()]
        if call.excinfo and call.excinfo.errisinstance(RunTimeoutError):
            item.user_properties.append((OUTCOME, "timed out"))
        if crashes := found.take_dsp_crashes():
            item.user_properties += [(OUTCOME, "crashed"), (DSP_CRASH, crashes[0])]
    report = yield
    if crashes:
        before = report.longreprtext if report.failed else ""
        report.outcome, report.longrepr = "failed", "\n\n".join(filter(None, [*crashes, before]))
        report.__dict__.pop("wasxfail", None)
    return report
