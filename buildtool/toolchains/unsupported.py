"""Features that a profile cannot compile, recognised by a flag or by the compiler's messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from buildtool.core.value import Value

if TYPE_CHECKING:
    from typing import Protocol

    class UnsupportedRule(Protocol):
        """Something that a profile cannot compile."""

        def broken_by(self, flags: Sequence[str]) -> UnsupportedFeature | None:
            """The unsupported feature that a compile command with `flags` requests, if any."""

        def reported_in(self, output: str) -> UnsupportedFeature | None:
            """The unsupported feature that a failed compiler's `output` is about, if any."""


class UnsupportedFeature(Value):
    """A feature that a profile does not support.

    `flag` requests it, a later `negation` cancels the request; `messages` are parts of the
    compiler's messages about a source that uses it without the flag.
    """

    flag: str
    negation: str
    messages: tuple[str, ...]
    reason: str
    remedy: str

    def broken_by(self, flags: Sequence[str]) -> UnsupportedFeature | None:
        if not self.flag:  # messages only
            return None
        relevant = [flag for flag in flags if _is_flag(flag, self.flag) or flag == self.negation]
        return self if relevant and relevant[-1] != self.negation else None

    def reported_in(self, output: str) -> UnsupportedFeature | None:
        return self if any(words in output for words in self.messages) else None


CXX_MODULES = UnsupportedFeature(
    "",
    "",
    # CMake wraps its lines, so these are words of them; the last is a compiler's.
    messages=("cmake-cxxmodules(7)", '"CXX_MODULE_STD"', "error: module '"),
    reason="C++ modules need a scanner of the compiler's own version (clang-scan-deps), which no"
    " profile has; one of this machine is never used",
    remedy="Build it with headers: many projects have an option that switches modules off. In its"
    " CMake files, replace FILE_SET … TYPE CXX_MODULES, CXX_MODULE_STD, `import` and"
    " CXX_SCAN_FOR_MODULES ON.",
)
"""What clang profiles do not support."""


def find_unsupported(
    rules: Iterable[UnsupportedRule], flags: Sequence[str]
) -> UnsupportedFeature | None:
    """The first unsupported feature that a compile command with `flags` requests.

    Of a flag and its negation the last one counts.
    """
    return next(filter(None, (rule.broken_by(flags) for rule in rules)), None)


def explain_failure(rules: Iterable[UnsupportedRule], output: str) -> str:
    """Why a compiler failed and what to do, if its `output` is about one of `rules`; else ""."""
    reported = [feature for rule in rules if (feature := rule.reported_in(output))]
    return " ".join(f"{feature.reason[0].upper()}{feature.reason[1:]}." for feature in reported) + (
        f" {reported[0].remedy}" if reported else ""
    )


def _is_flag(flag: str, wanted: str) -> bool:
    """`-mhmx` is also written `-mhmx=v73`."""
    return flag == wanted or flag.startswith(f"{wanted}=")
