"""Whether the build tree of a step is in the state that the step's record describes.

A step can be up to date or restored from a cache while its tree is missing, or is that of other
sources: only its outputs are kept.  What runs from the tree needs the tree itself.
"""

from __future__ import annotations

import contextlib

from buildtool.core.files import open_regular, value_digest, write_if_changed
from buildtool.drivers.cmake.tree_files import BUILT
from buildtool.engine.record import StepRecord
from buildtool.plan.plan import CMakeStep


def is_built(step: CMakeStep, record: StepRecord) -> bool:
    """Whether the tree has been built with the key and the inputs of `record`, and not changed by
    another build since."""
    try:
        with open_regular(step.tree / BUILT) as stream:
            return stream.read(100) == _digest(record).encode()
    except OSError:
        return False


def note_built(step: CMakeStep, record: StepRecord) -> None:
    """Note that the build that `record` describes has succeeded in the tree."""
    with contextlib.suppress(OSError):  # then the tree is built again when it is needed
        write_if_changed(step.tree / BUILT, _digest(record))


def _digest(record: StepRecord) -> str:
    return value_digest([record.key, record.inputs.as_json()])
