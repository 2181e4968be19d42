"""Options of `buildtool test` about other services and the matrix of devices."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from buildtool.cli.parameters import Option, OptionGroup

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
