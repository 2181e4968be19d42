"""Reads `buildtool.toml` into a `Project`; errors have file, line, key and a suggestion."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from buildtool.core.checksummed_json import read_checksummed, write_checksummed
from buildtool.core.errors import UsageError
from buildtool.core.safe_path import check_path
from buildtool.project.model import (
    BUILT_IN_TARGET,
    SECTIONS,
    STATE,
    Define,
    Header,
    Host,
    Key,
    Project,
    Run,
    Skel,
    Target,
    Tool,
    keys,
)
from buildtool.project.validate import suggest, violations

FILE_NAME = "buildtool.toml"
MAX_BYTES = 1 << 20
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_TYPE_NAMES = {str: "a string", bool: "true or false", int: "a number"}
TableType = TypeVar("TableType")


class NoProjectError(UsageError):
    """No project file was found."""

    code = "no-project"


class ProjectError(UsageError):
    """The project file is invalid.  `line` counts from 1; `key` is the dotted key."""

    code = "project"

    def __init__(self, message: str, *, file: Path, line: int, key: str = "", remedy: str) -> None:
        where = f"{file}:{line}" + (f": {key}" if key else "")
        super().__init__(f"{where}: {message}", remedy=remedy)
        self.file = file
        self.line = line
        self.key = key

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "file": str(self.file), "line": self.line}


def find_project(start: Path) -> Project:
    """The project of the directory `start`: its `buildtool.toml` or that of a parent directory.

    Raises `NoProjectError` if there is none, `ProjectError` if it is invalid.
    """
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return read_project(folder / FILE_NAME)
    raise NoProjectError(
        f"no {FILE_NAME} found",
        why=f"searched {start} and its parent directories",
        remedy="Change to a project's directory, or create one: buildtool init --template hvx",
    )


def read_project(file: Path) -> Project:
    """Read and validate a project file.

    Raises `ProjectError` if it is invalid, `UnsafePathError` for a directory whose name a tool
    would misread.
    """
    root = file.absolute().parent
    check_path(root, "the project")
    check_path(root / STATE, "the project's build trees")
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectError(
            f"cannot be read: {error}", file=file, line=1, remedy="Write it as UTF-8 text."
        ) from error
    if len(data) > MAX_BYTES:
        raise ProjectError("larger than 1 MiB", file=file, line=1, remedy="Reduce the file.")
    return _TableReader(file, text).project(_tables(file, text))


def parse_project(file: Path, text: str) -> Project:
    """The project that `file` would be with this text; raises the errors of `read_project`."""
    check_path(file.absolute().parent, "the project")
    import tomllib  # noqa: PLC0415 - only `init` needs it

    return _TableReader(file, text).project(tomllib.loads(text))


def _tables(file: Path, text: str) -> Mapping[str, Any]:
    """The tables of the project file.

    They are cached in the state directory: parsing TOML takes a third of the time of a build with
    nothing to do.
    """
    entry, digest = (
        file.parent / STATE / "state" / "project.json",
        hashlib.sha256(text.encode()).hexdigest(),
    )
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        known = read_checksummed(entry)
        if known["digest"] == digest:
            return dict(known["tables"])
    import tomllib  # noqa: PLC0415 - usually the tables are cached

    _check_keys(file, text)

    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also numbers with too many digits
        place = re.search(r"at line (\d+)", str(error))
        raise ProjectError(
            f"not TOML: {error}",
            file=file,
            line=int(place[1]) if place else max(1, len(text.splitlines())),
            remedy='The form of a key is: name = "value"',
        ) from error
    if entry.parent.is_dir():
        # JSON has no dates, which TOML has.
        with contextlib.suppress(OSError, TypeError, ValueError, RecursionError):
            write_checksummed(entry, {"digest": digest, "tables": tables})
    return tables


def _check_keys(file: Path, text: str) -> None:
    """Reject dotted keys with many parts: tomllib takes quadratic time for them."""
    part = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
    deep = rf"""(?<![\w"'.-])(?:{part}[ \t]*+\.[ \t]*+){{32}}"""
    if found := re.search(deep, text, re.ASCII):
        raise ProjectError(
            "a key has more than 32 parts",
            file=file,
            line=text.count("\n", 0, found.start()) + 1,
            remedy="The longest key has four parts: skel.NAME.defines.ENTRY",
        )


@functools.cache  # there may be many tables of one kind
def _keys(record: type[Any]) -> dict[str, tuple[Any, Key]]:
    return keys(record)


class _TableReader:
    def __init__(self, file: Path, text: str) -> None:
        self.file = file
        self.text = text

    def project(self, tables: Mapping[str, Any]) -> Project:
        self.known(tables, ["project", *SECTIONS], ())
        if "project" not in tables:
            raise self.error((), "has no [project] table", 'Add: [project]\nname = "my-project"')
        header = self.record(Header, tables["project"], ("project",))
        self.name(header.name, ("project", "name"))
        hosts = self.section(Host, "host", tables)
        skels = self.section(Skel, "skel", tables)
        targets = self.section(Target, "target", tables)
        if BUILT_IN_TARGET not in targets:
            archs = ("v68",) if any("v68" in skel.archs for skel in skels.values()) else ()
            targets[BUILT_IN_TARGET] = Target(platform="ubuntu-aarch64", archs=archs)
        tools = self.section(Tool, "tool", tables)
        runs = self.section(Run, "run", tables)
        root = self.file.absolute().parent
        project = Project(root, header, hosts, skels, targets, tools, runs)
        for key, message, remedy in violations(project):
            raise self.error(key, message, remedy)
        return project

    def section(
        self, record: type[TableType], kind: str, tables: Mapping[str, Any]
    ) -> dict[str, TableType]:
        table = tables.get(kind, {})
        if not isinstance(table, dict):
            raise self.error((kind,), "must be tables", f"Write [{kind}.NAME], then its keys.")
        records = {}
        for name, value in table.items():
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
            if type(value) is not hint:
                from buildtool.project.remedies import as_scalar  # noqa: PLC0415 - rarely needed

                remedy = as_scalar(at[-1], value, hint)
                raise self.error(at, f"must be {_TYPE_NAMES[hint]}", remedy)
            if hint is str:
                self.choice(value, at, key.choices)
            return value
        if typing.get_origin(hint) is tuple:
            if not isinstance(value, list) or any(type(item) is not str for item in value):
                from buildtool.project.remedies import as_list  # noqa: PLC0415 - rarely needed

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
        if not re.fullmatch(_NAME, name):
            raise self.error(
                at,
                f"{name!r} is not a valid name",
                "Use letters, digits, '.', '_' and '-'; start with a letter or digit.",
            )

    def error(self, at: tuple[str, ...], message: str, remedy: str) -> ProjectError:
        from buildtool.project.key_location import line_of  # noqa: PLC0415 - rarely needed

        return ProjectError(
            message,
            file=self.file,
            line=line_of(self.text, at),
            key=".".join(at),
            remedy=remedy,
        )
