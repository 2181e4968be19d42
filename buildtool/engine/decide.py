"""Whether there is anything to do for a step.  Most of the time there is not: what only a build
needs is not imported here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.value import Value
from buildtool.drivers.cmake.arguments import step_roots
from buildtool.engine.context import Building
from buildtool.engine.reasons import Reason, reasons
from buildtool.engine.record import Record, read_record, record_file
from buildtool.engine.result import BuiltStep
from buildtool.inputs.path_sets import observe
from buildtool.inputs.roots import RootError, Roots
from buildtool.plan.plan import CMakeStep
from buildtool.plan.step_key import step_fields, step_key
from buildtool.sdk.cmake import CMake

if TYPE_CHECKING:
    from buildtool.drivers.conan.install import Dependencies


class Judged(Value):
    """A step as it stands: its key, what was known of it, and why that is not enough."""

    step: CMakeStep
    cmake: CMake
    roots: Roots
    fields: dict[str, Any]
    record: Record | None
    reasons: tuple[Reason, ...]

    @property
    def key(self) -> str:
        return step_key(self.fields)


def judge(step: CMakeStep, building: Building, needs: Mapping[str, str]) -> Judged:
    """Look whether there is anything to do for `step`; starts no process.

    `needs` are the digests of what the steps made that it builds on.
    """
    cmake = building.cmake(step)
    roots = step_roots(step)
    packages, ready = _packages(step, cmake)
    fields = step_fields(step, cmake, roots, needs, packages)
    record = read_record(record_file(building.state, step))
    file_states = building.file_states
    try:
        now = observe(record.inputs.paths, roots, file_states) if record else None
    except RootError:  # of a tool that this project no longer uses
        now = record = None
    found = reasons(record, fields, now, step.output, file_states.state)
    if not found and (lost := _lost(step, ready, record)):
        found = (Reason("output", lost, new="missing"),)
    return Judged(step, cmake, roots, fields, record, found)


def nothing_to_do(judged: Judged) -> BuiltStep:
    """The result of a step that is as it was."""
    assert judged.record is not None
    return finished(judged, "up-to-date", judged.record, 0.0)


def finished(
    judged: Judged, outcome: str, record: Record, seconds: float, origin: str = ""
) -> BuiltStep:
    """The result of a step that `record` is now true of."""
    step = judged.step
    files = {output.path: step.output / output.path for output in record.outputs}
    files |= {name: Path(path) for name, path in record.runtime.items()}
    why = () if outcome == "up-to-date" else judged.reasons
    return BuiltStep(step, outcome, seconds, files, record.digest, why, origin)


def _packages(step: CMakeStep, cmake: CMake) -> tuple[str, Dependencies | None]:
    """What names all that Conan would read for the step now, and what it made ready the last
    time; none of it for a step without packages."""
    if not step.conan:
        return "", None
    from buildtool.drivers.conan.install import installed, packages_key  # noqa: PLC0415

    return packages_key(step, cmake), installed(step)


def _lost(step: CMakeStep, ready: Dependencies | None, record: Record | None) -> str:
    """A package, or a library that ships with the step, that somebody took away; else ""."""
    if step.conan and (not ready or not ready.toolchain.is_file() or ready.lost):
        return "what Conan made ready"
    libraries = record.runtime.values() if record else ()
    return next((path for path in libraries if not Path(path).is_file()), "")
