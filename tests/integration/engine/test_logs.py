"""The log of a step is complete, is written during the step, and is named in the error."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from buildtool.core.processes.process import Completed, ToolError
from buildtool.drivers.cmake.step_tools import StepLog, step_log

ENVIRONMENT = {"PATH": os.environ["PATH"]}


def sh(log: StepLog, script: str, cwd: Path, seen: list[str] | None = None) -> Completed:
    on_line = seen.append if seen is not None else lambda _: None
    return log.capture(["sh", "-c", script], env=ENVIRONMENT, cwd=cwd, on_line=on_line)


def test_commands_their_output_and_their_ends_are_in_the_log(tmp_path: Path) -> None:
    seen: list[str] = []
    with step_log(tmp_path / "logs", "skel/k/v68", "k with hexagon-v68") as log:
        sh(log, "echo one; echo two >&2", tmp_path, seen)
        # The log can be read while the step runs.
        assert "two\n(exit status 0 after" in log.path.read_text()
        sh(log, "kill -9 $$", tmp_path)

    assert seen == ["one", "two"]
    assert log.path == tmp_path / "logs" / "skel-k-v68.log"
    text = re.sub(r"\d\d\d\d-.*", "DATE", re.sub(r"\d+\.\d s", "0.0 s", log.path.read_text()))
    assert text == (
        "skel/k/v68: k with hexagon-v68, DATE\n"
        f"\n$ sh -c 'echo one; echo two >&2'   (in {tmp_path})\n"
        "one\ntwo\n(exit status 0 after 0.0 s)\n"
        f"\n$ sh -c 'kill -9 $$'   (in {tmp_path})\n"
        "(signal 9 after 0.0 s)\n"
    )


def test_the_log_of_a_step_that_runs_nothing_stays_as_it_was(tmp_path: Path) -> None:
    with step_log(tmp_path, "host/a", "a") as log:
        sh(log, "echo first", tmp_path)
    before = log.path.read_text()
    with step_log(tmp_path, "host/a", "a"):
        pass
    assert log.path.read_text() == before

    with step_log(tmp_path, "host/a", "a") as log:
        sh(log, "echo second", tmp_path)
    assert "first" not in log.path.read_text()


def test_an_error_shows_what_matters_and_names_the_log(tmp_path: Path) -> None:
    with step_log(tmp_path, "host/a", "a") as log:
        done = sh(log, "seq 1000; echo at last; exit 3", tmp_path)
        with pytest.raises(ToolError, match=r"building a failed \(exit status 3\)") as raised:
            log.check(done, "building a", remedy="Repair it.")

    lines = raised.value.why.splitlines()
    assert lines[-2:] == ["at last", f"the whole log: {log.path}"]
    assert len(lines) <= 41
    assert "\n500\n" in log.path.read_text()


def test_an_interruption_is_reported(tmp_path: Path) -> None:
    def stop(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), step_log(tmp_path, "host/a", "a") as log:
        log.capture(["sh", "-c", "echo x; sleep 60"], env=ENVIRONMENT, cwd=tmp_path, on_line=stop)

    assert "x\n(was interrupted after" in log.path.read_text()


def test_a_log_that_cannot_be_written_costs_the_log_only(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file is in the way")
    with step_log(tmp_path / "logs", "host/a", "a") as log:
        done = sh(log, "echo x; exit 1", tmp_path)
        assert done.output == "x"
        with pytest.raises(ToolError) as raised:
            log.check(done, "building a")

    assert raised.value.why == "x"
