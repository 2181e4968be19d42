"""The base class of IDL types."""

from __future__ import annotations

import abc
from typing import Any

NULL = None
"""The address of an empty sequence."""


class Keep:
    """Keeps the memory of a call alive until its end."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def __call__(self, value: Any) -> Any:
        self._kept.append(value)
        return value


class Type(abc.ABC):
    """How the values of one IDL type are represented in C.

    `c_type` is the type of one of them as an element of a sequence.
    """

    c_type: Any

    @abc.abstractmethod
    def to_c(self, value: Any, keep: Keep) -> Any:
        """The C value of `value`."""

    def room(self, like: Any, keep: Keep) -> Any:
        """A C value with room for the results of a value whose sizes are those of `like`."""
        return self.c_type()

    @abc.abstractmethod
    def from_c(self, value: Any) -> Any:
        """The value of a C value; it shares no memory with it."""

    def members(self, name: str) -> list[tuple[str, Any]]:
        """The members of a C struct that a member of this type becomes."""
        return [(name, self.c_type)]

    def spread(self, value: Any) -> tuple[Any, ...]:
        """The values of these members for a C value."""
        return (value,)

    def gather(self, *members: Any) -> Any:
        """The opposite of `spread`."""
        return members[0]
