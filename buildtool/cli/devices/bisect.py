"""`buildtool bisect GOOD BAD [DEVICE]`."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import BuildOptions, DeviceOptions, Json, not_with_on
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json, show
from buildtool.core.errors import UsageError
from buildtool.flow import bisections
from buildtool.project.read import find_project

if TYPE_CHECKING:
    from buildtool.documents.runs import BisectDocument

MAX_RUNS = 10_000
EXAMPLES = (
    ("buildtool bisect v1.0 HEAD --test kernels", "The first commit in which that test fails."),
    ("buildtool bisect HEAD~60 HEAD q6a --bench matvec --fails-in 2/5", "A race, on a board."),
    ("buildtool bisect v1.0 HEAD --bench matvec --limit packets=12000", "The same for counts."),
)


def bisect(
    good: Annotated[str, Argument("GOOD", "A commit in which all is well.")],
    bad: Annotated[str, Argument("BAD", "A later one in which it is not.")],
    device: Annotated[str, Argument("[DEVICE]", "Device to run on; default: sim.")] = "sim",
    *,
    test: Annotated[
        str, Option("--test", "A commit is bad if TEST fails: a name or a glob.", "TEST")
    ] = "",
    bench: Annotated[
        str, Option("--bench", "A commit is bad if a check of [bench.BENCH] fails.", "BENCH")
    ] = "",
    limit: Annotated[
        str,
        Option(
            "--limit",
            "... or if a metric of the bench, or packets, instructions or hvx, is worse than"
            " NUMBER.",
            "NAME=NUMBER",
        ),
    ] = "",
    diverges: Annotated[
        Path | None,
        Option("--diverges", "A commit is bad if results of the calls in FILE differ.", "FILE"),
    ] = None,
    fails_in: Annotated[
        str,
        Option(
            "--fails-in",
            "It fails in K of N runs of bad commits: run as often as it takes to see that.",
            "K/N",
        ),
    ] = "",
    devices: DeviceOptions = DeviceOptions(),
    build: BuildOptions = BuildOptions(),
    json: Json = False,
) -> int:
    """Find the commit that made a test fail, or a bench wrong or slower.

    Commits are built in a worktree below .buildtool; your tree is not touched. Those that cannot be
    built are skipped. After Ctrl-C, the same command goes on. The exit status is 1 if several
    commits can be the first bad one, because others were skipped.
    """
    from buildtool.measure.revisions import subject_of

    if devices.on is not None:
        raise not_with_on("bisect")
    if bool(test) + bool(bench) + bool(diverges) != 1:
        raise UsageError(
            "bisect needs one of --test, --bench and --diverges",
            remedy="Say what fails: --test kernels",
        )
    recorded = str(diverges.absolute()) if diverges else ""
    if limit and not bench:
        raise UsageError("--limit is for --bench", remedy="Name the bench that has the metric.")
    metric, number = _limit(limit) if limit else ("", 0.0)
    runs = _runs(fails_in) if fails_in else 1
    question = bisections.Question(test, bench, metric, number, runs, recorded)
    project = find_project(Path.cwd())
    found = bisections.bisect(
        *(project, good, bad, device, question),
        choice=devices.choice(build),
        listener=Screen(quiet=True, verbose=build.verbose),
        options=build.for_engine(),
    )
    first, *others = (subject_of(project.root, commit) for commit in found.suspects)
    if json:
        document: BisectDocument = {
            "device": device,
            "found": not others,
            "suspects": list(found.suspects),
            "subject": first,
            "tried": [verdict.as_json() for verdict in found.tried],
        }
        print_json(document)
        return int(bool(others))
    for verdict in found.tried:
        subject = subject_of(project.root, verdict.commit)
        show(f"{verdict.outcome:<8}{subject} ({verdict.evidence})")
    if others:
        show(f"the first bad commit is one of {len(found.suspects)}, as the others were skipped:")
        for subject in (first, *others):
            show(f"  {subject}")
        return 1
    evidence = next(v.evidence for v in found.tried if v.commit == found.suspects[0])
    show(f"first bad commit: {first}")
    show(f"  {evidence}")
    return 0


def _limit(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        limit = float(number)
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise UsageError(
            f"--limit {text}: a limit has the form NAME=NUMBER",
            remedy="For example: --limit time=100",
        )
    return name, limit


def _runs(text: str) -> int:
    """The number of runs of a commit for the value of --fails-in."""
    from buildtool.measure.revisions import runs_to_see

    found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text, re.ASCII)
    if not found or not 0 < int(found[1]) <= int(found[2]):
        raise UsageError(
            f"--fails-in {text}: a share has the form K/N", remedy="For example: --fails-in 2/5"
        )
    runs = runs_to_see(int(found[1]), int(found[2]))
    if runs > MAX_RUNS:
        raise UsageError(
            f"--fails-in {text} needs {runs:,} runs of each commit",
            remedy="Make the failure more frequent first: with more threads, or smaller buffers.",
        )
    return runs
