"""Reads the clocks of a device while a program runs there."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

from buildtool.device.clocks import Clocks, parse_clocks
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.device.script import script

EVERY_SECONDS = 1.0
END_SECONDS = 5.0
Samples = list[tuple[int, Clocks]]


@contextlib.contextmanager
def sampled(device: Device) -> Iterator[Samples]:
    """In the block, samples are added to the list: the time here in nanoseconds of CLOCK_MONOTONIC,
    in the middle of the exchange, and the clocks.  There are none of this machine, nor of a device
    that does not answer."""
    samples: Samples = []
    if device.transport.direct:
        yield samples
        return
    end = threading.Event()

    def sample() -> None:
        with contextlib.suppress(DeviceError):
            while not end.wait(EVERY_SECONDS):
                before = time.monotonic_ns()
                text = device.exec(script("clocks")).stdout.decode(errors="replace")
                samples.append(((before + time.monotonic_ns()) // 2, parse_clocks(text)))

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        end.set()
        thread.join(END_SECONDS)
