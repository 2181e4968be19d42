"""The rows of the wire format's tables as a case with values, for the round-trip tests.

It has the methods of `wire/wire.idl`, which other tests check byte by byte, and enough more to need
the escape for method numbers above 30.
"""

from __future__ import annotations

from typing import Any

from buildtool.idl.model import (
    Alias,
    Array,
    Direction,
    Enum,
    Member,
    Primitive,
    Sequence,
    String,
    Struct,
    Type,
)
from tests.integration.idl.idl_random import Argument, Case, Text

LONG, OCTET, DOUBLE = Primitive.LONG, Primitive.OCTET, Primitive.DOUBLE
LONGLONG, SHORT, BOOLEAN = Primitive.LONGLONG, Primitive.SHORT, Primitive.BOOLEAN
COLOUR = Enum("colour", ("red", "green", "blue"))
PAIR = Struct("pair", (Member("a", Sequence(LONG)), Member("n", String())))
REPORT = Struct("report", (Member("code", SHORT), Member("detail", PAIR), Member("mean", DOUBLE)))
FLAT = Struct("flat", (Member("o", OCTET), Member("q", LONGLONG), Member("b", BOOLEAN)))
ID = Alias("id", Array(OCTET, 6))
LONGS = Alias("longs", Sequence(LONG))


def text(value: str, extra: int = 0) -> Text:
    return Text(tuple(map(ord, value)), extra)


def given(name: str, type_: Type, value: Any) -> Argument:
    return Argument(name, Direction.IN, type_, value, None)


def back(name: str, type_: Type, value: Any) -> Argument:
    return Argument(name, Direction.ROUT, type_, None, value)


def both(name: str, type_: Type, value: Any, result: Any) -> Argument:
    return Argument(name, Direction.INROUT, type_, value, result)


PAIRS = [[[1, 2, 3], text("Bo")], [[4], text("Ann")]]
ROWS: list[tuple[Argument, ...]] = [
    (given("a", LONG, -2),),
    (given("v", Sequence(LONG), [1, 2, 3]), back("r", LONGLONG, -(2**63))),
    (
        given("a", SHORT, -3),
        given("b", LONGLONG, 2**62),
        given("c", OCTET, 255),
        back("d", SHORT, 258),
        back("e", DOUBLE, 0.5),
    ),
    (both("x", LONG, 42, 43), both("b", Sequence(OCTET), [7, 8, 9], [9, 8, 7])),
    (
        given("s", String(), text("hey")),
        back("o", String(), text("ho", 3)),
        given("w", String(wide=True), text("\u263ax")),
        back("wo", String(wide=True), text("\u20ac", 1)),
    ),
    (both("w", String(wide=True), text("ab", 2), text("wxyz")), given("q", LONGLONG, -1)),
    (back("r", Sequence(Primitive.FLOAT), [0.25, -1.5]),),
    (),
    (given("s", PAIR, PAIRS[0]), back("r", LONG, 2**31 - 1)),
    (given("s", Sequence(String()), [text("ab"), text("wxyz")]),),
    (back("s", Sequence(String()), [text("old"), text("older")]),),
    (back("s", PAIR, [[1, 2, 3], text("seven", 2)]), back("r", LONG, -1)),
    (given("s", Sequence(PAIR), PAIRS), given("o", OCTET, 9)),
    (back("s", Sequence(PAIR), PAIRS),),
    (given("k", COLOUR, 2), given("b", BOOLEAN, True)),
    (
        both("x", LONG, 42, 7),
        both("b", Sequence(OCTET), [7, 8, 9], [0, 0, 1]),
        given("o", OCTET, 8),
    ),
    (back("s", Sequence(REPORT), [[5, PAIRS[0], 0.5], [-6, PAIRS[1], 1e300]]),),
    (
        given("f", FLAT, [170, -1, True]),
        given("i", ID, [1, 2, 3, 4, 5, 6]),
        back("g", FLAT, [1, 2**40, False]),
        back("j", ID, [6, 5, 4, 3, 2, 1]),
        both("b", BOOLEAN, True, False),
    ),
    (given("l", Sequence(LONGS), [[1, 2, 3], [], [4]]), back("m", Sequence(LONGS), [[], [7]])),
    (given("s", Sequence(String()), [Text((), 0, True), text("")]),),
]
FILLERS: list[tuple[Argument, ...]] = [() for _ in range(12)]
ESCAPED: list[tuple[Argument, ...]] = [
    (given("a", LONGLONG, -1), back("r", LONGLONG, 2**60)),
    (given("s", Sequence(PAIR), PAIRS), back("t", Sequence(REPORT), [[1, PAIRS[1], 2.0]])),
    (),
]
TABLES = Case(
    (COLOUR, PAIR, REPORT, FLAT, ID, LONGS),
    tuple((f"m{at}", row) for at, row in enumerate([*ROWS, *FILLERS, *ESCAPED])),
)
