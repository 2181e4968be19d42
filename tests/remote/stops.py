"""The base class of what tests start and must end."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
