"""A screen of its own on the terminal, which is left as it was."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
from collections.abc import Iterator

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l"  # another screen, no cursor, long lines end at the border
LEAVE = "\x1b[?7h\x1b[?25h\x1b[?1049l"
LOCAL, CHARACTERS = 3, 6  # indices of the settings of a terminal


class FullScreen:
    """Text on the whole terminal, and the keys that are pressed there."""

    def __init__(self) -> None:
        self._shown: tuple[str, os.terminal_size] | None = None

    @property
    def size(self) -> os.terminal_size:
        return os.get_terminal_size(sys.stdout.fileno())

    def show(self, text: str) -> None:
        """Show `text` from the top; lines that do not fit are left out."""
        if self._shown == (text, self.size):
            return
        self._shown = (text, self.size)
        lines = text.splitlines()[: self.size.lines - 1]
        # Erased first: behind the last column, it would be the last letter.
        _write("\x1b[H" + "".join(f"\x1b[K{line}\n" for line in lines) + "\x1b[J")

    def key(self, seconds: float) -> str:
        """The keys that are pressed in the next `seconds`; "" for none.

        Raises `EOFError` when the terminal is gone.
        """
        if not select.select([0], [], [], seconds)[0]:
            return ""
        if not (data := os.read(0, 100)):
            raise EOFError
        return data.decode(errors="replace")


@contextlib.contextmanager
def full_screen() -> Iterator[FullScreen]:
    """The terminal that is standard input and output for the block, without echo and cursor."""
    before = termios.tcgetattr(0)
    settings = termios.tcgetattr(0)
    settings[LOCAL] &= ~(termios.ICANON | termios.ECHO)
    settings[CHARACTERS][termios.VSUSP] = b"\0"  # a stopped program would leave its screen there
    try:
        termios.tcsetattr(0, termios.TCSADRAIN, settings)
        _write(ENTER)
        yield FullScreen()
    finally:
        with contextlib.suppress(OSError):  # the terminal is gone
            _write(LEAVE)
        with contextlib.suppress(termios.error):
            termios.tcsetattr(0, termios.TCSADRAIN, before)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
