"""Show the warnings of a step when it is built, and again while it is up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.core.events import Warned
from buildtool.drivers.cmake.log_files import warnings_file
from buildtool.engine.build_trees import is_built
from buildtool.engine.context import BuildContext
from buildtool.engine.record import StepRecord
from buildtool.plan.files_step import FilesStep
from buildtool.plan.plan import Step

if TYPE_CHECKING:
    from buildtool.drivers.cmake.step_warnings import StepWarnings


def warnings_of(step: Step, context: BuildContext) -> StepWarnings:
    """The warnings of `step`, for a build of it."""
    from buildtool.drivers.cmake.step_warnings import StepWarnings  # noqa: PLC0415 - not for a no-op build

    file = warnings_file(context.state / "logs", step.name)
    return StepWarnings(lambda text: context.listener(Warned(step.name, text)), file)


def show_again(step: Step, record: StepRecord, context: BuildContext) -> None:
    """Show the warnings of the build that `record` describes, if the step's tree is still there."""
    file = warnings_file(context.state / "logs", step.name)
    if file.exists() and not isinstance(step, FilesStep) and is_built(step, record):
        from buildtool.drivers.cmake.step_warnings import show_kept  # noqa: PLC0415 - rarely needed

        show_kept(file, lambda text: context.listener(Warned(step.name, text)))
