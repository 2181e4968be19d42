"""Names the functions and lines of calls that take long, while the program runs."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from buildtool.core.events import Listener, Note
from buildtool.core.lock import locked

POLL_SECONDS = 0.5
END_SECONDS = 2
"""How long DSP processes may report calls after the program has ended."""


def wait_for_reports(reports: Path) -> None:
    """Wait until no DSP process can add to the file `reports`: each keeps a lock on it, and reports
    the calls that were running when its program ended."""
    with contextlib.suppress(TimeoutError), locked(reports, timeout=END_SECONDS):
        pass


@contextlib.contextmanager
def name_long_calls(
    reports: Path, explain: Callable[[int], tuple[str, ...]], listener: Listener
) -> Iterator[None]:
    """During the block, pass on the explanations of the calls that DSP processes report in the file
    `reports`.  `explain` is called with the number of calls that were explained before."""
    ended = threading.Event()
    explained = 0

    def note() -> None:
        nonlocal explained
        for text in explain(explained):
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
