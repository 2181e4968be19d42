"""`buildtool devices status`: a table of all devices, which is live on a terminal.

On a terminal it has a screen of its own, which leaves what was there as it was.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.cli.options import Json
from buildtool.cli.show import print_json, show
from buildtool.cli.table import Table
from buildtool.core.errors import BuildtoolError
from buildtool.core.escape import escape
from buildtool.core.value import Value
from buildtool.device.configuration import ConfiguredDevice, device_of
from buildtool.device.errors import DeviceConnectionError
from buildtool.device.known_facts import remembered_facts
from buildtool.device.sharing import duration
from buildtool.device.status import DeviceStatus, LastRun, last_run, read_status
from buildtool.project.model import BUILT_IN_TARGET, Project

if TYPE_CHECKING:
    from buildtool.documents.devices import DevicesStatusDocument, DeviceStatusObject

LOOK_SECONDS = 0.25
"""How often the screen is brought up to date, and adapted to the size of the terminal."""
QUIT = "q\x04"  # also Ctrl-D


def status(*, json: Json = False) -> None:
    """Print what all devices are doing, who uses them, and what was deployed and tested there.

    On a terminal the table stays up to date until q is pressed. 'buildtool devices' is short for
    this command.
    """
    from buildtool.device.configuration import configured_devices
    from buildtool.project.read import find_optional_project

    project = find_optional_project(Path.cwd())
    name = project.name if project else ""
    watch = DeviceWatch(configured_devices(project), project)
    if json:
        document: DevicesStatusDocument = {"devices": [row.as_json() for row in watch.ask_once()]}
        print_json(document)
    elif sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        _live(watch, name)
    else:
        show(table_text(watch.ask_once(), name))


def _live(watch: DeviceWatch, project: str) -> None:
    """Show the table until q or Ctrl-C is pressed, or the process is to end."""
    from buildtool.core.processes.interrupts import held_interrupts

    # Held, so that nothing interrupts the restoring of the terminal.
    with held_interrupts() as interrupts, full_screen() as screen, interrupts.allowed():
        watch.start()
        with contextlib.suppress(EOFError):
            keys = ""
            while not set(keys) & set(QUIT):
                width = screen.size.columns
                hint = shortened(f"asked every {EVERY_SECONDS:g} s; q quits", width)
                screen.show(f"{table_text(watch.rows(), project, width)}\n\n{hint}")
                keys = screen.key(LOOK_SECONDS)
        watch.stop()


EVERY_SECONDS = 5.0
"""How long a device is left alone after it has answered."""
LIMIT_SECONDS = 12.0
"""After how long a device that has not answered is shown as unreachable."""
NOTHING_KNOWN = DeviceStatus(None, {})


class DeviceRow(Value):
    """A device, and what is known of it: its `state` as in `DeviceStatusObject`, "" before the
    first answer, and why it is that; `soc` and `arch` are remembered facts."""

    name: str
    transport: str
    soc: str = ""
    arch: str = ""
    last: LastRun | None = None
    state: str = ""
    why: str = ""
    status: DeviceStatus = NOTHING_KNOWN

    def as_json(self) -> DeviceStatusObject:
        last, holder = self.last, self.status.holder
        return {
            "name": self.name,
            "transport": self.transport,
            "state": self.state,
            "why": self.why,
            "holder": holder.as_json() if holder else None,
            "soc": self.soc,
            "arch": self.arch,
            "releases": [
                {"project": name, "deployment": id_} for name, id_ in self.status.releases.items()
            ],
            "last_test": last.as_json() if last else None,
        }


class DeviceWatch:
    """The rows of `devices` and `sim`, which several threads update until `stop`."""

    def __init__(self, devices: Mapping[str, ConfiguredDevice], project: Project | None) -> None:
        self._project = project
        self._rows = {BUILT_IN_TARGET: _sim()}
        self._rows |= {name: DeviceRow(name, each.transport) for name, each in devices.items()}
        self._asked = dict.fromkeys(devices, time.monotonic())
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=self._watch, args=(name, device), daemon=True)
            for name, device in devices.items()
        ]

    def rows(self) -> list[DeviceRow]:
        """The rows as they are now."""
        now = time.monotonic()
        return [
            row._replace(state="unreachable", why=f"no answer in {LIMIT_SECONDS:g} s")
            if now - self._asked.get(name, now) > LIMIT_SECONDS
            else row
            for name, row in self._rows.items()
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def ask_once(self) -> list[DeviceRow]:
        """The rows after each device was asked once, for at most `LIMIT_SECONDS`."""
        self._stopped.set()
        self.start()
        end = time.monotonic() + LIMIT_SECONDS
        for thread in self._threads:
            thread.join(max(end - time.monotonic(), 0))
        return self.rows()

    def stop(self) -> None:
        """Ask no more; what is under way ends with this process."""
        self._stopped.set()

    def _watch(self, name: str, configured: ConfiguredDevice) -> None:
        while True:
            self._rows[name] = self._ask(self._rows[name], configured)
            del self._asked[name]
            if self._stopped.wait(EVERY_SECONDS):
                return
            self._asked[name] = time.monotonic()

    def _ask(self, row: DeviceRow, configured: ConfiguredDevice) -> DeviceRow:
        try:
            device = device_of(row.name, configured, self._project)
            facts = remembered_facts(device)
            row = row._replace(
                soc=facts.soc if facts else "",
                arch=facts.arch if facts else "",
                last=last_run(device),
            )
            status = read_status(device)
        except BuildtoolError as error:
            state = "unreachable" if isinstance(error, DeviceConnectionError) else "unknown"
            return row._replace(state=state, why=error.message, status=NOTHING_KNOWN)
        state = "in-use" if status.holder else "free"
        return row._replace(state=state, why="", status=status)


def _sim() -> DeviceRow:
    from buildtool.device.emulated.socs import DEFAULT_SOC, find_soc

    soc = find_soc(DEFAULT_SOC)
    name = BUILT_IN_TARGET
    return DeviceRow(name, "emulated", soc.name, soc.arch, last_run(None), state="free")


HEADING = ("device", "transport", "state", "SoC", "arch", "release", "last test")
DROPPED = ("transport", "SoC", "arch", "last test", "release")
"""The columns that are left out of a narrow table, the first one first."""
MIN_STATE = 20
"""Columns of the text about the state for which others are left out."""
GAP = 2
DIGITS = 8
"""Digits of an id that are shown."""


def table_text(rows: Sequence[DeviceRow], project: str, width: int = 0) -> str:
    """The table of `rows`; the releases are those of `project` if it is not "".

    With a `width`, no line is longer: columns are left out, and texts are shortened.
    """
    cells = [[escape(cell) for cell in _cells(row, project)] for row in rows]
    heading = list(HEADING)
    if not width:
        return Table(heading, cells).text()
    for dropped in (*DROPPED, ""):
        left = _left_for_state(heading, cells, width)
        if left >= MIN_STATE:
            break
        if dropped:
            at = heading.index(dropped)
            for line in (heading, *cells):
                del line[at]
    at = heading.index("state")
    for row in cells:
        row[at] = shortened(row[at], max(left, 1))
    lines = Table(heading, cells).text().splitlines()
    return "\n".join(shortened(line, width) for line in lines)


def _left_for_state(heading: list[str], cells: list[list[str]], width: int) -> int:
    others = [at for at, name in enumerate(heading) if name != "state"]
    taken = sum(max(len(line[at]) for line in (heading, *cells)) + GAP for at in others)
    return width - taken


def _cells(row: DeviceRow, project: str) -> tuple[str, ...]:
    return (
        *(row.name, row.transport, _state(row), row.soc or "-", row.arch or "-"),
        *(_release(row, project), _last_test(row)),
    )


def _state(row: DeviceRow) -> str:
    if row.status.holder:
        return f"in use by {row.status.holder}"
    return f"{row.state}: {row.why}" if row.why else row.state or "asking …"


def _release(row: DeviceRow, project: str) -> str:
    releases = row.status.releases
    if project:
        return releases.get(project, "-")[:DIGITS]
    if not releases:
        return "-"
    name, id_ = next(iter(releases.items()))
    more = f" and {len(releases) - 1} more" if len(releases) > 1 else ""
    return f"{name} {id_[:DIGITS]}{more}"


def _last_test(row: DeviceRow) -> str:
    if not row.last:
        return "-"
    last = row.last
    result = f"{last.bad} of {last.tests} failed" if last.bad else f"{last.tests} passed"
    age = max(time.time() - last.ended, 0)
    ago = f"{age / 86400:.0f} days" if age >= 2 * 86400 else duration(age)
    return f"{result}, {ago} ago"


def shortened(text: str, width: int) -> str:
    """`text`, with "…" at its end if it is longer than `width`."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l"  # another screen, no cursor, long lines end at the border
LEAVE = "\x1b[?7h\x1b[?25h\x1b[?1049l"
LOCAL, CHARACTERS = 3, 6  # indices of the settings of a terminal


class FullScreen:
    """Text on the whole terminal, and the keys that are pressed there."""

    def __init__(self) -> None:
        self._shown: tuple[str, os.terminal_size] | None = None

    @property
    def size(self) -> os.terminal_size:
        return os.get_terminal_size(sys.stdout.fileno())

    def show(self, text: str) -> None:
        """Show `text` from the top; lines that do not fit are left out."""
        if self._shown == (text, self.size):
            return
        self._shown = (text, self.size)
        lines = text.splitlines()[: self.size.lines - 1]
        # Erased first: behind the last column, it would be the last letter.
        _write("\x1b[H" + "".join(f"\x1b[K{line}\n" for line in lines) + "\x1b[J")

    def key(self, seconds: float) -> str:
        """The keys that are pressed in the next `seconds`; "" for none.

        Raises `EOFError` when the terminal is gone.
        """
        if not select.select([0], [], [], seconds)[0]:
            return ""
        if not (data := os.read(0, 100)):
            raise EOFError
        return data.decode(errors="replace")


@contextlib.contextmanager
def full_screen() -> Iterator[FullScreen]:
    """The terminal that is standard input and output for the block, without echo and cursor."""
    before = termios.tcgetattr(0)
    settings = termios.tcgetattr(0)
    settings[LOCAL] &= ~(termios.ICANON | termios.ECHO)
    settings[CHARACTERS][termios.VSUSP] = b"\0"  # a stopped program would leave its screen there
    try:
        termios.tcsetattr(0, termios.TCSADRAIN, settings)
        _write(ENTER)
        yield FullScreen()
    finally:
        with contextlib.suppress(OSError):  # the terminal is gone
            _write(LEAVE)
        with contextlib.suppress(termios.error):
            termios.tcsetattr(0, termios.TCSADRAIN, before)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
