"""Names the functions and lines of calls that take long, while the program runs."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.events import Listener, Note
from buildtool.core.lock import locked

if TYPE_CHECKING:
    from buildtool.project.model import Project

POLL_SECONDS = 0.5
END_SECONDS = 2
"""How long DSP processes may report calls after the program has ended."""


def wait_for_reports(reports: Path) -> None:
    """Wait until no DSP process can add to the file `reports`: each keeps a lock on it, and reports
    the calls that were running when its program ended."""
    with contextlib.suppress(TimeoutError), locked(reports, timeout=END_SECONDS):
        pass


def explain_long_calls(project: Project, debug: Path, reports: Path) -> tuple[str, ...]:
    """A text for each call that is reported in the file `reports` because it takes long; `debug`
    has the debug information of the release."""
    from buildtool.diagnose import explain_crash  # noqa: PLC0415 - only after such a report

    return explain_crash.explain_long_calls(project, debug, reports)


@contextlib.contextmanager
def named_long_calls(
    project: Project, debug: Path, reports: Path, listener: Listener
) -> Iterator[None]:
    """During the block, pass on the explanations of the calls that DSP processes report in the file
    `reports`."""
    ended = threading.Event()
    explained = 0

    def note() -> None:
        nonlocal explained
        for text in explain_long_calls(project, debug, reports)[explained:]:
            explained += 1
            listener(Note(text))

    def follow() -> None:
        size = 0
        while not ended.wait(POLL_SECONDS):
            if reports.stat().st_size != size:
                size = reports.stat().st_size
                note()

    follower = threading.Thread(target=follow, daemon=True)
    follower.start()
    try:
        yield
    finally:
        ended.set()
        follower.join()
        wait_for_reports(reports)
        if reports.stat().st_size:
            note()
