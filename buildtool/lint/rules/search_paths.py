"""Rules about the search paths that scripts and programs set."""

from __future__ import annotations

import re
from collections.abc import Iterator

from buildtool.lint.c_functions import literal
from buildtool.lint.c_tokens import Place
from buildtool.lint.finding import LintFinding, rule
from buildtool.lint.shell import DOUBLE, EXPANSION, PLAIN, SINGLE, WORDS, Assignment
from buildtool.lint.subject import Subject

PROGRAM = "program"
"""Where an assignment is that `setenv` makes."""


def assignments(subject: Subject) -> Iterator[tuple[Assignment, Place]]:
    """What scripts assign, and setenv with literals."""
    yield from subject.assignments
    for function, call in subject.calls("setenv"):
        if len(call.arguments) > 1:
            name, value = (literal(function.text(span)) for span in call.arguments[:2])
            if name and value:
                yield Assignment(name, value, 0, PROGRAM), function.code.place(call.at)


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


@rule(
    "dsp-path-separator",
    source=("qualcomm/fastrpc src/apps_std_imp.c",),
    remedy='Put ";" between directories, and quotes around the value.',
    condition="library-path-colon",
    language="sh",
)
def dsp_path_separator(subject: Subject) -> Iterator[LintFinding]:
    """Directories in ADSP_LIBRARY_PATH and DSP_LIBRARY_PATH are separated by semicolons, in quotes.

    libcdsprpc splits them at ';' only. With ':' the whole list is taken as the name of one
    directory: skels are not found, 0x80000406. A shell takes a ';' without quotes for the end of a
    command, and `adb shell` and `ssh` join their arguments: quotes that are around a value only are
    gone on the device.
    """
    for assignment, place in assignments(subject):
        name, cut = assignment.name, assignment.cut
        if name not in _VARIABLES:
            continue
        remedy = _REMEDIES[assignment.where].format(name=name)
        if ":" in assignment.value:
            yield dsp_path_separator.at(
                place,
                f"{name} has ':' between directories",
                "the list is split at ';' only, so it is taken as one directory",
                remedy,
            )
        elif cut:
            why = f"the shell takes {cut.replace(EXPANSION, '…')} for another command"
            if assignment.where == WORDS:
                why = "the other shell gets the words without quotes, and ends the command there"
            yield dsp_path_separator.at(place, f"{name} ends at a ';' without quotes", why, remedy)


_SYSTEM = ("/vendor/lib64", "/odm/lib64", "/system/vendor/lib64")


@rule(
    "vendor-library-path",
    source=("qualcomm/fastrpc Docs/troubleshooting.md",),
    remedy="Name the directory of the program's own libraries only.",
    condition="vendor-libraries-shadow",
    language="sh",
)
def vendor_library_path(subject: Subject) -> Iterator[LintFinding]:
    """LD_LIBRARY_PATH of a program does not have /vendor/lib64 or other directories of the system.

    The libraries there replace those that the linker of Android would take for the program, such as
    another libcdsprpc and what it needs, and sessions on the DSP fail.
    """
    for assignment, place in assignments(subject):
        if assignment.name == "LD_LIBRARY_PATH":
            for folder in assignment.value.split(":"):
                path = re.sub("/+", "/", f"{folder}/")
                if path.startswith(tuple(f"{system}/" for system in _SYSTEM)):
                    yield vendor_library_path.at(
                        place,
                        f"LD_LIBRARY_PATH has {folder}",
                        "its libraries shadow those of the program and of the system",
                    )
