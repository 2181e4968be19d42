"""The Hexagon SDK: the vendor's compiler, headers and IDL compiler, installed by the user."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from buildtool.core.files import value_digest
from buildtool.project.model import Tool
from buildtool.sdk.hexagon_layout import (
    RUNTIME,
    default_sdk_paths,
    execution_problem,
    find_archs,
    find_qaic,
    find_tools,
    is_sdk,
    pic_libraries,
    sdk_version,
)
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    FoundTool,
    Problem,
    search,
    tool_identity,
    version_numbers,
)

VARIABLES = ("HEXAGON_SDK_ROOT",)
INSTALL = (
    "Install the Hexagon SDK (buildtool sdk install hexagon 6.5.0.0, or Qualcomm Package Manager),"
    " then set HEXAGON_SDK_ROOT or 'path' in [tool.hexagon-sdk] to the directory with"
    ' hexagon_sdk.json; or use dsp-toolchain = "llvm".'
)
_PROGRAMS = ("hexagon-clang", "hexagon-clang++", "hexagon-link", "hexagon-ar")
_CLIENT_VARIANTS = {
    "ubuntu-aarch64": ("UbuntuARM_aarch64", "linux_aarch64"),
    "android": ("android_aarch64",),
}
_LINKED_FILES = ("initS.o", "finiS.o", "libgcc.a", "libgcc.so", "libc.so", *RUNTIME)


class HexagonSdk(FoundTool, kw_only=True):
    """A found SDK; `where` is its directory with links resolved, as its CMake files see it."""

    tools: Path | None  # the directory that contains `Tools/bin`
    tools_version: str
    archs: tuple[str, ...]  # that this machine can compile for, none if the compiler cannot run
    qaic: Path | None  # the IDL compiler, None if none can run
    tools_problems: tuple[Problem, ...] = ()  # why
    qaic_problems: tuple[Problem, ...] = ()  # why

    @property
    def usable(self) -> bool:
        """Whether it compiles for any arch, even without qaic or with a fault for one arch."""
        return bool(self.archs)

    def program(self, name: str) -> Path:
        """A program of the Hexagon Tools, such as `hexagon-clang`."""
        assert self.tools is not None, "an SDK without archs compiles nothing"
        return self.tools / "Tools" / "bin" / name

    @property
    def tools_variant(self) -> str:
        """The tools' name in the SDK's directory names: `toolv87`, `toolv88`, `toolv19`."""
        major, minor = (*version_numbers(self.tools_version), 0, 0)[:2]
        return f"toolv{major}" if major >= 10 else f"toolv{major}{minor}"

    def pic_libraries(self, arch: str) -> Path:
        """The directory of the libraries that a skel for `arch` links."""
        assert self.tools is not None
        return pic_libraries(self.tools, arch)

    def runtime(self, arch: str) -> dict[str, Path]:
        """The runtime libraries that ship beside skels that need them, by SONAME."""
        folder = self.pic_libraries(arch)
        return {name: folder / name for name in RUNTIME if (folder / name).is_file()}

    def include_dirs(self, arch: str) -> tuple[str, ...]:
        """The header directories for skels of `arch`, relative to the SDK."""
        qurt = f"rtos/qurt/compute{arch}/include"
        places = (
            *("incs", "incs/stddef", "ipc/fastrpc/incs"),
            *("ipc/fastrpc/rpcmem", "ipc/fastrpc/rpcmem/inc"),
            *(qurt, f"{qurt}/qurt", f"{qurt}/posix"),
            "utils/examples",
        )
        return tuple(place for place in places if (self.where / place).is_dir())

    def client_variant(self, platform: str) -> str:
        """The name of `platform` in the SDK's directory names, such as `android_aarch64`."""
        names = _CLIENT_VARIANTS[platform]
        ship = self.where / "ipc" / "fastrpc" / "remote" / "ship"
        return next((name for name in names if (ship / name).is_dir()), names[0])

    @property
    def idl_includes(self) -> tuple[Path, ...]:
        """The directories of the SDK's IDL files (AEEStdDef.idl, remote.idl) and their headers."""
        return tuple(self.where / place for place in ("incs", "incs/stddef"))

    def known_fault(self, arch: str) -> Problem | None:
        """The known defect of the code that the compiler generates for `arch`, if any."""
        return _known_fault(self.tools_version, arch)


def find_hexagon_sdk(requirement: Tool = NO_REQUIREMENT) -> HexagonSdk:
    """Find the SDK: $HEXAGON_SDK_ROOT, else `path` in [tool.hexagon-sdk], else default paths.

    Raises `ToolMissingError` if none is found or a named path has none, `ToolUnfitError` when the
    project requires another version.
    """
    return search(
        "the Hexagon SDK",
        requirement=requirement,
        variables=VARIABLES,
        default_paths=list(default_sdk_paths()),
        probe=probe_hexagon_sdk,
        install_remedy=INSTALL,
    )


def probe_hexagon_sdk(path: Path) -> HexagonSdk | None:
    """The SDK in the directory `path`; None if it is not an SDK."""
    if not is_sdk(path):
        return None
    root = path.resolve()
    tools, tools_problems = find_tools(root)
    tools_version = tools.resolve().name if tools else ""
    if not version_numbers(tools_version) and tools:
        tools_version = tools.name
    version = sdk_version(root) or sdk_version(path) or _version_by_tools(tools_version)
    archs: tuple[str, ...] = ()
    unfit = _compiler_problem(tools)
    if unfit:
        tools_problems.append(unfit)
    elif tools:
        archs = find_archs(root, tools)
        if not archs:
            text = "it has no DSP arch with both rtos/qurt/compute<arch> and the tools' libraries"
            tools_problems.append(Problem(text, "Install the complete SDK, with QuRT."))
    qaic, qaic_problems = find_qaic(root)
    try:
        digest = _identity(version, tools_version, tools if archs else None, archs, qaic)
    except OSError as error:
        digest = value_digest([str(root), version])
        text = f"{error.filename} cannot be read: {error.strerror}"
        tools_problems.append(Problem(text, f"Correct its permissions: chmod -R u+rX '{root}'"))
        archs = ()
    faults = dict.fromkeys(fault for arch in archs if (fault := _known_fault(tools_version, arch)))
    return HexagonSdk(
        where=root,
        version=version or "unknown",
        identity=digest,
        problems=(*tools_problems, *qaic_problems, *faults),
        tools=tools,
        tools_version=tools_version,
        archs=archs,
        qaic=qaic,
        tools_problems=tuple(tools_problems),
        qaic_problems=tuple(qaic_problems),
    )


def _known_fault(tools_version: str, arch: str) -> Problem | None:
    for row in _release_table()["fault"]:
        if tools_version == row["tools"] and arch in row["archs"]:
            return Problem(f"its compiler {row['tools']} {row['text']}", row["remedy"])
    return None


def _compiler_problem(tools: Path | None) -> Problem | None:
    if not tools:
        text = "it has no Hexagon Tools (tools/HEXAGON_Tools/<version>/Tools)"
        return Problem(text, "Install the Hexagon Tools that belong to it.")
    programs = tools / "Tools" / "bin"
    for name in _PROGRAMS:
        if not (programs / name).is_file():
            return Problem(f"{programs} has no {name}", "Reinstall the Hexagon Tools completely.")
        if problem := execution_problem(programs / name):
            return problem
    return None


def _identity(
    version: str, tools_version: str, tools: Path | None, archs: tuple[str, ...], qaic: Path | None
) -> str:
    files = {}
    if tools:
        files = {name: tools / "Tools" / "bin" / name for name in _PROGRAMS}
        for arch in archs:
            for name in _LINKED_FILES:
                files[f"{arch}/{name}"] = pic_libraries(tools, arch) / name
    if qaic:
        files["qaic"] = qaic
    there = {name: path for name, path in files.items() if path.is_file()}
    return tool_identity("hexagon-sdk", f"{version} {tools_version}", there)


def _version_by_tools(tools: str) -> str:
    for row in _release_table()["tools"]:
        if version_numbers(tools)[: len(version_numbers(row["version"]))] == version_numbers(
            row["version"]
        ):
            return str(row["sdk"])
    return ""


@functools.cache
def _release_table() -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - most projects use zig's LLVM

    return tomllib.loads((Path(__file__).parent / "hexagon_sdk.toml").read_text(encoding="utf-8"))
