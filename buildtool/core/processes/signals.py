"""Signals that end programs, and the exit statuses that stand for them."""

from __future__ import annotations

import signal

_VALID = frozenset(signal.valid_signals())


def signal_of(status: int) -> int:
    """The signal n that an exit status of 128+n stands for; 0 if it stands for none."""
    number = status - 128
    return number if number in _VALID else 0


def signal_name(number: int) -> str:
    """ "SIGSEGV", or "signal 35" for one without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
