"""What a program asked of the DSP, as the library between it and libcdsprpc has counted; and the
release that has this library.

`--expect-dsp` puts that library (device/arm64_code.py) into the release, in a directory of
its own on the device: it never ships.  Its file has the layout of device/calls/count_calls.c.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import struct
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

from buildtool.core.escape import escape
from buildtool.core.trees import make_directory
from buildtool.core.value import Described
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.device.facts import Facts
from buildtool.project.runs import MESSAGES, parse_count
from buildtool.release.slices import LIBRARIES, Release, ReleaseFile, ReleaseLink, in_slices

if TYPE_CHECKING:
    from buildtool.project.keys import Define
    from buildtool.project.model import Project

VARIABLE = "BUILDTOOL_DSP_CALLS"
"""The variable with the path of the file on the device."""
MAGIC = b"BTCALLS2"
MODULES, NAME_SIZE, ROWS = 32, 96, 512
_HEAD = struct.Struct("<8s8Q")
_ROW = struct.Struct("<6Q")
SIZE = _HEAD.size + MODULES * NAME_SIZE + ROWS * _ROW.size
LINK = "libcdsprpc.so"
"""The name by which programs load libcdsprpc at run time."""
MODE = 0o755


class DspMethod(Described):
    """The calls of a method of a skel."""

    skel: Annotated[str, 'file name of the skel; "unknown" for a handle of another library']
    method: Annotated[int, "number of the method in the IDL"]
    name: Annotated[str, 'name of the method; "" if it is unknown']
    calls: Annotated[int, "number of calls"]
    failed: Annotated[int, "calls that returned another code than 0"]
    seconds: Annotated[float, "time of all calls together, as the program sees it"]
    bytes_in: Annotated[int, "bytes of in buffers"]
    bytes_out: Annotated[int, "bytes of out buffers"]


class DspCalls(Described):
    """What a program and its children asked of the DSP."""

    opened: Annotated[int, "handles of skels that were opened"] = 0
    closed: Annotated[int, "handles that were closed"] = 0
    mapped: Annotated[int, "buffers that fastrpc_mmap has mapped"] = 0
    unmapped: Annotated[int, "buffers that fastrpc_munmap has unmapped"] = 0
    mapped_bytes: Annotated[int, "their sizes together"] = 0
    unmapped_bytes: Annotated[int, "their sizes together"] = 0
    queues: Annotated[int, "queues that dspqueue_create has created"] = 0
    messages: Annotated[int, "messages that were written to queues"] = 0
    methods: Annotated[tuple[DspMethod, ...], "a row for each method that was called"] = ()
    problem: Annotated[str, 'why this is not the expected use of the DSP; "" if it is'] = ""

    @property
    def successful(self) -> int:
        """The number of messages, and of calls that did not fail: a program goes on without the DSP
        after calls that did."""
        return self.messages + sum(method.calls - method.failed for method in self.methods)

    def lines(self) -> Iterator[str]:
        """What is to be said about them, for people."""
        if self.problem:
            yield self.problem
        for method in sorted(self.methods, key=lambda method: -method.seconds):
            name = method.name or f"method {method.method} of {method.skel}"
            failed = f", {method.failed:,} failed" if method.failed else ""
            yield (
                f"{name}: {method.calls:,} calls{failed}, {1000 * method.seconds:,.1f} ms,"
                f" {method.bytes_in:,} bytes in, {method.bytes_out:,} out"
            )
        if self.messages:
            yield f"{self.messages:,} messages in queues"
        if self.mapped > self.unmapped:
            left = _mib(self.mapped_bytes - self.unmapped_bytes)
            yield f"{self.mapped - self.unmapped} of {self.mapped} buffers not unmapped: {left}"
        if self.opened > self.closed:
            yield f"{self.opened - self.closed} of {self.opened} handles not closed"


def file_of_run(project: str, run: str) -> str:
    """The path on the device of the counts of a run, in the directory `project`."""
    return f"{project}/logs/{run}.calls"


def read_dsp_calls(device: Device, project: str, run: str) -> DspCalls:
    """The counts of a run that has ended, which are removed from the device; zeros if the program
    did not load the library.  Raises `DeviceError` when they are not complete.
    """
    path = file_of_run(project, run)
    data = device.exec('cat -- "$1" && rm -f -- "$1"', arguments=[path]).stdout
    calls = parse_dsp_calls(data) if data else DspCalls()  # it has not loaded libcdsprpc at all
    if calls is None:
        raise DeviceError(
            f"the calls of the DSP of this run on {device.name} are unknown",
            why=f"{path} is not complete; the disk may be full",
            remedy="Run it again, or omit --expect-dsp.",
        )
    return calls


def _mib(size: int) -> str:
    return f"{size / (1 << 20):,.1f} MiB"


def parse_dsp_calls(data: bytes) -> DspCalls | None:
    """The counts in the file; None if it is not one of the library."""
    if len(data) != SIZE or data[: len(MAGIC)] != MAGIC:
        return None
    _, *sums = _HEAD.unpack_from(data)
    methods = []
    for number in range(ROWS):
        key, calls, failed, nanoseconds, bytes_in, bytes_out = _ROW.unpack_from(
            data, SIZE - (ROWS - number) * _ROW.size
        )
        if key and calls:
            methods.append(
                DspMethod(
                    skel=_module(data, key >> 32),
                    method=(key & 0xFFFFFFFF) - 1,
                    name="",
                    calls=calls,
                    failed=failed,
                    seconds=nanoseconds / 1e9,
                    bytes_in=bytes_in,
                    bytes_out=bytes_out,
                )
            )
    return DspCalls(
        **dict(zip(DspCalls._fields, sums, strict=False)), methods=tuple(sorted(methods))
    )


def _module(data: bytes, number: int) -> str:
    if not 0 < number < MODULES:
        return "unknown"
    start = _HEAD.size + number * NAME_SIZE
    name = data[start : start + NAME_SIZE].partition(b"\0")[0]
    return escape(name.decode(errors="replace"))


def judged(project: Project, calls: DspCalls) -> DspCalls:
    """The calls with the names of the methods, as far as IDL files of the project have them, and
    with the problem, if they are not the use of the DSP that the project expects."""
    calls = _with_names(project, calls) if calls.methods else calls
    return calls._replace(problem=_problem(calls, project.header.expect_dsp))


def _problem(calls: DspCalls, expected: Mapping[str, Define]) -> str:
    for name, count in expected.items():
        found = calls.messages
        if name != MESSAGES:
            found = sum(each.calls - each.failed for each in calls.methods if each.name == name)
        if not parse_count(name, count).met_by(found):
            what = "messages in queues" if name == MESSAGES else f"successful calls of {name}"
            return f"{found:,} {what}, {count} expected"
    if expected:
        return ""
    setup = f"{_mib(calls.mapped_bytes)} mapped, {calls.opened} opened"
    if not calls.successful:
        failures = sum(method.failed for method in calls.methods)
        after = f", {failures:,} failed" if failures else ""
        return f"0 successful calls of the DSP{after}, {setup}"
    # The methods of a program with a queue connect the queue and ask for facts.
    if calls.queues and not calls.messages:
        return f"0 messages in {calls.queues} {'queue' if calls.queues == 1 else 'queues'}, {setup}"
    return ""


def _with_names(project: Project, calls: DspCalls) -> DspCalls:
    from buildtool.diagnose.method_names import method_names  # noqa: PLC0415 - it imports a parser

    named = []
    for method in calls.methods:
        names = method_names(project, method.skel, method.method)
        named.append(method._replace(name=names.name) if names else method)
    return calls._replace(methods=tuple(named))


@contextlib.contextmanager
def counted_release(
    release: Release,
    platform: str,
    facts: Facts,
    folder: Path,
    *,
    option: str = "--expect-dsp",
    added: Mapping[str, bytes | Path] = MappingProxyType({}),
) -> Iterator[Release]:
    """`release` with the library for the device with these `facts`, in a directory below `folder`
    for the block: the files of the release are links to the same files.  `option` is what asks for
    it.  It also has the files `added`, each with its content or with one that has it.
    Raises `DeviceError` when the device has no libcdsprpc, and the errors of running zig."""
    from buildtool.device.arm64_code import (  # noqa: PLC0415 - uses zig
        SONAMES,
        counting_library,
    )

    if not facts.cdsprpc.path:
        raise DeviceError(
            "calls of the DSP cannot be counted: the device has no libcdsprpc",
            remedy=f"Omit {option}, or install the library: buildtool devices check DEVICE",
        )
    library = counting_library(platform, facts.cdsprpc.path, option)
    added = {f"{LIBRARIES}/{SONAMES[platform]}": library, **added}
    files = [file for file in release.files if file.path not in added]
    links = [link for link in release.links if link.path != f"{LIBRARIES}/{LINK}"]
    if SONAMES[platform] != LINK:
        links.append(ReleaseLink(f"{LIBRARIES}/{LINK}", SONAMES[platform]))
    make_directory(folder)
    with tempfile.TemporaryDirectory(prefix="counted-", dir=folder) as temporary:
        directory = Path(temporary)
        for file in files:
            place = directory / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(release.directory / file.path, place)
            except OSError:  # another file system, or too many links
                shutil.copy2(release.directory / file.path, place)
        for path, content in added.items():
            (directory / path).parent.mkdir(exist_ok=True)
            if isinstance(content, Path):
                shutil.copyfile(content, directory / path)
            else:
                (directory / path).write_bytes(content)
            (directory / path).chmod(MODE)
            with (directory / path).open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            size = (directory / path).stat().st_size
            files.append(ReleaseFile(path, MODE, size, digest))
        slices = in_slices(files, links, release.archs)
        yield release._replace(directory=directory, slices=slices)
