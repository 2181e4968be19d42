"""Rules about scripts, and how scripts are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.lint.shell import Assignment, read_script
from tests.unit.lint.linted import in_function, lint_texts, rules_of

COLON = [("dsp-path-separator", 1)]
VENDOR = [("vendor-library-path", 1)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("export ADSP_LIBRARY_PATH=/a:/b", COLON),
        ('ADSP_LIBRARY_PATH="$PWD/dsp:$ADSP_LIBRARY_PATH" ./app', COLON),
        ("export DSP_LIBRARY_PATH='/a:/b'", COLON),
        ("ADSP_LIBRARY_PATH=$D${ADSP_LIBRARY_PATH:+:$ADSP_LIBRARY_PATH}", COLON),
        ('adb shell "cd /x; export ADSP_LIBRARY_PATH=/a:/b; ./app"', COLON),
        ("adb shell 'ADSP_LIBRARY_PATH=\"/a:/b\" ./app'", COLON),
        ("ssh q6a env ADSP_LIBRARY_PATH=/a:/b ./app", COLON),
        # A ";" that a shell takes for the end of a command.
        ("export ADSP_LIBRARY_PATH=/a;/b", COLON),
        ("ADSP_LIBRARY_PATH=/a;/b ./app", COLON),
        ("export ADSP_LIBRARY_PATH=$D;$E", COLON),
        ('adb shell "cd /x && ADSP_LIBRARY_PATH=/a;/dsp ./app"', COLON),
        ("adb shell 'ADSP_LIBRARY_PATH=/a;/b ./app'", COLON),
        ("sh -c 'ADSP_LIBRARY_PATH=/a;/b ./app'", COLON),
        ("export ADSP_LIBRARY_PATH=/a; ./app", []),
        ("export ADSP_LIBRARY_PATH=/a;./app", []),
        ("ADSP_LIBRARY_PATH=/a; export ADSP_LIBRARY_PATH; ./app", []),
        ("ADSP_LIBRARY_PATH=/a\\;/b ./app", []),
        # adb and ssh join their arguments without the quotes around them.
        ('adb shell ADSP_LIBRARY_PATH="/a;/b" ./app', COLON),
        ('adb -s X shell -t ADSP_LIBRARY_PATH="/a;/b" ./app', COLON),
        ('adb wait-for-device shell ADSP_LIBRARY_PATH="/a;" ./app', COLON),
        ('sudo adb exec-out ADSP_LIBRARY_PATH="$D;/b" ./app', COLON),
        ('$ADB shell ADSP_LIBRARY_PATH="/a;/b" ./app', COLON),
        ('ssh -p 22 root@q6a ADSP_LIBRARY_PATH="/a;/b" ./app', COLON),
        ('$SSH ADSP_LIBRARY_PATH="/a;/b" ./app', COLON),
        ('adb shell export ADSP_LIBRARY_PATH="/a;/b" ./app', COLON),
        ('adb shell export ADSP_LIBRARY_PATH="/a\\;/b;" ./app', []),
        ("adb shell ADSP_LIBRARY_PATH=\\'/a\\;/b\\' ./app", []),
        ('adb shell "ADSP_LIBRARY_PATH=\\"/a;/b\\" ./app"', []),
        ("ssh q6a 'ADSP_LIBRARY_PATH=\"/a;/b\" ./app'", []),
        ('ADSP_LIBRARY_PATH="/a;/b" adb shell ./app', []),
        # commands in variables
        ('CMD="cd /x && ADSP_LIBRARY_PATH=/a;/b ./app"', COLON),
        ("RUN='ADSP_LIBRARY_PATH=/a:/b ./app'", COLON),
        ("RUN='ADSP_LIBRARY_PATH=\"/a;/b\" ./app'", []),
        ("LD_LIBRARY_PATH=//vendor/lib64/ ./app", VENDOR),
        ("adb shell export LD_LIBRARY_PATH=/odm//lib64:/a ADSP_LIBRARY_PATH=/b", VENDOR),
        ('ADSP_LIBRARY_PATH="/a;/b"', []),
        ('ADSP_LIBRARY_PATH="$D;${ADSP_LIBRARY_PATH:-/vendor/dsp}"', []),
        ('ADSP_LIBRARY_PATH="$(dirname "$0"):x" # ', COLON),
        ("ADSP_LIBRARY_PATH=/a # not /a:/b", []),
        ("# ADSP_LIBRARY_PATH=/a:/b", []),
        ("echo 'never :' ADSP_LIBRARY_PATH", []),
        ("LD_LIBRARY_PATH=/a:/b ./app", []),
        ("export LD_LIBRARY_PATH=/app/lib:/vendor/lib64", VENDOR),
        ("LD_LIBRARY_PATH=/vendor/lib64/:$LD_LIBRARY_PATH ./app", VENDOR),
        ("adb shell 'LD_LIBRARY_PATH=/odm/lib64 /app/bin/app'", VENDOR),
        ("LD_LIBRARY_PATH=/app/vendor/lib64 ./app", []),
        ("adb pull /vendor/lib64/libcdsprpc.so", []),
        ("LIBRARY_PATH=/vendor/lib64 ./app", []),
    ],
)
def test_paths(line: str, expected: list[tuple[str, int]], tmp_path: Path) -> None:
    assert rules_of(lint_texts(tmp_path, run_sh=line + "\n")) == expected


def test_here_documents(tmp_path: Path) -> None:
    script = "cat >run.sh <<'EOF'\nit's\nexport ADSP_LIBRARY_PATH=/a:/b\nEOF\necho 'x'\n"

    assert rules_of(lint_texts(tmp_path, run_sh=script)) == [("dsp-path-separator", 3)]
    assert rules_of(lint_texts(tmp_path, run_sh=script + "DSP_LIBRARY_PATH=a:b\n"))[1:] == [
        ("dsp-path-separator", 6)
    ]


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        ('setenv("ADSP_LIBRARY_PATH", "/a:" "/b", 1);', ["dsp-path-separator"]),
        ('setenv("ADSP_LIBRARY_PATH", "/a;/b", 1);', []),
        ('setenv("LD_LIBRARY_PATH", "/vendor/lib64", 1);', ["vendor-library-path"]),
        ('setenv("ADSP_LIBRARY_PATH", path, 1);', []),
    ],
)
def test_programs_that_set_variables(call: str, rule: list[str], tmp_path: Path) -> None:
    assert [r for r, _ in rules_of(lint_texts(tmp_path, a_c=in_function(call)))] == rule


def test_assignments_in_order() -> None:
    script = 'a=1 b="x $y" c=\'d\'\\\n  e+=f\nif [ "$a" = 2 ]; then g=`date`; fi'

    found = [(e.name, e.value) for e in read_script(script) if isinstance(e, Assignment)]

    assert found == [("a", "1"), ("b", "x \0"), ("c", "d"), ("e", "f"), ("g", "\0")]


def test_a_place_in_a_command_of_another_shell(tmp_path: Path) -> None:
    script = """x=1
adb shell 'cd /x;' "A=1 \\
  ADSP_LIBRARY_PATH=\\"/a:/b\\" ./app"
"""
    (finding,) = lint_texts(tmp_path, run_sh=script).findings

    assert (finding.place.line, finding.place.column) == (3, 3)
