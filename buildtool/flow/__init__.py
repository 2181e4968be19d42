"""The commands as compositions of stages: each stage takes one value and returns the next.

`benches`, `bisections` and `probes` are not imported here: each `build` would pay for that.
"""

from buildtool.flow.devices import deploy, pull_sysroot, rollback, run_program
from buildtool.flow.preparation import with_choice
from buildtool.flow.targets import (
    build_release,
    clean,
    count_compilations,
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
    "build_release",
    "clean",
    "count_compilations",
    "deploy",
    "device_session",
    "explain",
    "last_build",
    "list_tests",
    "make_plan",
    "package",
    "prepare_editors",
    "project_lock",
    "pull_sysroot",
    "rollback",
    "run_program",
    "test",
    "with_choice",
    "with_options",
]
