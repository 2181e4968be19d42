"""The terminal of this process."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def restored_terminal() -> Iterator[None]:
    """Restore the settings of the terminal that is standard input, if it is one, after the block.

    A program that is killed leaves the terminal as it is: without echo, for example.
    """
    import termios  # noqa: PLC0415 - rarely needed

    try:
        before = termios.tcgetattr(0)
    except termios.error:
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):
            if termios.tcgetattr(0) != before:
                termios.tcsetattr(0, termios.TCSANOW, before)
