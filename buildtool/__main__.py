"""The program: `buildtool`, and `python -m buildtool`."""

from __future__ import annotations

import gc
import os
import sys


def program() -> int:
    """Run the command line of this process; returns its exit status."""
    _use_utf8()
    # Most runs are short, and make little that is not needed to their end: a fifth of their time
    # would go into looking for it again and again, and once more at exit.
    gc.set_threshold(100_000)
    from buildtool.cli import main  # noqa: PLC0415

    status = main()
    gc.freeze()
    return status


def _use_utf8() -> None:
    """Begin again in Python's UTF-8 mode where the locale has another encoding.

    CMake, Ninja and compilers write names of files as UTF-8.  In a locale of ISO-8859-1, Python
    would look for other files: a header that changed would go unnoticed.
    """
    if sys.getfilesystemencoding() != "utf-8":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


if __name__ == "__main__":
    sys.exit(program())
