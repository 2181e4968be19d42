"""All rules of `buildtool lint`, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from buildtool.core.value import Value
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.rules import (
    acquire_timeout,
    dsp_path_separator,
    hmx_power,
    idl_capacity,
    idl_compatible,
    idl_output_in,
    idl_result,
    idl_sequence_size,
    invalidate_after_write,
    lint_comment,
    map_without_unmap,
    power_context,
    required_dlsym,
    static_map,
    unsigned_after_open,
    vendor_library_path,
    vtcm_read_first,
)
from buildtool.lint.silence import without_silenced
from buildtool.lint.subject import Subject


class LintRuleModule(Protocol):
    """A module of `buildtool.lint.rules`."""

    RULE: LintRule

    def check(self, subject: Subject) -> Iterator[LintFinding]:
        """The mistakes in the subject."""


RULES: tuple[LintRuleModule, ...] = (
    # interfaces
    idl_output_in,
    idl_capacity,
    idl_result,
    idl_sequence_size,
    idl_compatible,
    # programs
    unsigned_after_open,
    static_map,
    map_without_unmap,
    required_dlsym,
    # skels
    power_context,
    hmx_power,
    acquire_timeout,
    vtcm_read_first,
    invalidate_after_write,
    # scripts, and programs that set variables
    dsp_path_separator,
    vendor_library_path,
    # comments
    lint_comment,
)


class LintResult(Value):
    """The findings by place; `skipped` has the reason for each file that was not read, and
    `silenced` is the number of findings that comments silence."""

    findings: tuple[LintFinding, ...]
    files: int
    silenced: int
    skipped: Mapping[str, str]


def lint(subject: Subject) -> LintResult:
    """Apply all rules."""
    found = [finding for module in RULES for finding in module.check(subject)]
    left = without_silenced(found, subject.silences)
    left.sort(key=lambda finding: (finding.place, finding.rule))
    return LintResult(tuple(left), subject.files, len(found) - len(left), subject.skipped)
