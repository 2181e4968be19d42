"""`buildtool probe`: run known inputs on a device's DSP, and write its capability card; with
`--all` on all its DSPs, and compare what was found with what was there before."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.events import Listener, work
from buildtool.core.value import Value
from buildtool.engine.options import Options
from buildtool.flow.preparation import lock_of, ready_on_device
from buildtool.project.model import BUILT_IN_TARGET, Project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildtool.deploy.ready import DeviceChoice
    from buildtool.device.board import Board
    from buildtool.device.card import Card
    from buildtool.device.device import Device
    from buildtool.device.facts import Facts
    from buildtool.measure.probe.losses import Comparison
    from buildtool.measure.probe.probe import Probe
    from buildtool.measure.probe.qualify import Qualification, Row
    from buildtool.testing.session import Session


def probe(
    project: Project | None,
    device_name: str,
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
    *,
    signed: bool = False,
) -> tuple[Card, Path]:
    """Probe the device that `project`, or the user's devices.toml, calls `device_name`; returns its
    card, and the file in which it is kept: not that of a `signed` process.

    Raises `DeviceError` when the device cannot be reached, and when nothing can run there.
    """
    from buildtool.device.card import card_file, keep_card
    from buildtool.device.known_facts import remember_facts
    from buildtool.device.read_facts import read_facts_and_board
    from buildtool.measure.probe.probe import Probe, card_of, is_broken, static_rungs

    opened = _opened(project, device_name, choice, listener, options)
    device = opened.device
    facts, board = read_facts_and_board(device)
    remember_facts(device, facts)
    rungs = static_rungs(facts, board, emulated=device.emulated is not None)
    card = card_of(device, facts, board, rungs)
    if not is_broken(rungs, facts):
        with opened.session(facts) as session:
            card = _probed(card, Probe(session, facts, signed=signed), board, listener)
    file = card_file(device)
    if not signed:
        keep_card(file, card)
    return card, file


def probe_all(
    project: Project | None,
    device_name: str,
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
    *,
    against: str = "",
) -> tuple[Qualification, Comparison | None]:
    """Probe all DSPs of a device, and compare what is found with the file `against`, or with what
    was found last there; raises as `probe` does, and `UsageError` if there is nothing of the kind.
    """
    from buildtool.device.known_facts import remember_facts
    from buildtool.device.read_facts import read_facts_board_and, shells_of_all
    from buildtool.measure.probe import losses
    from buildtool.measure.probe.probe import is_broken, static_rungs
    from buildtool.measure.probe.qualify import (
        SCRIPT,
        Process,
        blank,
        fastrpc_test_rows,
        processes,
    )

    before = losses.read_file(Path(against)) if against not in ("", losses.LAST) else None
    opened = _opened(project, device_name, choice, listener, options)
    device = opened.device
    before = losses.last_of(device) if against == losses.LAST else before
    facts, board, parts = read_facts_board_and(device, SCRIPT, {"shells": shells_of_all()})
    remember_facts(device, facts)
    rungs = static_rungs(facts, board, emulated=device.emulated is not None)
    found = blank(device, facts, board, parts, rungs)
    if before:
        losses.check_same_kind(before, found, against)
    if not is_broken(rungs, facts):
        with (
            opened.session(facts) as session,
            work(f"probing {device.name}", listener) as shown,
        ):
            rows: list[Row] = []
            for which in processes(facts):
                rows += Process(session, facts, *which).rows(shown)
                rows += fastrpc_test_rows(session.ready.site.device, facts, *which)
            found = found._replace(rows=tuple(rows), release=session.ready.release.id)
    losses.keep(device, found)
    return found, losses.compare(before, found) if before else None


class _Opened(Value):
    """A device to which there is a connection, and the project that is built for probes."""

    project: Project
    device: Device
    choice: DeviceChoice
    listener: Listener
    options: Options

    @contextlib.contextmanager
    def session(self, facts: Facts) -> Iterator[Session]:
        """A session in which the checks run on the device, which is locked meanwhile."""
        from buildtool.testing.session import Session

        name, listener, options = self.device.name, self.listener, self.options
        choice = self.choice._replace(target=facts.platform, force=not facts.arch)
        with contextlib.ExitStack() as stack:
            entered = ready_on_device(
                *(self.project, name, choice, listener, options), device=self.device
            )
            ready, build = stack.enter_context(entered)
            lock = lock_of(ready.site.device, f"probe of {name}", choice, listener)
            stack.enter_context(lock)
            ready.hold(lock)
            yield Session(
                *(self.project, ready, choice),
                build=build,
                options=options,
                lock=lock,
                directory="probe",
            )


def _opened(
    project: Project | None, name: str, choice: DeviceChoice, listener: Listener, options: Options
) -> _Opened:
    from buildtool.measure.probe.probe import probe_project

    probed = probe_project()
    probed = probed._replace(tools=project.tools) if project else probed
    device = _device(probed, project, name, choice, listener)
    device.transport.connect()
    return _Opened(probed, device, choice, listener, options)


def _probed(card: Card, found: Probe, board: Board, listener: Listener) -> Card:
    """`card` with what `found` finds out."""
    with work(f"probing {card.device}", listener) as shown:
        card = card._replace(rungs=(*card.rungs, found.load()))
        if found.arch:
            rows = found.capabilities(board, shown)
            card = card._replace(capabilities=tuple(rows), release=found.release)
    return card


def _device(
    probed: Project,
    project: Project | None,
    name: str,
    choice: DeviceChoice,
    listener: Listener,
) -> Device:
    from buildtool.deploy.ready import device_for, target_on
    from buildtool.device.configuration import open_device

    if name != BUILT_IN_TARGET:
        device = open_device(name, project, wait=choice.wait, listener=listener)
        target_on(probed, name, choice._replace(target="android"), device)  # no --soc
        return device
    from buildtool.device.emulated.device import PLATFORM

    return device_for(probed, name, PLATFORM, choice, listener)
