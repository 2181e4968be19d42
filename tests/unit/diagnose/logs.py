"""Logs for tests."""

from __future__ import annotations

import io
from collections.abc import Iterable

from buildtool.diagnose.explain_log import LogExplainer, LogExplanation
from buildtool.diagnose.knowledge import read_knowledge
from buildtool.diagnose.line_patterns import MAX_BYTES, LogLines


def explain_bytes(data: bytes, max_bytes: int = MAX_BYTES) -> LogExplanation:
    """What a log with these bytes says."""
    explainer = LogExplainer(read_knowledge())
    explainer.read(LogLines("log", io.BytesIO(data), max_bytes))
    return explainer.explanation()


def explain_lines(lines: Iterable[str]) -> LogExplanation:
    """What a log with these lines says."""
    return explain_bytes("\n".join(lines).encode() + b"\n")
