"""Finds secrets, and removes them from text.

Secrets are the values of variables whose names say so, and passwords in URLs.  They are removed
wherever they occur, also in the forms that JSON, TOML and URLs give them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import quote, unquote

from buildtool.core.kept_output import Kept
from buildtool.core.value import Value

MASK = b"***"
SHORTEST = 4
"""Characters of the shortest secret that is removed from text: a shorter one would remove half of
the text."""
COMMON = frozenset({"true", "false", "none", "null", "auto", "always", "never", "default"})
"""Values of settings, which are no secrets although the name of the variable looks like one."""
_NAMES = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|_PWD$|KEY(?!BOARD)|CREDENTIAL|AUTH(?!OR)|COOKIE|PRIVATE",
    re.IGNORECASE,
)
_USER = rb"[^\s/@'\"<>\\]"
_URL_USER = re.compile(rb"(?<=://)%s++(?=@)" % _USER)
_CUT_URL_USER = re.compile(rb"(?<=://)%s*+\Z" % _USER)
_REST_OF_URL_USER = re.compile(rb"\A%s*+(?=@)" % _USER)
_URL_PASSWORD = re.compile(r"://[^\s/@:]*:([^\s/@]+)@")
_TOML_VALUE = re.compile(
    r"""(?<![\w-])([\w-]++)["']?[ \t]*+=[ \t]*+(?:"((?:[^"\\\n]|\\.)*+)"|'([^'\n]*+)')"""
)


def is_secret(name: str, further: Collection[str] = ()) -> bool:
    """Whether the value of the variable or option `name` is a secret; `further` are other names
    of such variables."""
    return name in further or _NAMES.search(name.replace("-", "_")) is not None


def variable_secrets(variables: Mapping[str, str], further: Collection[str]) -> Iterator[str]:
    """The secrets in variables."""
    for name, value in variables.items():
        if is_secret(name, further):
            yield value
        yield from _URL_PASSWORD.findall(value)


def argument_secrets(arguments: Sequence[str], further: Collection[str]) -> Iterator[str]:
    """The secrets in `--api-key VALUE`, `--api-key=VALUE` and `API_KEY=VALUE`."""
    for argument, following in pairwise([*arguments, ""]):
        name, equals, value = argument.partition("=")
        if is_secret(name, further):
            yield value if equals else following if name.startswith("-") else ""
        yield from _URL_PASSWORD.findall(argument)


def toml_secrets(text: str, further: Collection[str]) -> Iterator[str]:
    """The secrets in the text of a TOML file."""
    for name, basic, literal in _TOML_VALUE.findall(text):
        if is_secret(name, further):
            yield basic or literal


class Redactor(Value):
    """Removes `secrets`, the longest first."""

    secrets: tuple[bytes, ...]

    def clean(self, data: bytes, *, begins: bool = True, ends: bool = True) -> bytes:
        """`data` without secrets.

        It is a part of a text, which `begins` or `ends` there: where it was cut off, the rest of a
        secret is removed too.
        """
        for secret in self.secrets:
            data = data.replace(secret, MASK)
        data = _URL_USER.sub(MASK, data)
        if not begins:
            data = data[max((_overlap(s, data, len(s) - 1) for s in self.secrets), default=0) :]
            data = _REST_OF_URL_USER.sub(MASK, data)
        if not ends:
            cut = max((_overlap(data, s, len(s) - 1) for s in self.secrets), default=0)
            data = _CUT_URL_USER.sub(MASK, data[: len(data) - cut])
        return data

    def part(self, data: bytes) -> bytes:
        """A part of a text, without secrets."""
        return self.clean(data, begins=False, ends=False)

    def value(self, value: Any) -> Any:
        """A value of JSON, in whose texts there are no secrets."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self.value(item) for key, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, list | tuple) else value

    def text(self, text: str) -> str:
        """`text` without secrets."""
        return os.fsdecode(self.clean(os.fsencode(text)))

    def kept(self, kept: Kept) -> bytes:
        """The output that was kept, with a line in place of what was omitted."""
        if not kept.omitted:
            return self.clean(kept.head)
        head = self.clean(kept.head, ends=False)
        return head + kept.note + self.clean(kept.tail, begins=False)


def redactor(values: Iterable[str]) -> Redactor:
    """Removes `values`, and the lines of those that have several."""
    texts = {text.strip() for value in values for text in (value, *value.splitlines())}
    wanted = {text for text in texts if len(text) >= SHORTEST and text.lower() not in COMMON}
    forms = {os.fsencode(form) for text in wanted for form in _forms(text)}
    return Redactor(tuple(sorted(forms, key=lambda form: (-len(form), form))))


def _forms(text: str) -> Iterator[str]:
    """`text` as it is written in JSON, TOML and URLs."""
    yield text
    yield unquote(text, errors="surrogateescape")
    yield quote(text, safe="", errors="surrogateescape")
    for ascii_only in (False, True):
        yield json.dumps(text, ensure_ascii=ascii_only)[1:-1]


def _overlap(left: bytes, right: bytes, most: int) -> int:
    """How many bytes at the end of `left`, at most `most`, are the beginning of `right`."""
    for size in range(min(len(left), len(right), most), 0, -1):
        # Most sizes are excluded without a copy.
        possible = left[-size] == right[0] and left[-1] == right[size - 1]
        if possible and right.startswith(left[-size:]):
            return size
    return 0
