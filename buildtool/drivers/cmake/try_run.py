"""The error for a configuration that needs the results of programs which run only on the device.

For a check of try_run() or check_*_source_runs(), CMake asks for cache entries with the results
when it cross-compiles.  CMake 3.25 crashes when it asks for those of check_*_source_runs(), after
it has created `TRY_RUN_RESULTS`.
"""

from __future__ import annotations

import re

from buildtool.core.processes.process import Completed, ToolError
from buildtool.drivers.cmake.tree_files import TRY_RUN_RESULTS
from buildtool.plan.plan import CMakeStep

_ASKS = r"(?i)try_run\(\) invoked in cross-compiling mode, [^\n]*\n((?: +\S+ \(advanced\)\n)+)"
_NAME = r"(\S+) \(advanced\)"
_CHECK = r"Performing Test (\w+)"


def try_run_failure(step: CMakeStep, done: Completed) -> ToolError | None:
    """The error if CMake failed because it needs such results; None for any other failure."""
    checks = re.findall(_CHECK, done.output)
    names = re.findall(_NAME, "".join(re.findall(_ASKS, f"{done.output}\n")))
    if done.status < 0 and (step.tree / TRY_RUN_RESULTS).is_file():
        names += checks[-1:]
    entries: dict[str, str] = {}
    for name in names:
        check = name.partition("_EXITCODE")[0]
        if check in checks:
            entries[check] = "true"
        else:
            entries[name] = '"…"' if name.endswith("__TRYRUN_OUTPUT") else "0"
    if not entries:
        return None
    table = "skel" if step.arch else "host"
    defines = ", ".join(f"{name} = {value}" for name, value in entries.items())
    return ToolError(
        f"configuring {step.summary} needs the result of a program that only a device can run",
        why="try_run() or check_*_source_runs() compiled it, and CMake has no value of"
        f" {', '.join(entries)}",
        remedy=f"Set what it returns on the device, here for a success: defines = {{ {defines} }}"
        f" in [{table}.{step.component}].",
    )
