"""`buildtool probe`: run known inputs on a device's DSP, and write its capability card."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from buildtool.core.events import Listener, work
from buildtool.engine.options import Options
from buildtool.flow.preparation import lock_of, ready_on_device
from buildtool.project.model import BUILT_IN_TARGET, Project

if TYPE_CHECKING:
    from pathlib import Path

    from buildtool.deploy.ready import DeviceChoice
    from buildtool.device.board import Board
    from buildtool.device.card import Card
    from buildtool.device.device import Device
    from buildtool.measure.probe.probe import Probe


def probe(
    project: Project | None,
    device_name: str,
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
) -> tuple[Card, Path]:
    """Probe the device that `project`, or the user's devices.toml, calls `device_name`; returns its
    card, and the file in which it is kept.

    Raises `DeviceError` when the device cannot be reached, and when nothing can run there.
    """
    from buildtool.device.card import card_file, keep_card
    from buildtool.device.known_facts import remember_facts
    from buildtool.device.read_facts import read_facts_and_board
    from buildtool.measure.probe.probe import Probe, card_of, is_broken, probe_project, static_rungs
    from buildtool.testing.session import Session

    probed = probe_project()
    probed = probed._replace(tools=project.tools) if project else probed
    device = _device(probed, project, device_name, choice, listener)
    device.transport.connect()
    facts, board = read_facts_and_board(device)
    remember_facts(device, facts)
    rungs = static_rungs(facts, board, emulated=device.emulated is not None)
    card = card_of(device, facts, board, rungs)
    if not is_broken(rungs, facts):
        choice = choice._replace(target=facts.platform, force=not facts.arch)
        with contextlib.ExitStack() as stack:
            entered = ready_on_device(
                *(probed, device_name, choice, listener, options), device=device
            )
            ready, build = stack.enter_context(entered)
            lock = lock_of(ready.site.device, f"probe of {device_name}", choice, listener)
            stack.enter_context(lock)
            ready.hold(lock)
            session = Session(
                probed, ready, choice, build=build, options=options, lock=lock, directory="probe"
            )
            card = _probed(card, Probe(session, facts), board, listener)
    file = card_file(device)
    keep_card(file, card)
    return card, file


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
