"""The program: `buildtool`, and `python -m buildtool`."""

from __future__ import annotations

import gc
import sys


def program() -> int:
    """Run the command line of this process; returns its exit status."""
    # Most runs are short, and make little that is not needed to their end: a fifth of their time
    # would go into looking for it again and again, and once more at exit.
    gc.set_threshold(100_000)
    from buildtool.cli import main  # noqa: PLC0415

    status = main()
    gc.freeze()
    return status


if __name__ == "__main__":
    sys.exit(program())
