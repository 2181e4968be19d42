"""Results of steps that were never built, for tests of what comes before and after a build."""

from __future__ import annotations

from pathlib import Path

from buildtool.cache.outputs import read_outputs
from buildtool.engine.record import StepRecord
from buildtool.engine.result import StepOutcome, StepResult
from buildtool.inputs.path_sets import InputSet, PathSet
from buildtool.plan.plan import CMakeStep
from buildtool.sdk.packaged_tools import CMake

CMAKE = CMake(Path("/cmake"), Path("/ninja"), "4.4", "c" * 64)
NO_INPUTS = InputSet(PathSet(), {}, (), {})


def built(step: CMakeStep) -> StepResult:
    """The result of `step` as if it had built the content of its output directory."""
    record = StepRecord("a" * 64, NO_INPUTS, read_outputs(step.output), 0.0)
    return StepResult(step, StepOutcome.BUILT, record)
