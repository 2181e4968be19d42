"""Configures the build tree of a step and builds nothing."""

from __future__ import annotations

import time
from collections.abc import Mapping

from buildtool.core.events import StepFinished, StepStarted
from buildtool.core.value import Value
from buildtool.drivers.cmake.arguments import tool_environment
from buildtool.drivers.step_drivers import CMakeDriver
from buildtool.engine.context import BuildContext
from buildtool.engine.result import StepOutcome
from buildtool.plan.environment import PASSED_ON
from buildtool.plan.plan import CMakeStep


class ConfiguredTree(Value):
    """A configured build tree: the cache entries that CMake was given, and the environment
    variables besides those that are passed on from the caller."""

    step: CMakeStep
    cache: Mapping[str, str]
    environment: Mapping[str, str]


def configure_step(
    step: CMakeStep, needs: Mapping[str, str], context: BuildContext
) -> ConfiguredTree:
    """Configure the step's build tree if it is not up to date; `needs` are as those of
    `check_step`.  Raises as `execute_step` does."""
    started, outcome = time.monotonic(), "failed"
    context.listener(StepStarted(step.name, step.summary))
    driver, resources = CMakeDriver(step), context.resources
    try:
        fields = driver.make_ready(driver.key_fields(needs), resources)
        cache, ran = driver.configure(fields, resources)
        outcome = "configured" if ran else StepOutcome.UP_TO_DATE
    finally:
        context.listener(StepFinished(step.name, outcome, time.monotonic() - started))
    environment = tool_environment(step).items()
    own = {name: value for name, value in environment if name not in PASSED_ON}
    return ConfiguredTree(step, cache, own)
