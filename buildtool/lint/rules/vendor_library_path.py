"""LD_LIBRARY_PATH of a program does not have /vendor/lib64 or other directories of the system.

The libraries there replace those that the linker of Android would take for the program, such as
another libcdsprpc and what it needs, and sessions on the DSP fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from buildtool.lint.environment import assignments
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.subject import Subject

RULE = LintRule(
    "vendor-library-path",
    __doc__,
    source=("qualcomm/fastrpc Docs/troubleshooting.md",),
    remedy="Name the directory of the program's own libraries only.",
    condition="vendor-libraries-shadow",
    language="sh",
    wrong="""\
adb shell 'LD_LIBRARY_PATH=/data/local/tmp/app/lib:/vendor/lib64 /data/local/tmp/app/bin/app'
""",
    right="""\
adb shell 'LD_LIBRARY_PATH=/data/local/tmp/app/lib /data/local/tmp/app/bin/app'
""",
)
_SYSTEM = ("/vendor/lib64", "/odm/lib64", "/system/vendor/lib64")


def check(subject: Subject) -> Iterator[LintFinding]:
    for assignment, place in assignments(subject):
        if assignment.name == "LD_LIBRARY_PATH":
            for folder in assignment.value.split(":"):
                path = re.sub("/+", "/", f"{folder}/")
                if path.startswith(tuple(f"{system}/" for system in _SYSTEM)):
                    yield RULE.at(
                        place,
                        f"LD_LIBRARY_PATH has {folder}",
                        "its libraries shadow those of the program and of the system",
                    )
