"""How far a transfer is, in words."""

from __future__ import annotations


def progress(done: int, size: int, rate: float) -> str:
    """ "812 of 2,048 MB, 45.3 MB/s, 27 s left": sizes in bytes, `rate` in bytes a second; without a
    size, which is 0 if it is unknown, "812 MB, 45.3 MB/s"."""
    if not size or rate <= 0:
        return f"{done / 1e6:,.0f} MB, {rate / 1e6:,.1f} MB/s"
    left = int((size - done) / rate)
    time_left = f"{left // 60} min {left % 60} s" if left >= 60 else f"{left} s"
    return f"{done / 1e6:,.0f} of {size / 1e6:,.0f} MB, {rate / 1e6:,.1f} MB/s, {time_left} left"
