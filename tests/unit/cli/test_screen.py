"""The exact text on the terminal for given events, with a simulated clock."""

from __future__ import annotations

import threading
import time

import pytest

from buildtool.cli.screen import Screen
from buildtool.core.errors import BuildtoolError
from buildtool.core.events import (
    BuildFinished,
    BuildStarted,
    Note,
    RunsOn,
    StepFailed,
    StepFinished,
    StepOutput,
    StepSkipped,
    StepStarted,
    Warned,
)
from tests.unit.cli.drawn import LIVE, TICK, drawn, live
from tests.unit.cli.terminal import Terminal

pytestmark = pytest.mark.usefixtures("plain_terminal")


def test_a_remedy_is_printed_once() -> None:
    text = drawn(
        BuildStarted(2),
        StepFailed("skel/k/v68", BuildtoolError("no", remedy="Define it so.")),
        StepFailed("skel/k/v73", BuildtoolError("neither", remedy="Define it so.")),
        BuildFinished(),
    )
    assert text == "error: no\n  → Define it so.\nerror: neither\n"


def test_a_line_for_each_step_that_had_something_to_do_and_one_for_the_others() -> None:
    assert drawn(
        BuildStarted(5),
        StepStarted("host/app", "app"),
        StepStarted("skel/k/v68", "k"),
        StepStarted("skel/k/v73", "k"),
        StepFinished("skel/k/v68", "restored", 0.04),
        StepFinished("skel/k/v73", "up-to-date", 0.0),
        StepFinished("skel/k/v75", "up-to-date", 0.0),
        StepFinished("host/app", "built", 12.34),
        BuildFinished(),
    ) == (
        "✓ skel/k/v68                   restored       0.0 s\n"
        "✓ host/app                     built         12.3 s\n"
        "· 2 steps up to date\n"
    )


def test_one_line_when_all_is_up_to_date() -> None:
    done = [StepFinished(f"skel/k{number}/v68", "up-to-date", 0.0) for number in range(60)]

    assert drawn(BuildStarted(60), *done, BuildFinished()) == "· 60 steps up to date\n"
    assert drawn(BuildStarted(60), *done, BuildFinished(), quiet=True) == ""
    assert drawn(BuildStarted(1), done[0], BuildFinished()) == "· skel/k0/v68 up to date\n"
    assert len(drawn(BuildStarted(60), *done, BuildFinished(), verbose=True).splitlines()) == 60


def test_a_terminal_says_where_a_program_runs() -> None:
    on = RunsOn("sim", "SM8750", "v79")

    assert live(on) == "on sim SM8750 (v79)\n"
    assert live(RunsOn("board", "", "")) == "on board\n"
    assert drawn(on) == ""


def test_the_next_build_restarts_the_count() -> None:
    one = (BuildStarted(1), StepFinished("a", "up-to-date", 0.0), BuildFinished())

    assert drawn(*one, *one) == "· a up to date\n" * 2


def test_failed_and_skipped_steps() -> None:
    error = BuildtoolError("building k failed", why="it says\nso", remedy="Repair it.")

    assert drawn(
        BuildStarted(3),
        StepFinished("skel/k/v68", "failed", 1.0),
        StepSkipped("host/app", "skel/k/v68"),
        StepSkipped("host/other", ""),
        BuildFinished(),
        StepFailed("skel/k/v68", error),
    ) == (
        "✗ skel/k/v68                   failed         1.0 s\n"
        "- host/app                     skipped      needs skel/k/v68\n"
        "- host/other                   skipped\n"
        "error: building k failed\n  it says\n  so\n  → Repair it.\n"
    )


def test_the_live_line_shows_what_runs_now() -> None:
    shown = live(
        BuildStarted(7),
        StepStarted("host/app", "app"),
        StepStarted("skel/k/v73", "k"),
        StepFinished("skel/k/v68", "built", 0.2),
        StepOutput("host/app", "[1/40] Building C object a.o"),  # too early for a live line
        0.5,
        StepOutput("host/app", "[12/40] Building C object b.o"),
        0.01,
        StepOutput("skel/k/v73", "[2/9] Building C object c.o"),  # too soon after the last
        0.1,
        StepOutput("skel/k/v73", "[3/9] Building C object d.o"),
        StepFinished("skel/k/v73", "built", 0.6),
        StepFinished("host/app", "built", 0.6),
        BuildFinished(),
    )

    assert shown == (
        "✓ skel/k/v68                   built          0.2 s\n"
        f"{LIVE}  1/7  host/app [12/40]  skel/k/v73"
        f"{LIVE}  1/7  host/app [12/40]  skel/k/v73 [3/9]"
        f"{LIVE}✓ skel/k/v73                   built          0.6 s\n"
        f"{LIVE}  2/7  host/app [12/40]"
        f"{LIVE}✓ host/app                     built          0.6 s\n"
    )


def test_the_live_line_of_a_single_step_shows_its_last_line_within_the_width() -> None:
    shown = live(
        StepStarted("host/app", "app"),
        2.0,
        StepOutput("host/app", "\tBuilding\x1b[31m a very long name"),
        StepFinished("host/app", "built", 2.0),
        columns=30,
    )

    assert shown == (
        f"{LIVE}  host/app 2 s  Building [3"  # and room for ^C
        f"{LIVE}✓ host/app                     built          2.0 s\n"
    )


def test_the_live_line_tells_how_long_while_tools_are_silent() -> None:
    alone = live(StepStarted("emulator/shell", "x"), 40.0, TICK, 1.0, TICK)
    several = live(
        BuildStarted(2),
        StepStarted("host/app", "app"),
        StepOutput("host/app", "[48/51] Linking"),
        12.0,
        StepStarted("skel/k/v68", "k"),
        3.0,
        TICK,
    )

    assert alone == f"{LIVE}  emulator/shell 40 s{LIVE}  emulator/shell 41 s"
    assert several.rpartition(LIVE)[2] == "  0/2  host/app [48/51] 15 s  skel/k/v68 3 s"


def test_without_a_terminal_a_long_step_is_reported_once() -> None:
    events = (
        StepStarted("host/app", "app"),
        9.0,
        TICK,
        StepOutput("host/app", "[48/51] Linking app"),
        2.0,
        TICK,
        50.0,
        TICK,
        StepStarted("skel/k/v68", "k"),
        11.0,
        TICK,
    )

    assert drawn(*events, quiet=True) == (
        "host/app: running for 11 s: [48/51] Linking app\nskel/k/v68: running for 11 s\n"
    )


def test_a_thread_ticks_while_steps_run_and_ends_with_them() -> None:
    stream, threads = Terminal(), threading.active_count()
    screen = Screen(stream=stream, columns=lambda: 80, tick=0.01)

    screen(StepStarted("host/app", "app"))
    while LIVE not in stream.getvalue():  # without any other event
        time.sleep(0.01)
    screen(StepFinished("host/app", "built", 0.5))
    while threading.active_count() > threads:
        time.sleep(0.01)

    assert stream.getvalue().endswith("✓ host/app                     built          0.5 s\n")


def test_messages_of_cmake_are_not_progress() -> None:
    shown = live(
        StepStarted("host/app", "app"),
        StepOutput("host/app", "configuring"),
        StepOutput("host/app", "loading initial cache file /quiet_policies.cmake"),
        30.0,
        TICK,
    )

    assert shown == f"{LIVE}  host/app 30 s  configuring"


def test_nothing_is_left_of_the_live_line_when_a_build_ends() -> None:
    shown = live(
        BuildStarted(2),
        StepStarted("host/app", "app"),
        1.0,
        StepOutput("host/app", "-- Looking"),
        StepFinished("host/app", "up-to-date", 1.0),
    )

    assert shown == f"{LIVE}  0/2  host/app 1 s{LIVE}"


def test_verbose_prints_every_line_with_its_step() -> None:
    events = (
        BuildStarted(2),
        StepStarted("host/app", "app"),
        1.0,
        StepOutput("host/app", "[1/2] Building C object a.o"),
        StepOutput("skel/k/v68", "warning: b"),
        StepFinished("host/app", "up-to-date", 1.0),
        BuildFinished(),
    )
    wanted = (
        "host/app: [1/2] Building C object a.o\n"
        "skel/k/v68: warning: b\n"
        "· host/app                     up-to-date     1.0 s\n"
    )

    assert live(*events, verbose=True) == wanted
    assert drawn(*events, verbose=True) == wanted


def test_elsewhere_than_on_a_terminal_there_is_no_live_line() -> None:
    assert (
        drawn(
            BuildStarted(2),
            StepStarted("host/app", "app"),
            5.0,
            StepOutput("host/app", "[1/2] x"),
            Warned("host/app", "a.c: warning: y"),
            Note("waiting for another buildtool"),
        )
        == "host/app:\na.c: warning: y\nwaiting for another buildtool\n"
    )


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb"), ("", "")])
def test_colours_only_where_they_are_wanted(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR")
    if variable:
        monkeypatch.setenv(variable, value)

    failed = live(StepFinished("a", "failed", 1.0))
    built = live(StepFinished("a", "built", 1.0))

    assert failed.startswith("✗ a" if variable else "\x1b[31m✗\x1b[0m a")
    assert built.startswith("✓ a" if variable else "\x1b[32m✓\x1b[0m a")


HOSTILE = "a\x1b]0;title\x07\u202eb\x9b2J"
SHOWN = "a\\x1b]0;title\\x07\\u202eb\\x9b2J"


def test_no_name_and_no_tool_drives_the_terminal() -> None:
    events = (
        StepStarted(HOSTILE, HOSTILE),
        StepOutput(HOSTILE, HOSTILE),
        Warned(HOSTILE, HOSTILE),
        Note(HOSTILE),
        StepFailed(HOSTILE, BuildtoolError(HOSTILE, why=HOSTILE, remedy=HOSTILE)),
        StepSkipped(HOSTILE, HOSTILE),
        StepFinished(HOSTILE, "built", 1.0),
    )

    output = drawn(*events, verbose=True)
    assert output.count(SHOWN) == 10
    assert all(character == "\n" or character.isprintable() for character in output)
    on_terminal = live(BuildStarted(2), *events[:2], 1.0, *events[2:], columns=200).replace(
        LIVE, ""
    )
    assert all(character == "\n" or character.isprintable() for character in on_terminal)
