"""The base class of the steps of all kinds."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.inputs.roots import Roots
from buildtool.plan.named_roots import named_roots
from buildtool.toolchains.profile import Profile

if TYPE_CHECKING:
    from buildtool.documents.builds import StepObject


class ComponentStep(Value):
    """Make the outputs of one component for one profile.

    `arch` is None for the ARM64 side; `root` is the project's directory; `output` is the directory
    of the step's outputs.
    """

    name: str
    component: str
    arch: str | None
    profile: Profile
    root: Path
    output: Path

    @property
    @abstractmethod
    def source(self) -> Path:
        """The directory of the component's files."""

    @property
    def tree(self) -> Path:
        """The directory that the step works in."""
        return self.output

    @cached_property
    def roots(self) -> Roots:
        """Names for the directories that are elsewhere on another machine or in another clone."""
        return named_roots(self.root, self.tree, self.profile.places)

    def as_json(self) -> StepObject:
        return {
            "name": self.name,
            "component": self.component,
            "arch": self.arch,
            "profile": self.profile.name,
            "source": str(self.source),
            "tree": str(self.tree),
        }
