"""The other libraries that a skel needs are beside it.

The DSP searches for them where it found the skel. The device may have a missing one, so that is a
warning.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.rules.cxx_runtime import RUNTIME
from buildtool.contract.shell_symbols import IN_SHELL
from buildtool.contract.subject import Subject

RULE = Rule("skel-libraries", __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    for path, _, elf in subject.dsp() if subject.whole else ():
        for name in elf.needed:
            known = name in IN_SHELL or name in RUNTIME or name in subject.promise.system_libraries
            if not known and name not in subject.beside(path):
                yield RULE.warning(
                    path,
                    f"{posixpath.basename(path)} needs {name}, which is not beside it",
                    why="unless the device has that library, the DSP does not load the skel: error"
                    " 0x80000406",
                    remedy=f"Ship {name} in the same directory, or link it statically.",
                )
