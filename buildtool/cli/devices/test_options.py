"""Options of `buildtool test` about other services and the matrix of devices."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from buildtool.cli.parameters import Option, OptionGroup
from buildtool.core.errors import UsageError

SERVICES, MATRIX = "Other services", "Matrix"
"""Headings of help pages."""


class ExportOptions(OptionGroup):
    """The options of `test` for devices of other services."""

    export: Annotated[
        Path | None,
        Option(
            "--export",
            "Write the tests to DIR, from which they run on devices of a service.",
            "DIR",
            heading=SERVICES,
        ),
    ] = None
    service: Annotated[
        str,
        Option(
            "--for",
            "The service, and its names of the devices: google-device-run:ID,ID, qdc:CHIP or"
            " lava:TYPE.",
            "SERVICE:DEVICE",
            heading=SERVICES,
        ),
    ] = ""
    results: Annotated[
        Path | None,
        Option(
            "--import",
            "Report RESULTS, which the service has made of the export in DIR.",
            "RESULTS",
            heading=SERVICES,
        ),
    ] = None


class MatrixOptions(OptionGroup):
    """The options of `test` for a table of devices and suites."""

    markdown: Annotated[
        Path | None,
        Option(
            "--markdown",
            "Write matrix.md for a pull request, and logs, to DIR; with --on, each device runs all"
            " tests.",
            "DIR",
            heading=MATRIX,
        ),
    ] = None
    log_url: Annotated[
        str,
        Option(
            "--log-url",
            "URL where DIR will be, for links to logs; default: relative links.",
            "URL",
            heading=MATRIX,
        ),
    ] = ""

    def check(self) -> None:
        """Raise `UsageError` when the matrix cannot be written; changes nothing."""
        if self.log_url and not self.markdown:
            raise UsageError(
                "--log-url is without a matrix",
                why="it is where the directory of a matrix will be",
                remedy="Name the directory, too: --markdown matrix",
            )
        if self.markdown and os.path.lexists(self.markdown) and not self.markdown.is_dir():
            raise UsageError(
                f"--markdown {self.markdown}: it is not a directory",
                why="it gets matrix.md and the logs",
                remedy="Name a directory: --markdown matrix",
            )
