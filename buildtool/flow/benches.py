"""`buildtool bench`: measure a program of a release on a device, alone or against another one."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.value import Value
from buildtool.engine.options import Options
from buildtool.engine.result import BuildResult
from buildtool.flow.preparation import lock_of, ready_on_device
from buildtool.project.model import BUILT_IN_TARGET, Project
from buildtool.project.tables import suggest
from buildtool.sdk.hexagon_simulator import HEXAGON_SIM

if TYPE_CHECKING:
    from buildtool.deploy.ready import DeviceChoice, Ready
    from buildtool.measure.comparison import Against, Benched, Swept
    from buildtool.measure.result import BenchResult
    from buildtool.measure.sample import Sampler

COUNTING = (BUILT_IN_TARGET, HEXAGON_SIM)
"""The devices that count something themselves."""


class Side(Value):
    """A project whose release is measured, with the options for it, in a directory of its own on
    the device."""

    project: Project
    choice: DeviceChoice
    directory: str


def bench(
    project: Project,
    device_name: str,
    name: str,
    *,
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
    against: Against | None = None,
    repeat: int = 0,
    margin: float | None = None,
) -> Benched:
    """Build, and measure the bench `name` on a device with at least `repeat` runs (0: as many as
    the bench says); with `against`, also what it names, in turn with this release.  With `margin`,
    what was measured and that many percent more are written into the project file as limits."""
    from buildtool.measure.comparison import Benched
    from buildtool.run.budget_names import check_budgets
    from buildtool.testing.ctest.tests import may_have_tests

    check_bench(project, name, emulated=device_name in COUNTING)
    check_budgets(project, None if may_have_tests(project) else ())
    with contextlib.ExitStack() as stack:
        sides = [Side(project, choice, "bench")]
        if against:  # what is wrong with it is said before anything is built
            found = stack.enter_context(_project_of(project, against, listener))
            sides.append(Side(found, _choice_of(choice, against), "against"))
        started, clock = time.time(), time.monotonic()
        results = measure_sides(
            *(project, name, device_name, sides),
            listener=listener,
            options=options,
            repeat=repeat,
            judge=None if device_name == HEXAGON_SIM else partial(_judged, margin=margin),
        )
        seconds = time.monotonic() - clock
    if len(results) == 1:
        return Benched(name, started, seconds, results[0])
    this, other = results
    benched = Benched(name, started, seconds, this, str(against), other)
    if this.deployment == other.deployment:
        return benched._replace(same_release=True)
    return _compared(benched, other)


def sweep(
    project: Project,
    device_name: str,
    name: str,
    cells: Sequence[Mapping[str, str]],
    *,
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
    repeat: int = 0,
) -> Swept:
    """Build, and measure the bench `name` on a device with the parameters of each of `cells`."""
    from buildtool.measure.comparison import Swept

    check_bench(project, name, emulated=device_name in COUNTING)
    started, clock = time.time(), time.monotonic()
    sides = [Side(project, choice, "bench")]
    results = []
    prepared = _samplers(project, name, device_name, sides, listener=listener, options=options)
    with prepared as samplers:
        for number, cell in enumerate(cells, 1):
            text = ", ".join(f"{key} {value}" for key, value in cell.items())
            listener(Note(f"{number} of {len(cells)}: {text}"))
            samplers[0].parameters |= cell
            results += _results(samplers, listener, repeat)
    return Swept(name, started, time.monotonic() - clock, tuple(zip(cells, results, strict=True)))


def measure_sides(
    project: Project,
    name: str,
    device_name: str,
    sides: Sequence[Side],
    *,
    listener: Listener,
    options: Options,
    repeat: int,
    judge: Callable[[Project, str, Sampler, BenchResult], BenchResult] | None = None,
) -> list[BenchResult]:
    """Build, and measure the bench `name` of `project` with the release of each of `sides`, in
    turn; without runs and numbers if two of them have the same files.  The first
    result is what `judge` makes of it."""
    from buildtool.measure.result import unmeasured_result

    prepared = _samplers(project, name, device_name, sides, listener=listener, options=options)
    with prepared as samplers:
        if len({sampler.place["deployment"] for sampler in samplers}) < len(samplers):
            return [unmeasured_result(sampler) for sampler in samplers]
        first, *others = _results(samplers, listener, repeat)
        return [judge(project, name, samplers[0], first) if judge else first, *others]


def _judged(
    project: Project,
    name: str,
    sampler: Sampler,
    result: BenchResult,
    *,
    margin: float | None,
) -> BenchResult:
    """The result with verdicts on the limits of the project; with `margin` these are written
    first."""
    from buildtool.run.budgets import (
        BudgetSubject,
        functions_of,
        judge,
        uses_of,
        uses_of_calls,
        wants_stack,
        with_stacks,
    )
    from buildtool.run.size_budgets import judge_sizes, sizes_of

    if not result.ok or not (project.budgets or margin is not None):
        return result
    where = f"{result.device} {result.soc} {result.arch}"
    emulated = bool(sampler.session.ready.site.device.emulated)
    subject = BudgetSubject(project, f"bench {name}", where, result.release, emulated=emulated)
    session = sampler.session
    counts = [each.counts._replace(exact=each.exact) for each in result.methods]
    if emulated and (wants_stack(project) or margin is not None):
        counts = [*with_stacks(counts, session.stacks(sampler.request))]
        methods = (
            each._replace(counts=each.counts._replace(stack=one.stack))
            for each, one in zip(result.methods, counts, strict=False)
        )
        result = result._replace(methods=tuple(methods))
    uses = uses_of({name}, counts) if emulated else {}
    if result.calls and not emulated:
        uses = uses_of_calls({name}, result.calls)
    if margin is not None:
        from buildtool.project.write_budgets import new_limits, write_limits

        sizes = sizes_of(session.ready.release)
        project = write_limits(project, new_limits(project.budgets, name, uses, sizes, margin))
        subject = subject._replace(project=project)

    def profile() -> Mapping[str, int]:
        return functions_of(session.profile(sampler.request))

    verdicts = judge(subject, {name}, uses, profile)
    of_skels = judge_sizes(project, session.ready.release)
    return result._replace(budgets=(*verdicts, *of_skels))


def _results(samplers: Sequence[Sampler], listener: Listener, repeat: int) -> list[BenchResult]:
    from buildtool.device.meters import metered, use_of
    from buildtool.measure.measurement import measure
    from buildtool.measure.result import bench_result

    device = samplers[0].device
    if device is None:
        measured = measure(samplers, emulated=True, listener=listener, repeat=repeat)
        return list(map(bench_result, samplers, measured))
    emulated = device.emulated is not None
    with metered(device, listener) as meters:
        measured = measure(samplers, emulated=emulated, listener=listener, repeat=repeat)
    return [
        _with_names(sampler.session.project, bench_result(sampler, samples))._replace(
            dsp=use_of(meters)
        )
        for sampler, samples in zip(samplers, measured, strict=True)
    ]


@contextlib.contextmanager
def _samplers(
    project: Project,
    name: str,
    device_name: str,
    sides: Sequence[Side],
    *,
    listener: Listener,
    options: Options,
) -> Iterator[list[Sampler]]:
    """Build what the device needs for each of `sides`, and take samples there for the block, in
    which the device is held."""
    if device_name == HEXAGON_SIM:
        from buildtool.flow.simulated_benches import check_choice, simulator_samplers

        check_choice(sides[0].choice)
        simulated = simulator_samplers(project, name, sides, listener=listener, options=options)
        with simulated as taken:
            yield taken
        return
    from buildtool.measure.sample import Sampler
    from buildtool.testing.session import Session, directory_of

    with contextlib.ExitStack() as stack:
        prepared: list[tuple[Ready, BuildResult]] = []
        for side in reversed(sides):  # the last build makes the release current here
            shared = prepared[0][0].site.device if prepared else None
            entered = ready_on_device(
                *(side.project, device_name, side.choice, listener, options), device=shared
            )
            prepared.insert(0, stack.enter_context(entered))
        purpose = f"bench {name} of {project.name}"
        device, choice = prepared[0][0].site.device, sides[0].choice
        lock = stack.enter_context(lock_of(device, purpose, choice, listener))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        samplers = []
        for side, (ready, build) in zip(sides, prepared, strict=True):
            ready.hold(lock)
            session = Session(
                *(side.project, ready, side.choice),
                build=build,
                options=options,
                lock=lock,
                directory=stack.enter_context(directory_of(ready, side.directory)),
            )
            samplers.append(Sampler(project, name, session, folder))
        yield samplers


def _compared(benched: Benched, other: BenchResult) -> Benched:
    from buildtool.measure.comparison import count_differences, metric_differences

    if not benched.ok:
        return benched
    return benched._replace(
        metrics=tuple(metric_differences(benched.this, other)),
        counts=tuple(count_differences(benched.this, other)),
    )


def _with_names(project: Project, result: BenchResult) -> BenchResult:
    from buildtool.diagnose.method_names import SkelMethods
    from buildtool.run.method_counts import with_names

    named = with_names(SkelMethods(project), (method.counts for method in result.methods))
    methods = zip(result.methods, named, strict=True)
    return result._replace(
        methods=tuple(method._replace(counts=counts) for method, counts in methods)
    )


def check_bench(project: Project, name: str, *, emulated: bool) -> None:
    """Raise `UsageError` unless the project has the bench `name`, and it can measure something on
    the device."""
    if name not in project.benches:
        known = suggest(name, project.benches) if project.benches else "Add [bench.NAME] to it."
        raise UsageError(
            f"there is no bench {name!r} in {project.root / 'buildtool.toml'}", remedy=known
        )
    if not emulated and not project.benches[name].metrics:
        raise UsageError(
            f"[bench.{name}] has no metrics",
            why="a device counts nothing by itself; only on sim, packets and instructions are"
            " counted",
            remedy='Say which number the program prints: metrics = ["time"], and [metric.time]',
        )


@contextlib.contextmanager
def _project_of(project: Project, against: Against, listener: Listener) -> Iterator[Project]:
    from buildtool.measure.revisions import checked_out

    if against.revision:
        with checked_out(project, against.revision, listener) as found:
            yield found
    elif against.directory:
        yield _project_in(project, Path(against.directory))
    else:
        yield project


def _project_in(project: Project, directory: Path) -> Project:
    from buildtool.project.read import read_project

    file = directory / "buildtool.toml"
    if not file.is_file():
        raise UsageError(
            f"--against-directory: there is no {file}", remedy="Name the directory of a project."
        )
    if directory.resolve() == project.root.resolve():
        raise UsageError(
            f"--against-directory: {directory} has the project that it would be compared with",
            remedy="Name the directory of another working tree.",
        )
    return read_project(file)


def _choice_of(choice: DeviceChoice, against: Against) -> DeviceChoice:
    return choice._replace(
        target=against.target or choice.target, build_type=against.build_type or choice.build_type
    )
