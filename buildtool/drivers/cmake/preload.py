"""Load what is needed when a tool is done while it runs: otherwise a build would wait for it."""

from __future__ import annotations

import contextlib
import threading


def preload() -> None:
    """Begin to load what finds out what a step read, and checks what it made."""
    threading.Thread(target=_load, daemon=True).start()


def _load() -> None:
    with contextlib.suppress(Exception):  # it will come up again when it is needed
        import buildtool.drivers.cmake.tree_libraries  # noqa: F401, PLC0415
        from buildtool.core.elf import preload_elf_parser  # noqa: PLC0415
        from buildtool.toolchains.dsp_shells import known_shells  # noqa: PLC0415

        preload_elf_parser()
        known_shells()
