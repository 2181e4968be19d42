"""How a build uses the driver of a step, whatever the kind of the step; where its log is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from buildtool.core.events import Listener
from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.cache.outputs import Output
    from buildtool.inputs.file_states import FileStates
    from buildtool.inputs.path_sets import ReadInputs


class BuildResources(Value):
    """The resources that a driver uses in a build.

    `logs` is the directory of the steps' logs and warnings.  `token` is held while a tool runs,
    `environment` tells tools of the jobserver, and `token_lost` is called after a tool was killed.
    `compiler_launcher` is the one for this build, "" for the project's.
    """

    file_states: FileStates
    listener: Listener
    logs: Path
    token: Callable[[], AbstractContextManager[None]]
    environment: Mapping[str, str]
    token_lost: Callable[[], None]
    compiler_launcher: str = ""
    keep_going: bool = False


class RecordedBuild(Protocol):
    """A build of a step that has succeeded."""

    @property
    def build_digest(self) -> str:
        """The digest of its key and its inputs."""


class StepDriver(Protocol):
    """Makes the outputs of one step."""

    is_cached: bool
    """Whether caches keep the outputs."""

    def key_fields(self, needs: Mapping[str, str]) -> Mapping[str, Any]:
        """The fields of the step's key; `needs` are the digests of the outputs of the steps that it
        needs, by step.  Starts no process."""

    def lost(self) -> str:
        """The prerequisites that an earlier build made ready for the step and that are gone now, in
        words; "" for none."""

    def make_ready(self, fields: Mapping[str, Any], resources: BuildResources) -> Mapping[str, Any]:
        """Make ready what the step is built with, such as packages.  Returns the fields of its key,
        which may have changed."""

    def build(self, fields: Mapping[str, Any], resources: BuildResources) -> ReadInputs:
        """Fill the step's output directory; returns what was read."""

    def check(
        self, outputs: Sequence[Output], directory: Path, resources: BuildResources
    ) -> dict[str, str]:
        """Check outputs, built or restored, which are in `directory`; returns the libraries that
        must ship with them, as `StepRecord.runtime`."""

    def has_tree(self, build: RecordedBuild) -> bool:
        """Whether the step's build tree is there as `build` left it."""

    def note_tree(self, build: RecordedBuild) -> None:
        """Note that `build` has succeeded in the tree."""

    def show_warnings_again(self, build: RecordedBuild, resources: BuildResources) -> None:
        """Show the warnings of `build` if its tree is still there."""


def log_file(folder: Path, name: str) -> Path:
    """The path of the log of the step `name`: `skel/scale/v73` → `skel-scale-v73.log`."""
    return _file(folder, name, "log")


def warnings_file(folder: Path, name: str) -> Path:
    """The path of the warnings of the step `name`, see `StepWarnings`."""
    return _file(folder, name, "warnings")


def _file(folder: Path, name: str, suffix: str) -> Path:
    return folder / f"{name.replace('/', '-')}.{suffix}"
