"""The checks of `[bench.NAME]`, `[metric.NAME]` and `[check.NAME]`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from buildtool.project.benches import SEED, Bench, Check
from buildtool.project.keys import Violation, file_violations, inside_violations
from buildtool.project.model import Project
from buildtool.project.runs import DURATION_FORM, program_violations, seconds
from buildtool.project.tables import NAME, suggest

MIN_REPEAT, MAX_REPEAT = 3, 100_000
MAX_WARMUP = 1000


def bench_violations(project: Project) -> Iterator[Violation]:
    """The problems of the benches, metrics and checks of `project`."""
    for name, metric in project.metrics.items():
        at = ("metric", name)
        if bool(metric.match) == bool(metric.json):
            yield at, "needs one of the keys 'match' and 'json'", "Say where the number is."
        if metric.match:
            yield from _expression((*at, "match"), metric.match, groups=1)
    for name, check in project.checks.items():
        yield from _check_violations(project.root, ("check", name), check)
    for name, bench in project.benches.items():
        if not bench.program:
            yield ("bench", name, "program"), "is empty", 'Name a program: "bin/demo".'
        yield from program_violations(("bench", name), bench)
        yield from _references(("bench", name), bench, project)
        if bench.output:
            yield from inside_violations(bench.output, ("bench", name, "output"))
        yield from _numbers(("bench", name), bench)


def _check_violations(root: Path, at: tuple[str, str], check: Check) -> Iterator[Violation]:
    kinds = (check.match, check.no_match, check.reference, check.program)
    if not any(kinds):
        remedy = "Add one of: match, no-match, reference, program"
        yield at, "checks nothing", remedy
    for key, text in (("match", check.match), ("no-match", check.no_match)):
        if text:
            yield from _expression((*at, key), text, groups=0)
    if "{" not in check.reference:  # a parameter
        yield from file_violations(root, check.reference, (*at, "reference"), "the right output")
    for key, number in (("absolute", check.absolute), ("relative", check.relative)):
        if not (math.isfinite(number) and number >= 0):
            yield (*at, key), "is not a tolerance", "Write a number that is not negative: 1e-3"


def _references(at: tuple[str, str], bench: Bench, project: Project) -> Iterator[Violation]:
    for key, names, section, known in (
        ("metrics", bench.metrics, "metric", project.metrics),
        ("checks", bench.checks, "check", project.checks),
    ):
        for name in names:
            if name not in known:
                yield (*at, key), f"there is no [{section}.{name}]", suggest(name, known)
    for name in bench.parameters:
        if name == SEED or not re.fullmatch(NAME, name):
            remedy = "Use letters, digits, '.', '_' and '-'; 'seed' is built in."
            yield (*at, "parameters"), f"{name!r} cannot be the name of a parameter", remedy
    grouped = (project.checks[name].match for name in bench.checks if name in project.checks)
    if bench.takes_seed and not bench.output and not any(map(_has_group, grouped)):
        remedy = (
            "Name the file that the program writes as output, or match what it prints: 'sum (.*)'"
        )
        yield at, "takes a seed, but nothing of its output is compared", remedy
    for name in bench.checks:
        if name in project.checks and project.checks[name].reference and not bench.output:
            remedy = 'Name the file that the program writes: output = "out.bin"'
            yield (*at, "output"), f"is missing, and [check.{name}] compares it", remedy


def _numbers(at: tuple[str, str], bench: Bench) -> Iterator[Violation]:
    for key, number, least, most in (
        ("repeat", bench.repeat, MIN_REPEAT, MAX_REPEAT),
        ("warmup", bench.warmup, 0, MAX_WARMUP),
    ):
        if not least <= number <= most:
            yield (*at, key), "is out of range", f"Write a number from {least} to {most:,}."
    if not 0 < bench.precision <= 1:
        yield (*at, "precision"), "is out of range", "Write a share: 0.02 for ±2 %"
    try:
        seconds(bench.limit)
    except ValueError as error:
        yield (*at, "limit"), str(error), DURATION_FORM


def _has_group(expression: str) -> bool:
    try:
        return re.compile(expression).groups > 0
    except (re.error, OverflowError, RecursionError):
        return True  # which is another problem


def _expression(at: tuple[str, ...], text: str, *, groups: int) -> Iterator[Violation]:
    try:
        found = re.compile(text).groups
    except (re.error, OverflowError, RecursionError) as error:
        yield at, f"is not a regular expression: {error}", "Use the syntax of Python's re module."
        return
    if found < groups:
        yield at, "has no group", "Put the number into parentheses: 'time ([0-9.]+) us'"
