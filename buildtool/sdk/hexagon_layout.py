"""The directory layout of a Hexagon SDK.  Nothing is started.

Sources: public build files for SDKs 4.4 to 6.6 (llama.cpp, TVM, Halide, PX4, executorch), and the
SDK's CMake files where these quote them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from buildtool.project.keys import HEXAGON_ARCHS
from buildtool.sdk.program import foreign_machine
from buildtool.sdk.tool_search import NamedToolMissingError, Problem, version_numbers

MAX_JSON = 4 << 20
TOOLS_VARIABLES = ("HEXAGON_TOOLS_ROOT", "DEFAULT_HEXAGON_TOOLS_ROOT")
RUNTIME = ("libc++.so.1", "libc++abi.so.1")
"""The C++ runtime, by SONAME.  From v68 on no DSP shell contains it."""
QAIC_PATHS = (
    "ipc/fastrpc/qaic/bin/qaic",  # the SDK's set-up script installs this machine's program here
    "ipc/fastrpc/qaic/Ubuntu/qaic",
    "ipc/fastrpc/qaic/Ubuntu22/qaic",
    "ipc/fastrpc/qaic/Ubuntu20/qaic",
    "ipc/fastrpc/qaic/Ubuntu18/qaic",
    "ipc/fastrpc/qaic/Ubuntu16/qaic",
    "qaic/bin/qaic",
    "tools/utils/qaic/Ubuntu22/qaic",
    "tools/qaic/Ubuntu16/qaic",
    "tools/qaic/Ubuntu14/qaic",
    "tools/qaic/Linux/qaic",
)


def is_sdk(root: Path) -> bool:
    """Whether the directory looks like an SDK, complete or not."""
    if (root / "hexagon_sdk.json").is_file():
        return True
    return (root / "incs").is_dir() and any(
        (root / part).is_dir() for part in ("ipc/fastrpc", "tools/HEXAGON_Tools", "rtos/qurt")
    )


def sdk_version(root: Path) -> str:
    """The version at the end of the directory's name ("6.4.0.2", "hexagon-sdk-v6.6.0.0"), or ""."""
    match = re.search(r"(?:^|[-_v])(\d{1,4}(?:\.\d{1,4}){1,3})$", root.name)
    return match[1] if match else ""


def default_sdk_paths() -> Iterator[Path]:
    """The usual installation paths, which may hold several versions."""
    home = Path.home()
    parents = (
        home / "Qualcomm/Hexagon_SDK",
        Path("/local/mnt/workspace/Qualcomm/Hexagon_SDK"),  # Qualcomm's installer
        Path("/opt/qcom/Hexagon_SDK"),
        Path("/opt/Hexagon_SDK"),
        Path("/opt/hexagon"),  # the images of snapdragon-toolchain
        Path("/opt/hexagon-sdk"),
        home / "Hexagon_SDK",
        home / ".hexagon-sdk",
        home / "hexagon",
    )
    for parent in parents:
        yield parent  # may be an SDK or a link to one
        try:
            yield from sorted(path for path in parent.glob("[0-9]*.[0-9]*") if path.is_dir())
        except OSError:
            continue


def find_tools(root: Path) -> tuple[Path | None, list[Problem]]:
    """The Hexagon Tools of the SDK in `root`: the directory that contains `Tools/bin`.

    `hexagon_sdk.json` names it; else an environment variable does; else it is the newest in
    `tools/HEXAGON_Tools`.  Raises `NamedToolMissingError` when such a variable names a directory
    without the tools.
    """
    named_path, problems = _tools_in_json(root)
    if named_path and (root / named_path / "Tools").is_dir():
        return root / named_path, problems
    if named_path:
        text = f"hexagon_sdk.json names {named_path} for its tools, but they are not there"
        problems.append(Problem(text, "Unpack the SDK again, with its tools."))
    for variable in TOOLS_VARIABLES:
        if value := os.environ.get(variable):
            named = Path(value).absolute()
            # Some installations name the directory `Tools` itself.
            for tools in (named, named.parent):
                if (tools / "Tools" / "bin").is_dir():
                    return tools, problems
            raise NamedToolMissingError(
                f"{variable} names {named}, but there are no Hexagon Tools",
                why=f"Tools/bin/hexagon-clang is missing, and the SDK in {root} does not name its"
                " tools",
                remedy=f"Correct {variable}, or unset it.",
            )
    everything = [path for path in root.glob("tools/HEXAGON_Tools/*") if (path / "Tools").is_dir()]
    newest = max(everything, key=lambda path: version_numbers(path.name), default=None)
    return newest, problems


def find_qaic(root: Path) -> tuple[Path | None, list[Problem]]:
    """The SDK's IDL compiler for Linux: the first that can run."""
    places = [root / place for place in QAIC_PATHS]
    there = [path for path in places if path.is_file()]
    problems = [problem for path in there[:1] if (problem := execution_problem(path))]
    fit = next((path for path in there if not execution_problem(path)), None)
    if fit:
        return fit, []
    if not there:
        text = "it has no qaic (searched: " + ", ".join(QAIC_PATHS) + ")"
        problems = [Problem(text, 'Use idl-compiler = "buildtool", or install the complete SDK.')]
    return None, problems


def execution_problem(program: Path) -> Problem | None:
    """Why this machine cannot run `program`; None if it can."""
    if not os.access(program, os.X_OK):
        return Problem(f"{program} is not executable", f"Make it executable: chmod +x '{program}'")
    try:
        with program.open("rb") as stream:
            head = stream.read(20)
    except OSError as error:
        return Problem(f"{program} cannot be read: {error.strerror}", "Correct its permissions.")
    if foreign := foreign_machine(head):
        import platform  # noqa: PLC0415 - rarely needed

        return Problem(
            f"{program} is built for {foreign}, but this machine is {platform.machine()}",
            "The SDK is for x86-64: build there, register an emulator for its programs with"
            ' binfmt_misc, or use dsp-toolchain = "llvm" and idl-compiler = "buildtool".',
        )
    return None


def find_archs(root: Path, tools: Path) -> tuple[str, ...]:
    """The DSP archs for which the SDK has both QuRT's headers and the tools' libraries."""
    return tuple(
        arch
        for arch in HEXAGON_ARCHS
        if (root / "rtos" / "qurt" / f"compute{arch}" / "include").is_dir()
        and pic_libraries(tools, arch).is_dir()
    )


def pic_libraries(tools: Path, arch: str) -> Path:
    """The directory of the libraries that shared objects for `arch` link."""
    return tools / "Tools" / "target" / "hexagon" / "lib" / arch / "G0" / "pic"


def _tools_in_json(root: Path) -> tuple[str, list[Problem]]:
    """The path of the Hexagon Tools in `hexagon_sdk.json`, or ""."""
    file = root / "hexagon_sdk.json"
    if not file.is_file():
        return "", []
    try:
        if file.stat().st_size > MAX_JSON:
            raise ValueError("it is too large")
        document: Any = json.loads(file.read_bytes())
        entries = document["root"]["tools"]["info"]
        named = [entry["path"] for entry in entries if entry.get("name") == "Hexagon Tools"]
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        text = f"its hexagon_sdk.json cannot be read ({type(error).__name__}: {error})"
        return "", [Problem(text, "Unpack the SDK again.")]
    for path in named:
        if not isinstance(path, str) or "\0" in path:
            continue
        parts = PurePosixPath(path.replace("\\", "/")).parts
        if parts and not path.startswith("/") and ".." not in parts:
            return str(PurePosixPath(*parts)), []
    if not named:
        return "", []
    text = "its hexagon_sdk.json names Hexagon Tools outside the SDK"
    return "", [Problem(text, "Unpack the SDK again.")]
