"""Values in files of this tool: they are read as they were written, or not at all.

A file has a checksum and a version, and the fields of the value by name.  How a field is read
follows from its type.  A class with `as_json` and `from_json` is kept as it says, and checks what
is read.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import read_checksummed, write_checksummed
from buildtool.core.value import Value

V = TypeVar("V", bound=Value)
_PLAIN = frozenset((str, int, bool))


def write_value(file: Path, value: Value, version: int) -> None:
    """Write `value` to `file`; raises `OSError`."""
    write_checksummed(file, {**_encoded(value), "version": version})


def read_value(file: Path, kind: type[V], version: int) -> V | None:
    """The value in `file`; None when there is none of this `version`, or a damaged one."""
    try:
        stored = read_checksummed(file)
        return _decoder(kind)(stored) if stored["version"] == version else None
    except (OSError, ArithmeticError, LookupError, ValueError, TypeError, RecursionError):
        return None
    except BuildtoolError:  # of a `from_json`
        return None


def _encoded(value: Any) -> Any:
    if isinstance(value, Value):
        if hasattr(value, "from_json"):
            return value.as_json()  # type: ignore[attr-defined]
        return {name: _encoded(field) for name, field in value._asdict().items()}
    if isinstance(value, tuple):
        return value if _is_plain(value) else [_encoded(each) for each in value]
    if isinstance(value, Mapping):  # of one type, so one value tells for thousands of files
        if _is_plain(next(iter(value.values()), None)):
            return dict(value)
        return {name: _encoded(each) for name, each in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    return str(value) if isinstance(value, Path) else value


def _is_plain(value: Any) -> bool:
    """Whether JSON has the value as it is."""
    if type(value) is tuple:
        return {*map(type, value)} <= _PLAIN or all(map(_is_plain, value))
    return type(value) in _PLAIN


@functools.cache
def _decoder(kind: Any) -> Callable[[Any], Any]:
    """What makes a value of the type `kind` of its JSON; raises built-in exceptions, and those of
    `from_json`."""
    origin, inner = get_origin(kind), [*map(_decoder, get_args(kind))]
    if kind in (Any, Ellipsis):
        return lambda data: data
    if origin is UnionType:  # X | None
        return lambda data: None if data is None else inner[0](data)
    if origin is tuple and _PLAIN.issuperset(get_args(kind)):
        kinds = [*get_args(kind)]
        return lambda row: tuple(_checked(list, row) if [*map(type, row)] == kinds else _wrong(row))
    if origin is tuple and Ellipsis not in get_args(kind):
        return lambda row: tuple(
            decode(each) for decode, each in zip(inner, _checked(list, row), strict=True)
        )
    if origin in (tuple, frozenset):
        return lambda rows: origin(map(inner[0], _checked(list, rows)))
    if origin is Mapping:
        return lambda rows: {name: inner[1](each) for name, each in _checked(dict, rows).items()}
    if hasattr(kind, "from_json"):
        return kind.from_json  # type: ignore[no-any-return]
    if issubclass(kind, Value):
        hints = get_type_hints(kind)
        fields = {name: _decoder(hints[name]) for name in kind._fields}
        return lambda row: kind(**{name: decode(row[name]) for name, decode in fields.items()})
    if kind is float:
        return lambda data: float(_checked((int, float), data))
    if kind is Path:
        return lambda data: Path(_checked(str, data))
    return functools.partial(_checked, kind)


def _wrong(data: Any) -> Any:
    raise TypeError(f"{str(data)[:80]} has another type")


def _checked(kind: type | tuple[type, ...], data: Any) -> Any:
    if not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool):
        _wrong(data)
    return data
