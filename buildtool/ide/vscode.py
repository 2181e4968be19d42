"""Tasks and debug configurations for Visual Studio Code.

Source of the formats: https://code.visualstudio.com/docs/debugtest/tasks and the README of the
extension LLDB DAP, llvm-vs-code-extensions.lldb-dap.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from buildtool.core.files import read_regular, value_digest, write_if_changed
from buildtool.ide.write_files import Written
from buildtool.project.model import Project

FOLDER = ".vscode"
LLDB_SCRIPT = Path("ide", "lldb")
"""In the project's state: a link to the commands for LLDB of the run that started last."""
WAITS = "the DSP process waits for a debugger"
"""Part of what a run with --debug prints when LLDB can attach."""
_MARK = "// Written by buildtool ide --vscode, digest "
_MAX_BYTES = 4 << 20
_DIAGNOSTICS = {
    "owner": "buildtool",
    "fileLocation": ["autoDetect", "${workspaceFolder}"],
    "pattern": {
        "regexp": r"^\s*(.+?):(\d+):(\d+):\s+(?:fatal )?(warning|error|note):\s+(.*)$",
        "file": 1,
        "line": 2,
        "column": 3,
        "severity": 4,
        "message": 5,
    },
}


def write_vscode(project: Project, target: str) -> list[Written]:
    """Write tasks that build `target` and run and test on `sim`, and configurations that debug the
    DSP side of each named run, or of the only program."""
    runs = [("sim", *((name,) if name else ())) for name in (project.runs or ("",))]
    tasks = [*_tasks(target, runs)]
    launches = [
        {
            "name": f"DSP side: {' '.join(run)}",
            "type": "lldb-dap",
            "request": "attach",
            "attachCommands": [
                f"command source '${{workspaceFolder}}/{project.state.name}/{LLDB_SCRIPT}'"
            ],
            "preLaunchTask": _debug_label(run),
        }
        for run in runs
    ]
    return [
        _write(project, "tasks.json", {"version": "2.0.0", "tasks": tasks}),
        _write(project, "launch.json", {"version": "0.2.0", "configurations": launches}),
    ]


def _tasks(target: str, runs: list[tuple[str, ...]]) -> Iterator[dict[str, Any]]:
    yield _task(("build", target), group={"kind": "build", "isDefault": True})
    yield _task(("test", "sim"), group={"kind": "test", "isDefault": True})
    yield _task(("lint",))
    for run in runs:
        yield _task(("run", *run))
    for run in runs:
        # Without input from the terminal the run leaves LLDB to the editor.
        words = _command("run", *run, "--debug", "--build-type", "Debug")
        yield {
            "label": _debug_label(run),
            "type": "shell",
            "command": f"{shlex.join(words)} </dev/null",
            "isBackground": True,
            "problemMatcher": {
                **_DIAGNOSTICS,
                "background": {
                    "activeOnStart": True,
                    "beginsPattern": "^buildtool$",
                    "endsPattern": WAITS,
                },
            },
        }


def _debug_label(run: tuple[str, ...]) -> str:
    return f"buildtool: debug {' '.join(run)}"


def _task(arguments: tuple[str, ...], **more: Any) -> dict[str, Any]:
    program, *words = _command(*arguments)
    return {
        "label": f"buildtool: {' '.join(arguments)}",
        "type": "process",
        "command": program,
        "args": words,
        "problemMatcher": _DIAGNOSTICS,
        **more,
    }


def _command(*arguments: str) -> list[str]:
    """`buildtool` with `arguments` for a program that may have another PATH."""
    return [sys.executable, "-P", "-m", "buildtool", *arguments]


def _write(project: Project, name: str, content: Mapping[str, Any]) -> Written:
    text = json.dumps(content, indent=2) + "\n"
    marked = f"{_MARK}{value_digest(text)}\n{text}"
    place = project.root / FOLDER / name
    if _is_free(place):
        return Written(place, write_if_changed(place, marked))
    own = project.state / "ide" / name
    return Written(
        own,
        write_if_changed(own, marked),
        f"{place} is your own and stays as it is; copy into it what you need",
    )


def _is_free(place: Path) -> bool:
    """Whether there is no file at `place`, or an unchanged one that this program wrote."""
    if not place.exists() and not place.is_symlink():
        return True
    if place.is_symlink() or not place.is_file():
        return False
    mark, _, text = read_regular(place, _MAX_BYTES).decode(errors="replace").partition("\n")
    return mark == _MARK + value_digest(text)
