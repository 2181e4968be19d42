"""The line of a failed run in the history of its project."""

from __future__ import annotations

import time

from buildtool.core.history import RUNS, append_history
from buildtool.deploy.ready import Ready
from buildtool.diagnose.knowledge import BOARD, PHONE, SIM
from buildtool.project.model import Project
from buildtool.run.on_device import RunResult


def record_failed_run(project: Project, ready: Ready, result: RunResult) -> None:
    """Record a run of a program that failed, or during which the DSP process crashed."""
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
        "finding": result.finding.as_json() if result.finding else None,
    }
    append_history(project.state, RUNS, line)
