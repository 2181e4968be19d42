"""The first finding after a failure: its cause, or what was excluded.

A failed run is recorded with it in the history of its project.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

from buildtool.core.history import RUNS, append_history
from buildtool.core.value import Described

if TYPE_CHECKING:
    from buildtool.deploy.ready import Ready
    from buildtool.project.model import Project
    from buildtool.run.on_device import RunResult


class FirstFinding(Described):
    """Why something failed.

    If no cause was found, `evidence` is a fault of the device of which the logs show nothing, or
    without a `name` the line that shows the failure.
    """

    name: Annotated[
        str, 'check, or condition of `buildtool explain`, that has the cause; "" for none'
    ]
    cause: Annotated[str, 'what caused the failure; "" if nothing shows it']
    evidence: Annotated[
        str, "line that shows it, after the name of its log; or a fault of the device"
    ]
    remedy: Annotated[str, "what to do"]
    excluded: Annotated[tuple[str, ...], "checks that found no fault, if no cause was found"] = ()

    def text(self) -> str:
        """The finding in some lines for people."""
        if self.cause:
            lines = [f"cause: {self.cause}", f"  {self.evidence}"]
        elif self.name:
            lines = [f"the output shows no cause, but {self.evidence}"]
        else:
            others = f"; without fault: {', '.join(self.excluded)}" if self.excluded else ""
            lines = [f"no cause was found{others}", f"  {self.evidence}"]
        return "\n".join([*lines, f"  → {self.remedy}"])


def finding_from_json(row: Any) -> FirstFinding:
    """The value whose `as_json` this is.  Raises `LookupError` and `TypeError`."""
    name, cause, evidence, remedy = (str(row[key]) for key in FirstFinding._fields[:4])
    return FirstFinding(name, cause, evidence, remedy, tuple(map(str, row["excluded"])))


def record_failed_run(project: Project, ready: Ready, result: RunResult) -> None:
    """Record a run of a program that failed, or during which the DSP process crashed."""
    from buildtool.diagnose.knowledge import BOARD, PHONE, SIM  # noqa: PLC0415 - after failures
    from buildtool.run.watched_run import crash_place  # noqa: PLC0415 - as above

    android = project.targets[result.target].platform == "android"
    emulated = ready.site.device.transport.direct
    line = {
        "started": round(time.time() - result.seconds, 3),
        "seconds": round(result.seconds, 3),
        "device": result.device,
        "kind": SIM if emulated else PHONE if android else BOARD,
        "soc": result.soc,
        "release": result.release,
        "run": result.run,
        "command": list(result.command),
        "status": result.status,
        "dsp_crash": result.dsp_crash,
        "crash": crash_place(result.crash_text),
        "finding": result.finding.as_json() if result.finding else None,
    }
    append_history(project.state, RUNS, line)
