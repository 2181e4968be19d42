"""What `ide --vscode` writes: a task starts the run, and LLDB's server for editors debugs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.device.debug.conftest import VERIFIED, WAIT_SECONDS, Debuggee


class DebugAdapter:
    """A client of lldb-dap, as an editor is one.

    The protocol: https://microsoft.github.io/debug-adapter-protocol/specification
    """

    def __init__(self, program: Path, workspace: Path) -> None:
        self._process = subprocess.Popen(
            [program], cwd=workspace, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin
        assert self._process.stdout
        self._in, self._out = self._process.stdin, self._process.stdout
        self._watchdog = threading.Timer(WAIT_SECONDS, self._process.kill)
        self._watchdog.start()
        self._sent = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._events: list[dict[str, Any]] = []
        self.shown = ""

    def send(self, command: str, **arguments: object) -> int:
        self._sent += 1
        message = {"type": "request", "command": command, "arguments": arguments}
        body = json.dumps({"seq": self._sent, **message}).encode()
        self._in.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._in.flush()
        return self._sent

    def ask(self, command: str, **arguments: object) -> dict[str, Any]:
        return self.answer(self.send(command, **arguments))

    def answer(self, number: int) -> dict[str, Any]:
        """Wait for the answer to a request."""
        while number not in self._answers:
            self._receive()
        answer = self._answers.pop(number)
        assert answer["success"], (answer, self.shown)
        body: dict[str, Any] = answer.get("body") or {}
        return body

    def event(self, name: str) -> dict[str, Any]:
        """Wait for an event."""
        while not (found := [event for event in self._events if event["event"] == name]):
            self._receive()
        self._events.remove(found[0])
        body: dict[str, Any] = found[0].get("body") or {}
        return body

    def end(self) -> None:
        self._in.close()
        try:
            self._process.wait(WAIT_SECONDS)
        finally:
            self._watchdog.cancel()
            self._process.kill()
            self._process.wait()
            self._out.close()

    def _receive(self) -> None:
        header = b""
        while not header.endswith(b"\r\n\r\n"):
            byte = self._out.read(1)
            assert byte, f"lldb-dap has ended; it showed:\n{self.shown}"
            header += byte
        length = re.search(rb"Content-Length: (\d+)", header)
        assert length
        message: dict[str, Any] = json.loads(self._out.read(int(length[1])))
        if message["type"] == "response":
            self._answers[message["request_seq"]] = message
        elif message["event"] == "output":
            self.shown += message["body"]["output"]
        else:
            self._events.append(message)


@contextmanager
def adapter(lldb: Path, workspace: Path) -> Iterator[DebugAdapter]:
    client = DebugAdapter(lldb / "lldb-dap", workspace)
    try:
        yield client
    finally:
        client.end()


@contextmanager
def started(task: dict[str, Any], debuggee: Debuggee) -> Iterator[subprocess.Popen[str]]:
    """A background task, which an editor gives to a shell, as soon as its end pattern appears."""
    with subprocess.Popen(
        ["sh", "-c", task["command"]],
        cwd=debuggee.root,
        env={**os.environ, **debuggee.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            assert process.stdout
            shown = ""
            for line in process.stdout:
                shown += line
                if re.search(task["problemMatcher"]["background"]["endsPattern"], line):
                    yield process
                    return
            pytest.fail(shown)
        finally:
            process.terminate()


def test_a_debug_configuration_stops_in_the_kernel(debuggee: Debuggee, lldb: Path) -> None:
    debuggee.succeeds("ide", "--vscode")
    tasks, launch = (
        json.loads((debuggee.root / ".vscode" / name).read_text().partition("\n")[2])
        for name in ("tasks.json", "launch.json")
    )
    (configuration,) = launch["configurations"]
    (task,) = [task for task in tasks["tasks"] if task["label"] == configuration["preLaunchTask"]]
    workspace = str(debuggee.root)
    commands = [
        command.replace("${workspaceFolder}", workspace)
        for command in configuration["attachCommands"]
    ]
    source = debuggee.root / "dsp/src/my_project_dsp_imp.c"
    line = source.read_text().partition("if (b_len != a_len")[0].count("\n") + 1
    with started(task, debuggee) as process, adapter(lldb, debuggee.root) as editor:
        editor.ask("initialize", adapterID="lldb-dap", linesStartAt1=True, pathFormat="path")
        attach = editor.send("attach", attachCommands=commands)
        editor.event("initialized")
        editor.ask("setBreakpoints", source={"path": str(source)}, breakpoints=[{"line": line}])
        editor.ask("configurationDone")
        editor.answer(attach)
        stopped = editor.event("stopped")
        while stopped.get("reason") != "breakpoint":  # the stop at which LLDB attached, sometimes
            stopped = editor.event("stopped")
        top, *callers = editor.ask("stackTrace", threadId=stopped["threadId"])["stackFrames"]
        assert (top["source"]["path"], top["line"]) == (str(source), line)
        assert "request_invoke" in [frame["name"] for frame in callers]
        editor.ask("setBreakpoints", source={"path": str(source)}, breakpoints=[])
        editor.ask("continue", threadId=stopped["threadId"])
        assert editor.event("exited") == {"exitCode": 0}
        assert process.stdout
        assert VERIFIED in process.stdout.read()
        assert process.wait() == 0


def test_the_task_that_runs_finds_errors_of_compilers(debuggee: Debuggee) -> None:
    debuggee.succeeds("ide", "--vscode")
    tasks = json.loads((debuggee.root / ".vscode/tasks.json").read_text().partition("\n")[2])
    build, *_ = tasks["tasks"]
    assert build["label"] == "buildtool: build sim"
    debuggee.edit("dsp/src/my_project_dsp_imp.c", "#include", "#warning seen\n#include")
    try:
        done = subprocess.run(
            [build["command"], *build["args"]],
            cwd=debuggee.root,
            env={**os.environ, **debuggee.environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    finally:
        debuggee.edit("dsp/src/my_project_dsp_imp.c", "#warning seen\n#include", "#include")
    pattern = build["problemMatcher"]["pattern"]
    (found,) = re.findall(pattern["regexp"], done.stdout + done.stderr, re.MULTILINE)
    assert found[0].endswith("dsp/src/my_project_dsp_imp.c")
    assert (debuggee.root / found[0]).is_file()
    assert found[3:5] == ("warning", "seen [-W#warnings]")
