"""How a class describes the keys of a table of a TOML file: each field has a type and a `Key`."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Annotated, Any

from buildtool.core.value import Value

Strings = tuple[str, ...]
Define = str | bool | int
NO_DEFINES: Mapping[str, Define] = {}


class Key(Value):
    """A key: its meaning, and the values that it accepts, if not all.

    A list may contain a value twice if it `repeats`.
    """

    doc: str
    choices: tuple[str, ...] = ()
    repeats: bool = False


# Keys of everything that runs a program on a device.
Args = Annotated[Strings, Key("its arguments", repeats=True)]
Env = Annotated[Mapping[str, Define], Key("environment variables that it gets")]
Cwd = Annotated[str, Key("its working directory in the release; default: the top")]


def keys(record: Any) -> dict[str, tuple[Any, Key]]:
    """The type and the key of each field of `record`, by the field's name."""
    hints = typing.get_type_hints(record, include_extras=True)
    return {name: (hint.__origin__, hint.__metadata__[0]) for name, hint in hints.items()}
