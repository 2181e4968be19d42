"""Reads the tables of TOML files into values; errors have file, line, key and a suggestion.

The suggestion is the closest known name, or the user's value, corrected.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
import typing
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from buildtool.core.errors import UsageError
from buildtool.core.files import digest_of, read_checksummed, write_checksummed
from buildtool.project.keys import Define, Key, keys

if TYPE_CHECKING:
    from buildtool.documents.builds import ErrorObject

MAX_BYTES = 1 << 20
MAX_FLOAT = 1 << 53
NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
MAX_NAME = 100
_TYPE_NAMES = {str: "a string", bool: "true or false", int: "a number", float: "a number"}
TableType = TypeVar("TableType")
_BARE = {bool: "true|false", int: r"\d{1,9}"}  # strings that are values of these types
SHOWN = 20
"""Known names that an error lists."""

# Regular expressions that only errors need are not compiled here.
_HEADER = r"\s*\[\[?\s*(?P<path>[^\]]+?)\s*\]\]?\s*(?:#.*)?$"
_KEY = r"""\s*(?P<path>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""
_PART = r"""[\w-]+|"[^"]*"|'[^']*'"""


class TomlError(UsageError):
    """A TOML file is invalid.  `line` counts from 1; `key` is the dotted key."""

    def __init__(self, message: str, *, file: Path, line: int, key: str = "", remedy: str) -> None:
        where = f"{file}:{line}" + (f": {key}" if key else "")
        super().__init__(f"{where}: {message}", remedy=remedy)
        self.file = file
        self.line = line
        self.key = key

    def as_json(self) -> ErrorObject:
        return {**super().as_json(), "file": str(self.file), "line": self.line}


def read_toml(file: Path, error_type: type[TomlError]) -> str:
    """The text of a TOML file of at most 1 MiB; raises an error of that type."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise error_type(
            f"cannot be read: {error}", file=file, line=1, remedy="Write it as UTF-8 text."
        ) from error
    if len(data) > MAX_BYTES:
        raise error_type("larger than 1 MiB", file=file, line=1, remedy="Reduce the file.")
    return text


def parse_tables(
    file: Path, text: str, cached: Path | None, error_type: type[TomlError]
) -> Mapping[str, Any]:
    """The tables of the TOML file `file`, which contains `text`.

    They are cached in the file `cached`, if it is given and its directory exists: parsing TOML
    takes a third of the time of a build with nothing to do.  Raises an error of that type.
    """
    digest = digest_of(text.encode())
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        known = read_checksummed(cached) if cached else {}
        if known["digest"] == digest:
            return dict(known["tables"])
    import tomllib  # noqa: PLC0415 - usually the tables are cached

    _check_keys(file, text, error_type)
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also numbers with too many digits
        place = re.search(r"at line (\d+)", str(error))
        raise error_type(
            f"not TOML: {error}",
            file=file,
            line=int(place[1]) if place else max(1, len(text.splitlines())),
            remedy='The form of a key is: name = "value"',
        ) from error
    if cached and cached.parent.is_dir():
        # JSON has no dates, which TOML has.
        with contextlib.suppress(OSError, TypeError, ValueError, RecursionError):
            write_checksummed(cached, {"digest": digest, "tables": tables})
    return tables


def _check_keys(file: Path, text: str, error_type: type[TomlError]) -> None:
    """Reject dotted keys with many parts: tomllib takes quadratic time for them."""
    part = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
    deep = rf"""(?<![\w"'.-])(?:{part}[ \t]*+\.[ \t]*+){{32}}"""
    if found := re.search(deep, text, re.ASCII):
        raise error_type(
            "a key has more than 32 parts",
            file=file,
            line=text.count("\n", 0, found.start()) + 1,
            remedy="The longest key has four parts, such as skel.NAME.defines.ENTRY",
        )


@functools.cache  # there may be many tables of one kind
def _keys(record: type[Any]) -> dict[str, tuple[Any, Key]]:
    return keys(record)


class TableReader:
    """Reads the tables of `file`, which contains `text`; raises errors of the type `error_type`."""

    def __init__(self, file: Path, text: str, error_type: type[TomlError]) -> None:
        self.file = file
        self.text = text
        self.error_type = error_type

    def section(
        self, record: type[TableType], kind: str, tables: Mapping[str, Any], names: str = ""
    ) -> dict[str, TableType]:
        """The tables `[kind.NAME]` as records, by name, which may be what `names` matches."""
        table = tables.get(kind, {})
        if not isinstance(table, dict):
            raise self.error((kind,), "must be tables", f"Write [{kind}.NAME], then its keys.")
        records = {}
        for name, value in table.items():
            if not (names and re.fullmatch(names, name)):
                self.name(name, (kind, name))
            records[name] = self.record(record, value, (kind, name))
        return records

    def record(self, record: type[TableType], table: Any, at: tuple[str, ...]) -> TableType:
        """Check `table` against the keys of `record`, and create the record."""
        if not isinstance(table, dict):
            raise self.error(at, "must be a table", f"Write [{'.'.join(at)}], then its keys.")
        known = _keys(record)  # type: ignore[arg-type]  # a class is hashable
        self.known(table, [name.replace("_", "-") for name in known], at)
        values = {}
        for field, (kind, key) in known.items():
            name = field.replace("_", "-")
            if name in table:
                values[field] = self.value(kind, table[name], (*at, name), key)
            elif field not in record._field_defaults:  # type: ignore[attr-defined]  # a Value
                raise self.error(at, f"lacks the key {name!r}", f"Add: {name} = … ({key.doc})")
        return record(**values)

    def value(self, hint: Any, value: Any, at: tuple[str, ...], key: Key) -> Any:
        if hint in _TYPE_NAMES:
            if hint is float and type(value) is int and abs(value) < MAX_FLOAT:
                return float(value)
            if type(value) is not hint:
                remedy = as_scalar(at[-1], value, hint)
                raise self.error(at, f"must be {_TYPE_NAMES[hint]}", remedy)
            if hint is str:
                self.choice(value, at, key.choices)
            return value
        if typing.get_origin(hint) is tuple:
            if not isinstance(value, list) or any(type(item) is not str for item in value):
                raise self.error(
                    at, "must be a list of strings", as_list(at[-1], value, key.choices)
                )
            for item in value:
                self.choice(item, at, key.choices)
            if len(set(value)) != len(value) and not key.repeats:
                raise self.error(at, "has duplicate values", "Remove the duplicates.")
            return tuple(value)
        if not isinstance(value, dict):
            raise self.error(at, "must be a table", 'Write: { NAME = "value" }')
        for name, item in value.items():
            if type(item) not in typing.get_args(Define):
                raise self.error(
                    (*at, name), "must be a string, a number, true or false", f"It is {item!r}."
                )
            for part in (name, item):
                if isinstance(part, str):
                    self.choice(part, (*at, name), ())
        return dict(value)

    def choice(self, value: str, at: tuple[str, ...], choices: Iterable[str]) -> None:
        choices = list(choices)
        if "\0" in value or "\n" in value:
            raise self.error(at, "contains a line break or a NUL", "Write it on one line.")
        if choices and value not in choices:
            raise self.error(at, f"unknown value {value!r}", suggest(value, choices))

    def known(self, table: Mapping[str, Any], names: Iterable[str], at: tuple[str, ...]) -> None:
        names = list(names)
        for name in table:
            if name not in names:
                raise self.error((*at, name), "unknown key", suggest(name, names))

    def name(self, name: str, at: tuple[str, ...]) -> None:
        if len(name) > MAX_NAME:
            message = f"the name has {len(name):,} characters"
            raise self.error(at, message, f"Use {MAX_NAME} or fewer: files are named after it.")
        if not re.fullmatch(NAME, name):
            raise self.error(
                at,
                f"{name!r} is not a valid name",
                "Use letters, digits, '.', '_' and '-'; start with a letter or digit.",
            )

    def error(self, at: tuple[str, ...], message: str, remedy: str) -> TomlError:
        return self.error_type(
            message,
            file=self.file,
            line=line_of(self.text, at),
            key=".".join(at),
            remedy=remedy,
        )


def suggest(name: str, names: Iterable[str]) -> str:
    """A remedy for an unknown name: the closest known name, and the list of names.

    Names with different numbers are never close: v79 is not a misspelling of v67.
    """
    import difflib  # noqa: PLC0415 - rarely needed

    names = list(names)
    numbers = _numbers_in(name)
    alike = [each for each in names if not numbers or _numbers_in(each) in ([], numbers)]
    close = difflib.get_close_matches(name, alike, n=1, cutoff=0.5)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    known = f"Known: {', '.join(names[:SHOWN])}{more}."
    return f"Did you mean {close[0]!r}? {known}" if close else known


def _numbers_in(name: str) -> list[str]:
    return re.findall(r"\d+", name)


def as_list(name: str, value: Any, choices: Sequence[str]) -> str:
    """The remedy for the key `name`, which takes a list of strings but has `value`.

    `choices` are the accepted strings, if not all.
    """
    items = value if isinstance(value, list) else [value]
    if choices and isinstance(value, str):  # "v68, v73" as well as "v68"
        items = re.split(r"[\s,;]+", value)
    texts = [str(item) for item in items if type(item) in (str, int)]
    wrong = len(texts) < len(items) or bool(choices and not set(texts) <= set(choices))
    if wrong:
        texts = [*choices[:2]] or ["a", "b"]
    known = f". Known: {', '.join(choices)}." if wrong and choices else ""
    return f"Write: {name} = [{', '.join(map(_quoted, texts))}]{known}"


def as_scalar(name: str, value: Any, kind: type) -> str:
    """The remedy for the key `name`, which takes a value of `kind` but has `value`."""
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    if kind is str and type(value) in (str, int):
        return f"Write: {name} = {_quoted(str(value))}"
    if isinstance(value, str) and kind in _BARE and re.fullmatch(_BARE[kind], value):
        return f"Write: {name} = {value}"
    return f"It is {value!r}."


def _quoted(text: str) -> str:
    """`text` as a TOML string."""
    return json.dumps(text, ensure_ascii=False)


def line_of(text: str, path: tuple[str, ...]) -> int:
    """The line (from 1) where `path` is set in `text`, or of the nearest enclosing table.

    For a key inside an inline table or a multi-line value, the line where that value starts.
    """
    best_line, best_depth = 1, 0
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(_HEADER, line):
            table = here = _parts(header["path"])
        elif entry := re.match(_KEY, line):
            here = table + _parts(entry["path"])
        else:
            continue
        depth = len(here)
        if depth > best_depth and path[:depth] == here:
            best_line, best_depth = number, depth
        elif depth > len(path) > best_depth and here[: len(path)] == path:
            best_line, best_depth = number, len(path)
    return best_line


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_PART, path))
