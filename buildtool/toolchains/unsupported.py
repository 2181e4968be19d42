"""What a profile cannot compile, told by the flag that asks for it or by what the compiler says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from buildtool.core.value import Value

if TYPE_CHECKING:
    from typing import Protocol

    class Rule(Protocol):
        """Something that a profile cannot compile."""

        def refused(self, flags: Sequence[str]) -> Refusal | None:
            """What is wrong with a compile command that has `flags`."""

        def met(self, output: str) -> Refusal | None:
            """What a compiler that failed says in `output`, if it is about this."""


class Refusal(Value):
    """One thing that a profile cannot do.

    `flag` asks for it, a later `undone_by` takes that back; `said` are words of the compiler
    about a source that uses it without the flag.
    """

    flag: str
    undone_by: str
    said: tuple[str, ...]
    reason: str
    remedy: str

    def refused(self, flags: Sequence[str]) -> Refusal | None:
        asked = [flag for flag in flags if _is(flag, self.flag) or flag == self.undone_by]
        return self if asked and asked[-1] != self.undone_by else None

    def met(self, output: str) -> Refusal | None:
        return self if any(words in output for words in self.said) else None


def refused(rules: Iterable[Rule], flags: Sequence[str]) -> Refusal | None:
    """The first of `rules` that a compile command with `flags` breaks; the last flag wins."""
    return next(filter(None, (rule.refused(flags) for rule in rules)), None)


def remedies(rules: Iterable[Rule], output: str) -> str:
    """What to do about a compiler's `output`, as far as it is about one of `rules`; or ""."""
    met = [refusal for rule in rules if (refusal := rule.met(output))]
    return " ".join(f"{refusal.reason[0].upper()}{refusal.reason[1:]}." for refusal in met) + (
        f" {met[0].remedy}" if met else ""
    )


def _is(flag: str, asked: str) -> bool:
    """`-mhmx` is also written `-mhmx=v73`."""
    return flag == asked or flag.startswith(f"{asked}=")
