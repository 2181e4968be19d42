"""The commands as compositions of stages: each stage takes one value and returns the next."""

from buildtool.flow.benches import bench, sweep
from buildtool.flow.bisections import bisect
from buildtool.flow.devices import deploy, pull_sysroot, rollback, run, with_choice
from buildtool.flow.probes import probe
from buildtool.flow.targets import (
    build_release,
    clean,
    explain,
    last_build,
    make_plan,
    package,
    prepare_editors,
    project_lock,
    with_options,
)
from buildtool.flow.tests import device_session, list_tests, test

__all__ = [
    "bench",
    "bisect",
    "build_release",
    "clean",
    "deploy",
    "device_session",
    "explain",
    "last_build",
    "list_tests",
    "make_plan",
    "package",
    "prepare_editors",
    "probe",
    "project_lock",
    "pull_sysroot",
    "rollback",
    "run",
    "sweep",
    "test",
    "with_choice",
    "with_options",
]
