"""`buildtool probe [DEVICE]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json, Share, Soc, Wait, wait_seconds
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json, show, shows_colours, write
from buildtool.cli.table import Table
from buildtool.core.escape import escape
from buildtool.core.files import check_output_file, write_if_changed
from buildtool.engine.options import Options
from buildtool.flow import probes
from buildtool.project.read import find_optional_project

if TYPE_CHECKING:
    from buildtool.device.card import Card

EXAMPLES = (
    ("buildtool probe sim --soc SM8550", "The emulated device, as an SM8550."),
    ("buildtool probe q6a -o q6a.json", "A board; its card also in a file to share."),
)


def probe(
    device: Annotated[str, Argument("[DEVICE]", "Device to probe; default: sim.")] = "sim",
    *,
    output: Annotated[
        Path | None, Option("--output -o", "Write the card to FILE, too.", "FILE")
    ] = None,
    soc: Soc = "",
    wait: Wait = "",
    share: Share = False,
    json: Json = False,
) -> int:
    """Find out what a device's DSP really does.

    Builds, pushes and runs a program with known inputs, and compares what it finds with what
    libcdsprpc claims. The exit status is 1 if they disagree, or if the DSP cannot be used.

    The card is kept for `requires` of targets.
    """
    from buildtool.deploy.ready import DeviceChoice
    from buildtool.device.card import card_text

    choice = DeviceChoice(soc=soc, wait=wait_seconds(wait), share=share)
    if output:
        check_output_file("--output", output, "card.json")
    project = find_optional_project(Path.cwd())
    card, file = probes.probe(project, device, choice, Screen(quiet=True), Options())
    if output:
        write_if_changed(output.absolute(), card_text(card))
    if json:
        print_json({**card.as_json(), "file": str(file)})
    else:
        _show_card(card)
        show(f"card: {output or file}")
    return int(not card.ok)


def _show_card(card: Card) -> None:
    for rung in card.rungs:
        show(f"{'!' if rung.remedy else 'ok'} {rung.what}")
        if rung.remedy:
            show(f"  → {rung.remedy}")
    if not card.capabilities:
        return
    marks = {"ok": "ok", "absent": "-", "differs": "!", "untested": "?"}
    rows = [
        (marks[row.state], row.name, escape(row.claimed), escape(row.found))
        for row in card.capabilities
    ]
    heading, *lines = Table(("", "capability", "claimed", "found"), rows).text().splitlines()
    show(heading)
    for row, line in zip(card.capabilities, lines, strict=True):
        if row.state == "differs" and shows_colours(sys.stdout):
            write(f"\x1b[31m{line}\x1b[0m\n")
        else:
            show(line)
