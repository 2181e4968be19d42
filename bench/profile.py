"""The overhead of `run sim --profile` on a kernel with a hot loop: of samples, and of counts.

Processor time, which other load on the machine affects less than wall time.

make setup-tests; .venv/bin/python bench/profile.py
"""

from __future__ import annotations

import ctypes
import os
import resource
import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path

from measure import BUILDTOOL, as_installed, head, row, run

from buildtool.device.emulated.device import environment, packet_plugin, plugin_option, prepare
from buildtool.device.emulated.socs import find_soc

ROUNDS = 15
KERNEL = "dsp/src/my_project_dsp_imp.c"
PLACE = "    (void)handle;\n    if"
LOOP = """\
    for (unsigned round = 0, state = 1; round < 20000; round++)
        for (int j = 0; j < a_len; j++)
            *(volatile unsigned *)&state = (state ^ (uint16_t)a[j]) * 16777619u;
"""
PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Print the table."""
    # The DSP process is no child of the program: it becomes one of this process when it is left.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "my-project"
        root.mkdir()
        state, recorded = root / ".buildtool", root / "recorded"
        caller = as_installed()
        run([*BUILDTOOL, "init", "--template", "hvx"], root, caller)
        source = (root / KERNEL).read_text()
        (root / KERNEL).write_text(source.replace(PLACE, f"{LOOP}{PLACE}"))
        run([*BUILDTOOL, "run", "sim"], root, caller)
        device = prepare(state / "device" / "qcs6490", find_soc("QCS6490"), print)
        plugin, uncounted = packet_plugin(device)
        plain = {**caller, **environment(device), "BUILDTOOL_DSP_ARCH": "v68"}
        variables = {"nothing": plain, "samples": {**plain, "BUILDTOOL_SIM_PROFILE": str(recorded)}}
        if plugin:
            option = {"BUILDTOOL_SIM_PLUGIN": plugin_option(plugin, recorded)}
            variables["counts"] = {**plain, **option}
            variables["samples and counts"] = {**variables["samples"], **option}
        else:
            print(f"no counts: {uncounted}")
        times: dict[str, list[float]] = {what: [] for what in variables}
        for _ in range(ROUNDS):
            for what, given in variables.items():
                recorded.write_text("")
                times[what].append(_seconds(state / "release" / "sim", root, given))
        medians = {what: statistics.median(column) for what, column in times.items()}
        head("with", "without")
        for what in list(medians)[1:]:
            aim = "below 1.10" if what == "samples" else ""
            row(what, [medians[what], medians["nothing"]], aim)


def _seconds(release: Path, root: Path, variables: Mapping[str, str]) -> float:
    """The processor time of a run of the program and its DSP process."""
    before = _used()
    run([release / "run.sh", "bin/my-project"], root, variables)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return _used() - before


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
