"""Random and damaged files lead to an IdlError or a Unit, and to nothing else."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from buildtool.idl.emit import emit
from buildtool.idl.errors import IdlError
from buildtool.idl.keywords import KEYWORDS, REJECTED, SIZED
from buildtool.idl.model import Unit
from buildtool.idl.parse import load
from buildtool.idl.terminals import PUNCTUATION

EXAMPLES = 5000 if os.environ.get("BUILDTOOL_LONG") else 60

VALID = """\
#ifndef EVERYTHING
#define EVERYTHING 1
#include "AEEStdDef.idl"
#include <remote.idl>
#define TWICE(x) ((x) * 2)
#if EVERYTHING > 0 && !defined(NOTHING)
const string IDL_VERSION = "1.2.3";
const long N = TWICE(4) | 1 << 4; /* a comment */
#endif
const double PI = 3.14e0; const wstring W = L"w\\u20ac"; const char C = '\\n';
/** A colour. */
enum colour { RED, GREEN, ///< green
  BLUE };
module M { struct point { float x, y; }; module D { typedef point line[2]; }; };
struct inner { long a[N]; sequence<string<8>> names; boolean b; colour c; };
typedef sequence<inner, 4> inners, other;
typedef struct own_s { M::D::line l; int64_t q; } own;
interface later;
interface base : remote_handle64 { typedef uint8 byte; long common(in byte a); };
interface calc : base {
  /** Add. */
  AEEResult sum(in sequence<long> vec, rout long long res);
  void nothing();
  async long later(in sequence<octet> v, rout sequence<octet> o);
  long mixed(in inners i, rout inner j, inrout wstring k, in own o, in dmahandle d, in byte e);
  readonly attribute long x; attribute M::point y;
};
interface later { long f(in ::M::point p, rout string s, inrout unsigned short t); };
#endif
"""

WORDS = [
    *sorted({*KEYWORDS, *SIZED, *REJECTED, *PUNCTUATION}),
    *("A", "s", "calc", "remote_handle64", "0", "1", "0xffffffff", "1.5e3", '"t"', "'c'", 'L"w"'),
    *("\n#define A ", "\n#define f(x) ", "\n#if ", "\n#else\n", "\n#endif\n", "\n#ifdef A\n"),
    *('\n#include "main.idl"\n', "\n#include <remote.idl>\n", "f(", "/*", "*/", "//", "\\\n", "@"),
]


def outcome(data: bytes) -> Unit | IdlError:
    """Compile the bytes; any other exception than an IdlError fails the test."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "main.idl")
        path.write_bytes(data)
        try:
            unit = load(path)
            emit(unit)
            result: Unit | IdlError = unit
        except IdlError as error:
            result = error
    if isinstance(result, IdlError):
        assert str(result)
        assert result.code.startswith("idl-")
        assert result.remedy
    return result


def test_the_undamaged_file_is_good() -> None:
    assert isinstance(outcome(VALID.encode()), Unit)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.binary(max_size=400))
@example(b"\xef\xbb\xbf\xef\xbb\xbf")
@example(b"\r\\\r\n")
def test_random_bytes(data: bytes) -> None:
    outcome(data)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.text(max_size=400))
def test_random_text(text: str) -> None:
    outcome(text.encode("utf-8", "surrogatepass"))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_random_words(words: list[str]) -> None:
    outcome(" ".join(words).encode())


TOKENS = VALID.replace("\n", " \n ").split(" ")
POSITION = st.integers(0, len(TOKENS) - 1)
DAMAGE = st.one_of(
    st.tuples(st.just("drop"), POSITION, POSITION),
    st.tuples(st.just("double"), POSITION, POSITION),
    st.tuples(st.just("swap"), POSITION, POSITION),
    st.tuples(st.just("copy"), POSITION, POSITION),
    st.tuples(st.sampled_from(WORDS), POSITION, POSITION),
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(DAMAGE, min_size=1, max_size=5))
def test_damaged_words(damages: list[tuple[str, int, int]]) -> None:
    tokens = list(TOKENS)
    for what, first, second in damages:
        match what:
            case "drop":
                tokens[first] = ""
            case "double":
                tokens[first] += " " + tokens[first]
            case "swap":
                tokens[first], tokens[second] = tokens[second], tokens[first]
            case "copy":
                tokens[first] = tokens[second]
            case word:
                tokens[first] = word
    outcome(" ".join(tokens).encode())


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(VALID) - 1), st.integers(0, 8), st.binary(max_size=4)),
        min_size=1,
        max_size=4,
    )
)
def test_damaged_bytes(damages: list[tuple[int, int, bytes]]) -> None:
    data = VALID.encode()
    for start, length, replacement in damages:
        data = data[:start] + replacement + data[start + length :]
    outcome(data)
