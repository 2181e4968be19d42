"""Import modules that are needed after Ninja has run while it runs, to save the time later."""

from __future__ import annotations

import contextlib
import threading


def preload() -> None:
    """Start to import, in a thread, what finds a step's inputs and checks its products."""
    threading.Thread(target=_load, daemon=True).start()


def _load() -> None:
    with contextlib.suppress(Exception):  # the import raises it again when the module is used
        import buildtool.drivers.cmake.checks.runpath  # noqa: F401, PLC0415
        import buildtool.drivers.cmake.leftovers  # noqa: F401, PLC0415
        import buildtool.drivers.cmake.scan.absolute_names  # noqa: F401, PLC0415
        import buildtool.drivers.cmake.scan.input_scanner  # noqa: F401, PLC0415
        from buildtool.toolchains.system_libraries import known_shells  # noqa: PLC0415

        known_shells()
