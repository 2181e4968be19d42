"""The result of `buildtool bench`, as it is printed and kept."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.files import write_if_changed
from buildtool.core.trees import make_directory
from buildtool.core.value import Value
from buildtool.measure.comparison import CountDifference, MetricDifference
from buildtool.measure.result import BenchResult
from buildtool.project.model import Project

if TYPE_CHECKING:
    from buildtool.documents.measurements import BenchDocument, ComparisonDocument, SweepDocument

DIRECTORY = "bench"
"""Below `.buildtool`: the results, each in a file."""


class Against(Value):
    """What a release is compared with: a revision of the project, or the project in another
    directory; another target, or another build type.  Those that are "" are as they are."""

    revision: str = ""
    directory: str = ""
    target: str = ""
    build_type: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, self))


class Benched(Value):
    """The result of a bench, and of what it was compared with, if it was.

    `started` is in seconds since the epoch, `seconds` the wall time of all runs.  Both results are
    of `same_release`, which was not measured, if their files are equal.
    """

    name: str
    started: float
    seconds: float
    this: BenchResult
    against: str = ""
    other: BenchResult | None = None
    same_release: bool = False
    metrics: tuple[MetricDifference, ...] = ()
    counts: tuple[CountDifference, ...] = ()

    @property
    def ok(self) -> bool:
        return self.this.ok and (self.other is None or self.other.ok)

    def as_json(self, file: Path) -> BenchDocument | ComparisonDocument:
        """The document that is printed, and kept in `file`."""
        if self.other is None:
            alone: BenchDocument = {
                **self.this.as_json(),
                "bench": self.name,
                "started": round(self.started),
                "seconds": round(self.seconds, 3),
                "file": str(file),
            }
            return alone
        compared: ComparisonDocument = {
            "bench": self.name,
            "against": self.against,
            "same_release": self.same_release,
            "ok": self.ok,
            "started": round(self.started),
            "seconds": round(self.seconds, 3),
            "this": self.this.as_json(),
            "other": self.other.as_json(),
            "metrics": [difference.as_json() for difference in self.metrics],
            "counts": [difference.as_json() for difference in self.counts],
            "file": str(file),
        }
        return compared


class Swept(Value):
    """The results of a bench for several values of its parameters; the other fields as those of
    `Benched`."""

    name: str
    started: float
    seconds: float
    cells: tuple[tuple[Mapping[str, str], BenchResult], ...]

    @property
    def this(self) -> BenchResult:
        return self.cells[0][1]

    @property
    def ok(self) -> bool:
        return all(result.ok for _, result in self.cells)

    def as_json(self, file: Path) -> SweepDocument:
        """The document that is printed, and kept in `file`."""
        return {
            "bench": self.name,
            "ok": self.ok,
            "started": round(self.started),
            "seconds": round(self.seconds, 3),
            "cells": [
                {"parameters": dict(cell), "result": result.as_json()}
                for cell, result in self.cells
            ],
            "file": str(file),
        }


def keep(project: Project, benched: Benched | Swept) -> Path:
    """Keep the result in a new file below `.buildtool/bench`; returns its path."""
    directory = project.state / DIRECTORY
    moment = time.strftime("%Y%m%d-%H%M%S", time.localtime(benched.started))
    words = benched.name, benched.this.device, benched.this.soc, moment, secrets.token_hex(3)
    file = directory / f"{'-'.join(filter(None, words))}.json"
    make_directory(directory)
    write_if_changed(file, json.dumps(benched.as_json(file), indent=2) + "\n")
    return file
