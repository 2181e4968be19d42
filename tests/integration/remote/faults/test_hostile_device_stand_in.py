"""A stand-in for a device that sends anything: buildtool ends with an error, without using more and
more memory."""

from __future__ import annotations

import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from socket import socket

import pytest

from buildtool.core.errors import BuildtoolError
from buildtool.core.value import Value
from buildtool.deploy.device import Device
from buildtool.deploy.errors import DeviceConnectionError, DeviceError
from buildtool.deploy.script import MAX_REPORT
from buildtool.deploy.site import rollback, verify
from buildtool.deploy.transports.failures import last_lines
from buildtool.deploy.transports.transport import Command
from buildtool.release.slices import Release
from tests.remote.remote import Remote


class HostileTransport(Value):
    """A device that answers each script by running Python code, in which `mark` is the mark of the
    script's report and `out` and `err` write to its streams."""

    code: str

    @property
    def address(self) -> str:
        return "hostile"

    @property
    def root(self) -> str:
        return "/nowhere"

    @property
    def environment(self) -> dict[str, str]:
        return dict(os.environ)

    @property
    def direct(self) -> bool:
        return False

    def connect(self) -> None:
        pass

    def command(self, script: str, *, terminal: bool = False) -> Command:
        del terminal
        mark = script.partition("mark='")[2].partition("'")[0]
        start = (
            "import os, sys, time, random\n"
            f"mark = {mark.encode()!r}\n"
            "def write(number, data):\n"
            "    while data: data = data[os.write(number, data):]\n"
            "def out(data): write(1, data)\n"
            "def err(data): write(2, data)\n"
        )
        return [sys.executable, "-I", "-S", "-c", start + self.code]

    def forwarded(self, number: int) -> AbstractContextManager[Callable[[], socket]]:
        raise NotImplementedError(number)

    def lost(self, status: int, messages: str) -> DeviceError:
        return DeviceConnectionError(
            "the connection to hostile was interrupted",
            why=f"{status}: {last_lines(messages)}",
            remedy="Check it.",
        )


ANSWERS = {
    "nothing": "",
    "status": "sys.exit(3)",
    "garbage": "err(random.randbytes(100_000)); out(random.randbytes(100_000))",
    "garbage as a report": "err(mark + random.randbytes(100_000) + b'\\n')",
    "an unknown word": "err(mark + b'\\x1b[31mhello \\x00\\xff\\n')",
    "an empty report": "err(mark + b'\\n')",
    "an unfinished report": "err(mark + b'exit 0')",
    "several reports": "err(mark + b'exit 0\\n' + mark + b'exit 0\\n')",
    "a status that is none": "err(mark + b'exit -1\\n')",
    "another status that is none": "err(mark + 'exit ²\\n'.encode())",
    "wrong digests": "err(mark + b'differs 755\\n644\\n%s  ./run.sh\\nother\\nlinks\\n"
    "dangling\\ntargets\\n' % (b'0' * 64))",
    "other digests": "err(mark + b'differs 644\\n%064x  ./x\\n' % random.getrandbits(256))",
    "more for ever": "err(mark + b'more\\n')",
    "missing for ever": "err(mark + b'missing\\n')",
    "started again for ever": "err(mark + b'rebooted x\\n')",
    "names that are none": "err(mark + b'differs 644\\n%s  ./../../x\\nlinks\\n./\\n./a\\n"
    "dangling\\ntargets\\n' % (b'0' * 64))",
    "no sections": "err(mark + b'differs links\\ntargets\\n')",
    "sections only": "err(mark + b'scan \\n\\nlinks\\n\\ndangling\\n\\ntargets\\n\\n')",
}
"""What the device does, as Python code."""


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return place("", tmp_path).release(tmp_path / "release", {"file": b"1"}, {"link": "file"})


def place(code: str, directory: Path) -> Remote:
    device = Device("hostile", "sim", "/nowhere", HostileTransport(code))
    return Remote(device, "/nowhere/project", "hostile", directory / "state")


@pytest.mark.parametrize("answer", ANSWERS)
def test_each_command_ends_with_an_error(answer: str, release: Release, tmp_path: Path) -> None:
    remote = place(ANSWERS[answer], tmp_path)
    ready = remote.ready(release)
    with pytest.raises(BuildtoolError) as error:
        remote.deploy(release)
    assert error.value.remedy
    with pytest.raises(BuildtoolError):
        remote.deploy(release)  # it remembers nothing that is wrong
    with pytest.raises(BuildtoolError):
        remote.shell(release, "true")
    with pytest.raises(BuildtoolError):
        rollback(ready.site)
    if answer not in ("several reports", "an unfinished report"):
        with pytest.raises(BuildtoolError):
            remote.device.exec("true")
    target = tmp_path / "target"
    with pytest.raises(BuildtoolError):
        remote.device.pull("/file", target)
    assert not target.exists()
    try:
        verify(ready.site, ready.deployment)
    except BuildtoolError as failure:
        error_text = str(failure)
        assert "\x1b" not in error_text


ENDLESS = {
    "output": "while True: out(bytes(1 << 16))",
    "messages": "while True: err(bytes(1 << 16))",
    "a report": "err(mark)\nwhile True: err(b'x' * (1 << 16))",
}


@pytest.mark.parametrize("what", ENDLESS)
def test_endless_answers_end(what: str, release: Release, tmp_path: Path) -> None:
    remote = place(ENDLESS[what], tmp_path)
    tracemalloc.start()
    begin = time.monotonic()
    try:
        with pytest.raises(BuildtoolError):
            remote.device.exec("true", timeout=2)
        with pytest.raises(BuildtoolError):
            remote.deploy(release)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * MAX_REPORT
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize("size", [100 << 20])
def test_a_large_report_is_refused(size: int, release: Release, tmp_path: Path) -> None:
    code = (
        f"err(mark + b'differs ')\nfor _ in range({size >> 20}): err(b'x' * (1 << 20))\nerr(b'\\n')"
    )
    with pytest.raises(BuildtoolError):
        place(code, tmp_path).deploy(release)
