"""The script that runs exported tests on a device, with nothing but a POSIX shell."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from buildtool.device.emulated.socs import known_socs
from buildtool.project.archs import arch_number
from buildtool.testing.export.exported import ROOT, Export, ExportedTest
from buildtool.testing.export.services import TEMPLATES

MAX_NAME = 80


def tests_script(export: Export, archs: Sequence[str]) -> str:
    """`tests.sh` for the tests of `export`, whose release has skels for `archs`."""
    tests = [(at, test) for at, test in enumerate(export.tests) if not test.left_out]
    values = {
        "ARCH": _arch_of(archs),
        "ID": export.id,
        "START": "\n".join(
            ["start() {", "    case $1 in", *(_start(*each) for each in tests), "    esac", "}"]
        ),
        "TESTS": "\n".join(_run(*each) for each in tests),
    }
    text = (TEMPLATES / "tests.sh").read_text(encoding="utf-8")
    return re.sub("^@([A-Z]+)@$|@(ID)@", lambda at: values[at[1] or at[2]], text, flags=re.M)


def case_name(number: int, test: ExportedTest) -> str:
    """The name of a test for LAVA: its number makes it unique and leads back to it."""
    plain = re.sub(r"[^A-Za-z0-9._]+", "-", f"{test.suite}.{test.name}", flags=re.ASCII)
    return f"{number}.{plain[:MAX_NAME]}"


def _arch_of(archs: Sequence[str]) -> str:
    """The function `arch_of`: it prints the newest arch of the release that is not newer than the
    SoC's, and that of a release which has only one."""
    rows: dict[str, list[str]] = {}
    for name, soc in known_socs().items() if len(archs) > 1 else ():
        fitting = [each for each in archs if arch_number(each) <= arch_number(soc.arch)]
        if fitting:
            rows.setdefault(max(fitting, key=arch_number), []).append(name)
    lines = [f"        {'|'.join(names)}) echo {arch} ;;" for arch, names in rows.items()]
    lines.append(f"        *) echo {archs[0] if len(archs) == 1 else ''} ;;")
    return "\n".join(["arch_of() {", "    case $1 in", *lines, "    esac", "}"])


def _start(number: int, test: ExportedTest) -> str:
    env = (_word(f"{name}={value}") for name, value in test.env.items())
    words = [*env, '"$root/run.sh"', *map(_word, test.command)]
    lines = [
        f"{number})",
        f"    enter {_word(test.cwd)}",
        f"    exec env BUILDTOOL_KEEP_DIRECTORY=1 {' '.join(words)}",
        "    ;;",
    ]
    return "\n".join(f"        {line}" for line in lines)


def _run(number: int, test: ExportedTest) -> str:
    results = ("fail", "pass") if test.will_fail else ("pass", "fail")
    skip = "" if test.skip_status is None else test.skip_status
    name, timeout = case_name(number, test), math.ceil(test.timeout)
    return f"run_test {number} {name} {timeout} {' '.join(results)} '{skip}'"


def _word(text: str) -> str:
    """`text` as one word of a shell, with the directory of the release in the place of `ROOT`."""
    quoted = "'" + text.replace("'", "'\\''") + "'"
    return quoted.replace(ROOT, "'\"$root\"'")
