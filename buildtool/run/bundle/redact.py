"""Finds secrets, and removes them from text.

Secrets are the values of variables whose names say so, and passwords in URLs.  They are removed
wherever they occur, also in the forms that JSON, TOML, URLs, shells, CMake and base64 give them.

Finds texts in data, whatever a serialiser has made of them.

Data and texts are compared in a normal form: escapes of JSON, TOML and URLs are decoded,
also where an escape is escaped again; other backslashes are dropped, all quotes are equal, and a
run of white space is one space.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import shlex
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import quote, unquote

from buildtool.core.processes.kept_output import Kept
from buildtool.core.value import Value

MASK = b"***"
SHORTEST = 4
"""Characters of the shortest secret that is removed from text: a shorter one would remove half of
the text."""
LONGEST_COMMAND = 10_000
"""Characters of the longest text whose quotes are read, which takes time."""
SCHEMES = frozenset(("apikey", "basic", "bearer", "digest", "dpop", "negotiate", "ntlm", "token"))
"""Of authorization: words before a secret; source: RFC 9110, section 11.1."""
COMMON = SCHEMES | {"true", "false", "none", "null", "auto", "always", "never", "default"}
"""Values of settings, which are no secrets although the name of the variable looks like one."""
_NAMES = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|PASS\d*(?:_|$)|KEY(?!BOARD)|CREDENTIAL|AUTH(?!OR(?!I[SZ]))"
    r"|COOKIE|PRIVATE|JWT|(?:^|_)PAT\d*(?:_|$)|_PWD\d*(?:_|$)|^PWD\d*_",
    re.IGNORECASE,
)
_BETWEEN_WORDS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
_NAMED = re.compile(r"""(?<![\w.-])([\w.-]++)["'\\]*+\s*+[:=]\s*+["'\\]*+""")
_SCHEME = re.compile(rf"(?:{'|'.join(sorted(SCHEMES))})[ \t]+", re.IGNORECASE)
_VALUE = re.compile(
    rf"""(?:(?<!=){_SCHEME.pattern})?[^\s"',;&{{}}\[\]\\]{{1,4096}}""", re.IGNORECASE
)
"""A name, and its value, in a header, a query, JSON, or text that is cut off.  A scheme belongs to
the value, but not in `AUTH=basic program`."""
_USER = rb"[^\s/\"<>\\]"
_URL_USER = re.compile(rb"(?<=://)%s+(?=@)" % _USER)
_CUT_URL_USER = re.compile(rb"(?<=://)%s*+\Z" % _USER)
_REST_OF_URL_USER = re.compile(rb"\A%s*(?=@)" % _USER)
_URL_PASSWORD = re.compile(r"://[^\s/@:]*:([^\s/]+)@")
_AUTHORIZATION = re.compile(
    rb"(authorization[\"'\\]*+\s*+[:=]\s*+[\"'\\]*+(?:(?:[\w-]+|\*{3})[ \t]++)?"
    rb"|bearer(?:[ \t]|%20)++)[^\s\"',\\]++",
    re.IGNORECASE,
)
"""The header of HTTP, also with a mask in place of an unusual scheme; source: RFC 9110, section
11.6.2."""
_ESCAPE = re.compile(
    rb"""
    \\++ (?P<utf16> u [Dd][89ABab][0-9A-Fa-f]{2} \\++ u [Dd][C-Fc-f][0-9A-Fa-f]{2}
                 | u [0-9A-Fa-f]{4} )
  | \\++ U (?P<utf32> 000[0-9A-Fa-f]{5} | 0010 [0-9A-Fa-f]{4} )
  | % (?P<percent> [0-9A-Fa-f]{2} )
  | (?P<nothing> \\++ [\ \t]*+ \r?\n \s*+ )
  | (?P<space> (?: [\ \t\r\n] | \\++ [nrt] ){2,}+ | [\t\r\n] | \\++ [nrt] )
  | (?P<quotes> (?: \\*+ ['"] )++ )
  | (?P<backslashes> \\++ )
    """,
    re.VERBOSE,
)


def is_secret(name: str, further: Collection[str] = ()) -> bool:
    """Whether the value of the variable or option `name` is a secret; `further` are other names
    of such variables."""
    return name in further or _NAMES.search(_BETWEEN_WORDS.sub("_", name)) is not None


def secrets_in(value: Any, further: Collection[str]) -> Iterator[str]:
    """The secrets in variables, command lines, and what TOML or JSON nest in each other."""
    if isinstance(value, Value):
        value = value._asdict()
    if isinstance(value, Mapping):
        for name, item in value.items():
            if is_secret(name, further) and isinstance(item, str | int):
                yield str(item)
            yield from secrets_in(item, further)
    elif isinstance(value, list | tuple):
        yield from _argument_secrets([item for item in value if isinstance(item, str)], further)
        for item in value:
            yield from secrets_in(item, further)
    elif isinstance(value, str):
        yield from _argument_secrets(_words(value), further)
        for found in _NAMED.finditer(value):
            if is_secret(found[1], further) and (ends := _VALUE.match(value, found.end())):
                yield ends[0]
        yield from _URL_PASSWORD.findall(value)
        if (start := value.find("{")) >= 0:
            with contextlib.suppress(ValueError, RecursionError):
                yield from secrets_in(json.JSONDecoder().raw_decode(value, start)[0], further)


def _words(text: str) -> list[str]:
    """The words of a command line; of other text, what white space separates."""
    try:
        return shlex.split(text) if len(text) < LONGEST_COMMAND else text.split()
    except ValueError:  # a quote that does not end
        return [word.strip("'\"") for word in text.split()]


def _argument_secrets(arguments: Sequence[str], further: Collection[str]) -> Iterator[str]:
    """The secrets in `--api-key VALUE`, `--api-key=VALUE`, `API_KEY=VALUE` and `Api-Key: VALUE`."""
    for argument, following in pairwise([*arguments, ""]):
        name, equals, value = argument.partition("=")
        if is_secret(name, further):
            yield value if equals else following if name.startswith("-") else ""
        name, colon, value = argument.partition(":")
        if colon and not re.search(r"[\s/]", name) and is_secret(name, further):
            yield value.strip() or following


class Redactor(Value):
    """Removes `secrets`, the longest first, and what is found as `normal` in normal form, or as
    `encoded` in base64."""

    secrets: tuple[bytes, ...]
    normal: tuple[bytes, ...] = ()
    encoded: tuple[bytes, ...] = ()

    def clean(self, data: bytes, *, begins: bool = True, ends: bool = True) -> bytes:
        """`data` without secrets.  It is a part of a text, which `begins` or `ends` there: where it
        was cut off, the rest of a secret is removed too."""
        for secret in self.secrets:
            data = data.replace(secret, MASK)
        data = _masked(data, find_normalised(data, self.normal))
        data = _masked(data, find_normalised(data, self.encoded, unwrap=True))
        data = _AUTHORIZATION.sub(rb"\1" + MASK, _URL_USER.sub(MASK, data))
        if not begins:
            data = data[max((_overlap(s, data, len(s) - 1) for s in self.secrets), default=0) :]
            data = _REST_OF_URL_USER.sub(MASK, data)
        if not ends:
            cut = max((_overlap(data, s, len(s) - 1) for s in self.secrets), default=0)
            data = _CUT_URL_USER.sub(MASK, data[: len(data) - cut])
        return data

    def occurs_in(self, data: bytes) -> bool:
        """Whether `data` contains a secret as it is."""
        return any(secret in data for secret in self.secrets)

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
    """Removes `values`, the lines of those that have several, and what follows a scheme."""
    lines = {text.strip() for value in values for text in (value, *value.splitlines())}
    texts = lines | {text[found.end() :] for text in lines if (found := _SCHEME.match(text))}
    wanted = {text for text in texts if len(text) >= SHORTEST and text.lower() not in COMMON}
    forms = {os.fsencode(form) for text in wanted for form in _forms(text)}
    encoded = {form for text in wanted for form in _base64_forms(os.fsencode(text))}
    normal = {normalised(form) for form in forms}
    longest_first = (
        sorted(found - {b""}, key=lambda form: (-len(form), form))
        for found in (forms, normal, encoded)
    )
    return Redactor(*map(tuple, longest_first))


def _forms(text: str) -> Iterator[str]:
    """`text` as it is written in JSON, TOML and URLs."""
    yield text
    yield unquote(text, errors="surrogateescape")
    yield quote(text, safe="", errors="surrogateescape")
    for ascii_only in (False, True):
        yield json.dumps(text, ensure_ascii=ascii_only)[1:-1]


def _base64_forms(secret: bytes) -> Iterator[bytes]:
    """The base64 forms of `secret`, one for each of the three cases of its position in a text,
    without the characters that also have bits of other data."""
    for before in range(3):
        text = base64.b64encode(bytes(before) + secret)
        yield text[-(-before * 8 // 6) : (before + len(secret)) * 8 // 6]


def _masked(data: bytes, places: Iterable[tuple[int, int]]) -> bytes:
    """`data` with a mask in the place of all that is in one of `places`."""
    cleaned, covered = bytearray(), 0
    for start, end in sorted(places):
        if start >= covered:
            cleaned += data[covered:start] + MASK
        covered = max(covered, end)
    return bytes(cleaned + data[covered:])


def _overlap(left: bytes, right: bytes, most: int) -> int:
    """How many bytes at the end of `left`, at most `most`, are the beginning of `right`."""
    for size in range(min(len(left), len(right), most), 0, -1):
        # Most sizes are excluded without a copy.
        possible = left[-size] == right[0] and left[-1] == right[size - 1]
        if possible and right.startswith(left[-size:]):
            return size
    return 0


def normalised(data: bytes) -> bytes:
    """The normal form of `data`."""
    return _normalise(data, b" ")[0]


def find_normalised(
    data: bytes, texts: Iterable[bytes], *, unwrap: bool = False
) -> Iterator[tuple[int, int]]:
    """Start and end of the places in `data` whose normal form is one of `texts`.  With `unwrap`,
    line breaks are left out and `-_` are `+/`, as is usual in base64 (RFC 4648)."""
    text, origins = _normalise(data, b"" if unwrap else b" ")
    if unwrap:
        text = text.translate(bytes.maketrans(b"-_", b"+/"))
    for wanted in texts:
        at = text.find(wanted)
        while at >= 0:
            end = at + len(wanted)
            yield origins[at], origins[end]
            at = text.find(wanted, end)


def _normalise(data: bytes, space: bytes) -> tuple[bytes, array[int]]:
    """The normal form, and for each of its bytes, and its end, the place in `data`."""
    text, origins, at = bytearray(), array("L"), 0
    for found in _ESCAPE.finditer(data):
        start = found.start()
        text += data[at:start]
        origins.extend(range(at, start))
        decoded = _decoded(found, space)
        # All bytes of an escape begin where it does: a mask never leaves a part of one.
        text += decoded
        origins.extend([start] * len(decoded))
        at = found.end()
    origins.extend(range(at, len(data) + 1))
    return bytes(text + data[at:]), origins


def _decoded(found: re.Match[bytes], space: bytes) -> bytes:
    match found.lastgroup:
        case "utf16":
            units = bytes.fromhex(re.sub(rb"[\\u]", b"", found["utf16"]).decode())
            return _encoded(units.decode("utf-16-be", "surrogatepass"))
        case "utf32":
            return _encoded(chr(int(found["utf32"], 16)))
        case "percent":
            return bytes([int(found["percent"], 16)])
        case "space":
            return space
        case "quotes":
            return b"'"
        case _:
            return b""


def _encoded(character: str) -> bytes:
    is_byte = "\udc80" <= character <= "\udcff"  # see PEP 383
    return character.encode(errors="surrogateescape" if is_byte else "surrogatepass")
