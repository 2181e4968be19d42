"""The base class of what tests start and must end, and interruptions at a certain moment."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self


class Stops(ABC):
    """A context manager that calls `stop` at its end."""

    @abstractmethod
    def stop(self) -> None:
        """End all processes."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


@contextlib.contextmanager
def when_made(file: Path, action: Callable[[], object]) -> Iterator[None]:
    """Do `action` in the block as soon as there is `file`."""
    ended = threading.Event()

    def watch() -> None:
        while not file.exists():
            if ended.wait(0.01):
                return
        action()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
