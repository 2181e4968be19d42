"""How often tests, and what prepares them, are tried when the connection to a device is lost."""

from __future__ import annotations

import time
from collections.abc import Callable

from buildtool.device.errors import DeviceConnectionError

TRIES = 3
PAUSE_SECONDS = 0.5
"""The pause before the second try; it is longer before later ones."""


def retried(action: Callable[[], object]) -> None:
    """Do `action`, and again when the connection is lost.

    Raises `DeviceConnectionError` when it is lost in every try.
    """
    for number in range(1, TRIES + 1):
        try:
            action()
        except DeviceConnectionError:
            if number == TRIES:
                raise
            time.sleep(PAUSE_SECONDS * number)
        else:
            return
