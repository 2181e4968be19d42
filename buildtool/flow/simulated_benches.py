"""`buildtool bench hexagon-sim`: what is built for the SDK's simulator."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.core.events import Listener
from buildtool.deploy.ready import DeviceChoice
from buildtool.device.facts import CDSP
from buildtool.engine.options import Options
from buildtool.flow.preparation import with_choice
from buildtool.flow.targets import open_release
from buildtool.measure.sample import Sampler
from buildtool.measure.simulator import SimulatorSampler
from buildtool.project.model import Project, find_target
from buildtool.sdk.hexagon_simulator import HEXAGON_SIM, find_simulator

if TYPE_CHECKING:
    from buildtool.flow.benches import Side


@contextlib.contextmanager
def simulator_samplers(
    project: Project, name: str, sides: Sequence[Side], *, listener: Listener, options: Options
) -> Iterator[list[Sampler]]:
    """Build the releases of `sides`, and take samples of the bench `name` in the simulator for the
    block.  Raises `UsageError`, `ToolMissingError` and `ToolUnfitError`."""
    samplers: list[Sampler] = []
    with contextlib.ExitStack() as stack:
        for side in reversed(sides):  # the last build makes the release current here
            target = side.choice.target or side.project.header.default_target
            archs = find_target(side.project, target).archs
            simulator = find_simulator(side.project.tool("hexagon-sdk"), archs)
            wanted = with_choice(side.project, target, side.choice)
            with open_release(wanted, target, listener, options, stack) as (_, release, _):
                pass
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            samplers.insert(0, SimulatorSampler(project, name, simulator, release, folder))
        yield samplers


def check_choice(choice: DeviceChoice) -> None:
    """Raise `UsageError` for options that mean nothing in the simulator."""
    kept = {name: getattr(choice, name) for name in ("target", "build_type", "strict_isa")}
    kept |= {name: getattr(choice, name) for name in ("force", "wait", "share")}
    if choice != DeviceChoice(**kept, domain=choice.domain) or choice.domain not in ("", CDSP):
        raise UsageError(
            f"{HEXAGON_SIM} takes no options about a device",
            why="it simulates a DSP without a device around it",
            remedy="Omit --soc, --domain, --signed, --expect-dsp and --trace.",
        )
