"""Values that commands print: each key is described where the value has its field.

The schemas in docs/json are made of these descriptions, which nothing evaluates at run time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from buildtool.core.value import Value


class Described(Value):
    """A value whose fields with a description, `Annotated[…]`, are the keys of a JSON object."""

    def as_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {key: _plain(getattr(self, key)) for key in described_keys(type(self))}


def described_keys(kind: type[Described]) -> dict[str, str]:
    """The keys of the object with their annotations, those of base classes first."""
    return {
        key: annotation
        for cls in reversed(kind.__mro__)
        for key, annotation in getattr(cls, "__annotations__", {}).items()
        if annotation.startswith("Annotated[")
    }


def _plain(value: Any) -> Any:
    """A field as JSON has it."""
    if isinstance(value, Value):
        return value.as_json() if hasattr(value, "as_json") else value._asdict()
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return value.__fspath__() if hasattr(value, "__fspath__") else value
