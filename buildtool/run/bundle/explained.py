"""What the logs of a bundle say, for its README: causes, with their lines and remedies."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping

from buildtool.diagnose.explain_log import Finding, LogExplainer
from buildtool.diagnose.knowledge import read_knowledge
from buildtool.diagnose.log_lines import LogLines

LOGS = ("messages.txt", "stderr.txt", "stdout.txt", "dsp.log", "kernel.log", "logcat.log")
MAX_FINDINGS = 3


def explained(files: Mapping[str, bytes]) -> Iterator[str]:
    """Lines about the causes that the logs of `files` show, and about symptoms without a cause."""
    explainer = LogExplainer(read_knowledge())
    for name in LOGS:
        if data := files.get(name):
            explainer.read(LogLines(name, io.BytesIO(data)))
    found = explainer.explanation()
    for finding in [*found.causes, *found.symptoms][:MAX_FINDINGS]:
        yield from _lines(finding)


def _lines(finding: Finding) -> Iterator[str]:
    condition = finding.condition
    yield f"{condition.name}: {condition.meaning}"
    for evidence in finding.evidence:
        yield f"  {evidence.log}:{evidence.line}: {evidence.text.strip()}"
    for cause in condition.causes:
        yield f"  - {cause.cause}"
        yield f"    check:  {cause.check}"
        yield f"    remedy: {cause.remedy}"
