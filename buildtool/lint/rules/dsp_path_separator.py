"""Directories in ADSP_LIBRARY_PATH and DSP_LIBRARY_PATH are separated by semicolons, in quotes.

libcdsprpc splits them at ';' only. With ':' the whole list is taken as the name of one directory:
skels are not found, 0x80000406. A shell takes a ';' without quotes for the end of a command, and
`adb shell` and `ssh` join their arguments: quotes that are around a value only are gone on the
device.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.environment import PROGRAM, assignments
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.shell import DOUBLE, EXPANSION, PLAIN, SINGLE, WORDS
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
_REMEDIES = {
    PROGRAM: 'Put ";" between directories.',
    PLAIN: 'Put ";" between directories, and quotes around the value: {name}="/a;/b".',
    SINGLE: 'Put ";" between directories, and double quotes around the value, inside the single'
    " ones: '… {name}=\"/a;/b\" …'.",
    DOUBLE: 'Put ";" between directories, and \\" around the value, inside the double quotes:'
    ' "… {name}=\\"/a;/b\\" …".',
    WORDS: 'Put ";" between directories, quotes around the value, and other quotes around the whole'
    " command: adb shell '{name}=\"/a;/b\" …', or adb shell \"{name}='$A;$B' …\" if the value has"
    " variables of this script.",
}


def check(subject: Subject) -> Iterator[LintFinding]:
    for assignment, place in assignments(subject):
        name, cut = assignment.name, assignment.cut
        if name not in _VARIABLES:
            continue
        remedy = _REMEDIES[assignment.where].format(name=name)
        if ":" in assignment.value:
            yield RULE.at(
                place,
                f"{name} has ':' between directories",
                "the list is split at ';' only, so it is taken as one directory",
                remedy,
            )
        elif cut:
            why = f"the shell takes {cut.replace(EXPANSION, '…')} for another command"
            if assignment.where == WORDS:
                why = "the other shell gets the words without quotes, and ends the command there"
            yield RULE.at(place, f"{name} ends at a ';' without quotes", why, remedy)
