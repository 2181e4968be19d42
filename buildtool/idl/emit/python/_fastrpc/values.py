"""Values that callers pass to methods, beside those that the interface itself defines."""

from __future__ import annotations

from typing import NamedTuple


class DmaHandle(NamedTuple):
    """Memory that is shared with the DSP: a file descriptor, and a range in bytes."""

    fd: int
    offset: int
    length: int
