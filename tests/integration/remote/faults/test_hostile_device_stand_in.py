"""A stand-in for a device that sends anything: buildtool ends with an error, without using more and
more memory."""

from __future__ import annotations

import hashlib
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
from buildtool.core.events import Event, Note
from buildtool.core.value import Value
from buildtool.deploy import push
from buildtool.deploy.contents import DataFile
from buildtool.deploy.data import send_data
from buildtool.deploy.site import deploy, rollback, verify
from buildtool.device.device import Device
from buildtool.device.errors import DeviceConnectionError, DeviceError, last_lines
from buildtool.device.script import MAX_REPORT
from buildtool.device.transports.transport import Command
from buildtool.release.slices import Release
from tests.remote.remote import Remote


class HostileTransport(Value):
    """A device that answers each script by running Python code, in which `out` and `err` write to
    its streams, and `report` writes a report between marks, `mark`."""

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

    def connect(self, *, unattended: bool = False) -> None:
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
            "def report(data):\n"
            "    err(mark + data + mark)\n"
            "    out(mark)\n"
            "out(mark)\n"
            "err(mark)\n"
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
    "garbage as a report": "report(random.randbytes(100_000) + b'\\n')",
    "an unknown word": "report(b'\\x1b[31mhello \\x00\\xff\\n')",
    "an empty report": "report(b'\\n')",
    "an unfinished report": "err(mark + b'exit 0')",
    "a status that is none": "report(b'exit -1\\n')",
    "another status that is none": "report('exit ²\\n'.encode())",
    "a status that the kernel would cut": "report(b'exit 256\\n')",
    "a status of 33 bits": "report(b'exit 4294967296\\n')",
    "a status of 5,000 digits": "report(b'exit ' + b'1' * 5000 + b'\\n')",
    "wrong digests": "report(b'differs 755\\n644\\n%s  ./run.sh\\nother\\nlinks\\n"
    "dangling\\ntargets\\n' % (b'0' * 64))",
    "other digests": "report(b'differs 644\\n%064x  ./x\\n' % random.getrandbits(256))",
    "more for ever": "report(b'more\\n')",
    "missing for ever": "report(b'missing\\n')",
    "started again for ever": "report(b'rebooted x\\n')",
    "names that are none": "report(b'differs 644\\n%s  ./../../x\\nlinks\\n./\\n./a\\n"
    "dangling\\ntargets\\n' % (b'0' * 64))",
    "no sections": "report(b'differs links\\ntargets\\n')",
    "sections only": "report(b'scan \\n\\nlinks\\n\\ndangling\\n\\ntargets\\n\\n')",
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


@pytest.mark.parametrize("size", ["1" * 5000, "4294967296", "-1", "²"])
def test_sizes_that_are_none_are_errors(size: str, tmp_path: Path) -> None:
    source = tmp_path / "model"
    source.write_bytes(b"model")
    digest = hashlib.sha256(b"model").hexdigest()
    for report in (f"found {digest} {size}\n", f"short {size}\n"):
        site = place(f"report({report.encode()!r})", tmp_path).site()
        with pytest.raises(BuildtoolError):
            send_data(site, [DataFile("data/model", source, digest, 5)])


@pytest.mark.parametrize(
    ("lock", "holder"),
    [
        pytest.param(
            "7 99 0000-11 ann@laptop, process 5",
            "it was started by ann@laptop, process 5",
            marks=pytest.mark.long,
        ),
        ("7 99 0000-11 \x1b[31m" + "x" * 5000, r"it was started by \x1b[31mx"),
        pytest.param("7", "the device does not say by whom it was started", marks=pytest.mark.long),
        pytest.param("", "the device does not say by whom it was started", marks=pytest.mark.long),
    ],
)
def test_a_lock_that_is_never_released(
    lock: str,
    holder: str,
    release: Release,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(push, "LOCK_SECONDS", 0.7)
    remote = place(f"report({f'locked {lock}'.encode()!r} + bytes([10]))", tmp_path)
    notes: list[Event] = []
    for sends in (
        lambda: deploy(remote.ready(release, notes)),
        lambda: send_data(remote.site(notes), [DataFile("data/x", release.directory, "0", 1)]),
    ):
        begin = time.monotonic()
        with pytest.raises(DeviceError) as error:
            sends()
        assert time.monotonic() - begin < 10
        assert holder in str(error.value)
        assert len(str(error.value)) < 1500
    assert sum(isinstance(note, Note) for note in notes) == 2
    assert ("started by" in str(notes)) == ("it was started" in holder[:14])


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
