"""Directories in ADSP_LIBRARY_PATH and DSP_LIBRARY_PATH are separated by semicolons.

libcdsprpc splits them at ';' only. With ':' the whole list is taken as the name of one directory:
skels are not found, 0x80000406. In a shell the value needs quotes.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.environment import assignments
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.subject import Subject

RULE = LintRule(
    "dsp-path-separator",
    __doc__,
    source=("qualcomm/fastrpc src/apps_std_imp.c",),
    remedy='Put ";" between directories, and quotes around the value.',
    condition="library-path-colon",
    language="sh",
    wrong="""\
export ADSP_LIBRARY_PATH=/data/local/tmp/app/dsp:/vendor/dsp
""",
    right="""\
export ADSP_LIBRARY_PATH="/data/local/tmp/app/dsp;/vendor/dsp"
""",
)
_VARIABLES = ("ADSP_LIBRARY_PATH", "DSP_LIBRARY_PATH")


def check(subject: Subject) -> Iterator[LintFinding]:
    for name, value, place in assignments(subject):
        if name in _VARIABLES and ":" in value:
            yield RULE.at(
                place,
                f"{name} has ':' between directories",
                "the list is split at ';' only, so it is taken as one directory",
            )
