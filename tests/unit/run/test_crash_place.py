"""What the history of a project keeps of a crash."""

from __future__ import annotations

import pytest

from buildtool.run.watched_run import crash_place
from buildtool.testing.results import Outcome, TestResult, _test, after_dsp_crash, last_line

CRASH = """\
the DSP process crashed: the method has written outside of an argument
  1 byte past the end of parameter 'out' of mix (rout, 1,000 bytes)
  at memcpy (libmix_skel.so+0x40)
  by fill (mix.c:12)
  by mix (mix.c:20)
  in mix, method 3 of libmix_skel.so"""
STACK = """\
the DSP process crashed: the stack is too small
  remote_session_control(FASTRPC_THREAD_PARAMS) sets the size
  at libmix_skel.so+0x40
  by libmix_skel.so+0x80
  libmix_skel.so has no debug information for lines: compile it with -g"""


@pytest.mark.parametrize("before", ["", "at first\n  at last\n", "bin/mix: "])
def test_a_crash_has_buffer_and_functions_up_to_a_known_line(before: str) -> None:
    what, buffer, *_ = CRASH.split("\n")

    assert crash_place(f"{before}{CRASH}\n\n{STACK}") == {
        "what": what,
        "buffer": buffer.strip(),
        "at": "memcpy (libmix_skel.so+0x40)\nby fill (mix.c:12)",
    }


def test_what_is_not_known_of_a_crash_is_left_out() -> None:
    what = STACK.partition("\n")[0]

    assert crash_place(STACK) == {"what": what, "at": "libmix_skel.so+0x40"}
    assert crash_place("the program crashed on the ARM64 side: why\n  at f (m.c:3)") == {
        "what": "the program crashed on the ARM64 side: why",
        "at": "f (m.c:3)",
    }
    assert crash_place("exit status 1\n  at home") == {}


@pytest.mark.parametrize(
    ("output", "line"),
    [("", ""), ("\n \n", ""), ("one\n  two \n\n", "two"), ("x" * 9000, "x" * 500)],
)
def test_the_last_line_of_output(output: str, line: str) -> None:
    assert last_line(output) == line


def test_a_failed_test_is_recorded_with_its_last_line_and_crash() -> None:
    result = TestResult("unit", "mix", "sim", Outcome.FAILED, 1, "exit status 1", CRASH, said="bad")
    crashed = after_dsp_crash(result, CRASH.partition("\n")[0])

    assert _test(result)["said"] == "bad"
    assert "crash" not in _test(result)
    assert _test(crashed)["crash"]["at"].endswith("by fill (mix.c:12)")
    assert "said" not in _test(result._replace(outcome=Outcome.PASSED))
