"""What a profile cannot compile, told by the flag that asks for it or by what the compiler says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Refusal(NamedTuple):
    """One thing that a profile cannot do.

    `flag` asks for it, a later `undone_by` takes that back; `said` are words of the compiler
    about a source that uses it without the flag.
    """

    flag: str
    undone_by: str
    said: tuple[str, ...]
    reason: str
    remedy: str


def refused(refusals: Iterable[Refusal], flags: Sequence[str]) -> Refusal | None:
    """The first of `refusals` that a compile command with `flags` asks for; the last flag wins."""
    for refusal in refusals:
        asked = [flag for flag in flags if _is(flag, refusal.flag) or flag == refusal.undone_by]
        if asked and asked[-1] != refusal.undone_by:
            return refusal
    return None


def remedies(refusals: Iterable[Refusal], output: str) -> str:
    """What to do about a compiler's `output`, as far as it is about one of `refusals`; or ""."""
    met = [refusal for refusal in refusals if any(words in output for words in refusal.said)]
    return " ".join(f"{refusal.reason[0].upper()}{refusal.reason[1:]}." for refusal in met) + (
        f" {met[0].remedy}" if met else ""
    )


def _is(flag: str, asked: str) -> bool:
    """`-mhmx` is also written `-mhmx=v73`."""
    return flag == asked or flag.startswith(f"{asked}=")
