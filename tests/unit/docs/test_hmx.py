"""The table of the HMX instructions is consistent, and docs/hmx.md has the words of the table."""

from __future__ import annotations

import csv
import re
from itertools import combinations
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs/hmx.md").read_text(encoding="utf-8")
FILE = ROOT / "buildtool/toolchains/hmx_forms.tsv"
TABLE = FILE.read_text(encoding="utf-8").splitlines()
ROWS = (each for each in TABLE if not each.startswith("#"))
FORMS = list(csv.DictReader(ROWS, delimiter="\t"))
PATTERN = r"[01]{11}(s{5}|-{5})PP[01-]([01t-]{5})[01-]{8}"
EXAMPLES = re.findall(r"^\| `(.+?)` \| `([0-9a-f]{8})` \| (yes|no) \|$", TEXT, re.MULTILINE)


def conflict(one: str, other: str) -> bool:
    """Whether a bit is 0 in one encoding and 1 in the other."""
    return any({a, b} == {"0", "1"} for a, b in zip(one, other, strict=True))


def test_names_and_texts_are_unique() -> None:
    assert len({each["name"] for each in FORMS}) == len(FORMS) == 147
    assert len({each["syntax"] for each in FORMS}) == len(FORMS)


def test_encodings_have_32_bits_and_the_registers_of_the_text() -> None:
    for each in FORMS:
        assert re.fullmatch(r"[01]{11}(s{5}|-{5})PP[01-]([01t-]{5})[01-]{8}", each["encoding"]), (
            each
        )
        assert ("sssss" in each["encoding"]) == ("Rs" in each["syntax"]), each
        assert ("ttttt" in each["encoding"]) == ("Rt" in each["syntax"]), each


def test_no_word_is_two_instructions() -> None:
    overlaps = [
        (one["syntax"], other["syntax"])
        for one, other in combinations(FORMS, 2)
        if not conflict(one["encoding"], other["encoding"])
    ]
    assert not overlaps


def encode(text: str, last: bool) -> int:
    """The word of an instruction, by the table."""
    registers = re.findall(r"\br(\d+)", text)
    operands = iter(("Rs", "Rt"))
    syntax = re.sub(r"\br\d+", lambda _: next(operands), text)
    form = next(each for each in FORMS if each["syntax"] == syntax)
    bits = form["encoding"].replace("PP", "11" if last else "01").replace("-", "0")
    for letter, register in zip("st", registers, strict=False):
        bits = bits.replace(letter * 5, f"{int(register):05b}")
    return int(bits, 2)


def test_the_document_has_examples() -> None:
    assert len(EXAMPLES) == 15


@pytest.mark.parametrize(("text", "word", "last"), EXAMPLES)
def test_examples_in_the_document(text: str, word: str, last: str) -> None:
    assert f"{encode(text, last == 'yes'):08x}" == word
