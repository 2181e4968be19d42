"""`buildtool probe [DEVICE]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json, Share, Soc, Wait, check_excluded, wait_seconds
from buildtool.cli.parameters import Argument, Option, OptionGroup
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json, show, shows_colours, write
from buildtool.cli.table import Table
from buildtool.core.errors import UsageError
from buildtool.core.escape import escape
from buildtool.core.files import check_output_file, write_if_changed
from buildtool.engine.options import Options
from buildtool.flow import probes
from buildtool.project.read import find_optional_project

if TYPE_CHECKING:
    from buildtool.device.card import Card

ALL = "All DSPs"
EXAMPLES = (
    ("buildtool probe sim --soc SM8550", "The emulated device, as an SM8550."),
    ("buildtool probe q6a -o q6a.json", "A board; its card also in a file to share."),
    ("buildtool probe q6a --all --compare LAST", "Is anything lost since the last time?"),
)


class AllOptions(OptionGroup):
    """The options of `probe` for all DSPs of a device."""

    all_: Annotated[
        bool,
        Option(
            "--all",
            "Probe each DSP, in unsigned and in signed processes; crashes some of them.",
            heading=ALL,
        ),
    ] = False
    compare: Annotated[
        str,
        Option(
            "--compare",
            "Exit 1 if anything is lost since FILE (of -o), or LAST: the last time.",
            "LAST|FILE",
            heading=ALL,
        ),
    ] = ""
    markdown: Annotated[
        bool, Option("--markdown", "Print the result as Markdown, for a pull request.", heading=ALL)
    ] = False
    lava: Annotated[
        bool, Option("--lava", "Print a LAVA test case for each capability.", heading=ALL)
    ] = False
    junit: Annotated[
        Path | None,
        Option("--junit", "Write the capabilities as JUnit XML to FILE.", "FILE", heading=ALL),
    ] = None

    def check(self, *, json: bool) -> None:
        """Raise `UsageError` for options that do not belong together."""
        options = {
            "--compare": self.compare,
            "--markdown": self.markdown,
            "--lava": self.lava,
            "--junit": self.junit,
        }
        if not self.all_ and (given := next(filter(options.get, options), "")):
            raise UsageError(f"{given} is without --all", remedy=f"Add it: --all {given}")
        forms = {"--json": json, "--markdown": self.markdown, "--lava": self.lava}
        if len(both := list(filter(forms.get, forms))) > 1:
            raise UsageError(f"{both[1]} cannot be used with {both[0]}", remedy="Omit one of them.")
        if self.junit:
            check_output_file("--junit", self.junit, "results.xml")


def probe(
    device: Annotated[str, Argument("[DEVICE]", "Device to probe; default: sim.")] = "sim",
    *,
    output: Annotated[
        Path | None,
        Option("--output -o", "Write the card, or what --all finds, to FILE, too.", "FILE"),
    ] = None,
    signed: Annotated[
        bool, Option("--signed", "Probe in a signed process; the card is not kept.")
    ] = False,
    every: AllOptions = AllOptions(),
    soc: Soc = "",
    wait: Wait = "",
    share: Share = False,
    json: Json = False,
) -> int:
    """Find out what a device's DSP really does.

    Builds, pushes and runs a program with known inputs, and compares what it finds with what
    libcdsprpc claims. The exit status is 1 if they disagree, or if the DSP cannot be used.

    The card is kept for `requires` of targets. With --all, the result is kept for --compare.
    """
    from buildtool.deploy.ready import DeviceChoice
    from buildtool.device.card import card_text

    choice = DeviceChoice(soc=soc, wait=wait_seconds(wait), share=share)
    check_excluded("--signed", {"--all": signed and every.all_}, "--all probes both kinds")
    if output:
        check_output_file("--output", output, "card.json")
    every.check(json=json)
    project = find_optional_project(Path.cwd())
    if every.all_:
        from buildtool.cli.devices.probe_all import report

        found, comparison = probes.probe_all(
            *(project, device, choice, Screen(quiet=True), Options()), against=every.compare
        )
        return report(found, comparison, every, output, as_json=json)
    card, file = probes.probe(
        *(project, device, choice, Screen(quiet=True), Options()), signed=signed
    )
    if output:
        write_if_changed(output.absolute(), card_text(card))
    if json:
        print_json({**card.as_json(), "file": str(file)})
    else:
        _show_card(card)
        if output or not signed:
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
