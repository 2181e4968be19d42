"""`#include`: the name and the path of the file."""

from __future__ import annotations

from pathlib import Path

from buildtool.idl.errors import closest
from buildtool.idl.preprocess.macros import Expander
from buildtool.idl.preprocess.tokens import Kind, Token


def include_name(expander: Expander, word: Token, rest: list[Token]) -> tuple[str, bool]:
    if rest and rest[0].kind is Kind.NAME:
        rest[:] = expander.expand(rest)
    if rest and rest[0].kind is Kind.STRING and len(rest) == 1 and len(rest[0].text) > 2:
        return rest[0].text[1:-1], True
    if len(rest) > 2 and rest[0].text == "<" and rest[-1].text == ">":
        text = rest[0].source.text
        return text[rest[0].offset + 1 : rest[-1].offset].strip(), False
    raise (rest[0] if rest else word).error(
        '`#include` takes "file.idl" or <file.idl>',
        code="idl-preprocessor",
        remedy="put the file's name in quotes",
    )


def find_file(places: list[Path], at: Token, name: str) -> Path:
    for place in places:
        try:
            if (place / name).is_file():
                return place / name
        except (OSError, ValueError):
            break
    beside: list[str] = []
    for place in places:
        try:
            beside.extend(entry.stem for entry in place.glob("*.idl"))
        except OSError:
            continue
    near = closest(name.removesuffix(".idl"), beside)
    raise at.error(
        f"`{name}` was not found",
        code="idl-include",
        suggestion=f"{near}.idl" if near else "",
        why="searched " + ", ".join(str(place) for place in places),
        remedy="" if near else "add its directory with -I",
    )
