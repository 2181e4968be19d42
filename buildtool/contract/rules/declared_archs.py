"""A release has skels for each DSP arch of its target, and for no other arch.

Without a skel for its arch a device cannot open a session; a skel that nobody declared was never
tested.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("declared-archs", __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    if subject.promise.archs is None:
        return
    declared = set(subject.promise.archs)
    skels = {subject.dsp_arch(path) for path, _, _ in subject.skels()}
    damaged = {subject.dsp_arch(path) for path in subject.damaged}
    for arch in sorted(declared - skels - damaged):
        yield RULE.error(
            f"dsp/{arch}",
            f"dsp/{arch} has no skel",
            why=f"the target is for {arch}, too",
            remedy=f"Build the skels for {arch}, or remove it from the archs of the target.",
        )
    for arch in sorted({subject.dsp_arch(path) for path in subject.files} - declared - {""}):
        yield RULE.error(
            f"dsp/{arch}",
            f"dsp/{arch} is for an arch that the target does not have",
            why=f"the archs of the target: {', '.join(subject.promise.archs) or 'none'}",
            remedy=f"Remove dsp/{arch}, or add {arch} to the archs of the target.",
        )
