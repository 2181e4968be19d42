"""How often tests, and what prepares them, are tried when the connection to a device is lost."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import TypeVar

from buildtool.device.errors import DeviceConnectionError

TRIES = 3
PAUSE_SECONDS = 0.5
"""The pause before the second try; it is longer before later ones."""
T = TypeVar("T")


def pause(_: DeviceConnectionError, tries: int) -> None:
    """Wait before another try, if there is one."""
    if tries < TRIES:
        time.sleep(PAUSE_SECONDS * tries)


def retried(
    action: Callable[[], T],
    after_loss: Callable[[DeviceConnectionError, int], None] = pause,
    tries: int = TRIES,
) -> T:
    """The result of `action`, which is done again when the connection is lost, at most `tries`
    times.  Each time `after_loss` gets the error, and how many tries there were.

    Raises `DeviceConnectionError` when it is lost in every try.
    """
    for number in itertools.count(1):
        try:
            return action()
        except DeviceConnectionError as error:
            after_loss(error, number)
            if number == tries:
                raise
    raise AssertionError
