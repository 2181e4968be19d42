"""Hexagon SDKs that are complete, trimmed or damaged, and several at once."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path

import pytest

from buildtool.project.model import Tool
from buildtool.sdk import hexagon_sdk
from buildtool.sdk.hexagon_layout import QAIC_PATHS
from buildtool.sdk.hexagon_sdk import HexagonSdk, find_hexagon_sdk, probe_hexagon_sdk
from buildtool.sdk.tool_search import ToolMissingError, ToolUnfitError

ALL = ("v68", "v69", "v73", "v75", "v79", "v81")
PROGRAMS = ("hexagon-clang", "hexagon-clang++", "hexagon-link", "hexagon-ar")


def lay(
    root: Path,
    tools: str = "19.0.07",
    *,
    archs: tuple[str, ...] = ALL,
    described: object = None,
    qaic: str = "ipc/fastrpc/qaic/Ubuntu/qaic",
) -> Path:
    """Write an SDK of empty files; `described` replaces its hexagon_sdk.json."""
    lay_tools(root / "tools" / "HEXAGON_Tools" / tools, archs)
    for arch in archs:
        (root / "rtos" / "qurt" / f"compute{arch}" / "include" / "qurt").mkdir(parents=True)
    (root / "incs" / "stddef").mkdir(parents=True)
    if qaic:
        program(root / qaic)
    info = [{"name": "Hexagon Tools", "path": f"tools/HEXAGON_Tools/{tools}"}]
    text = json.dumps({"root": {"tools": {"info": info}}}) if described is None else described
    if isinstance(text, bytes):
        (root / "hexagon_sdk.json").write_bytes(text)
    elif text:
        (root / "hexagon_sdk.json").write_text(str(text))
    return root


def lay_tools(tools: Path, archs: tuple[str, ...] = ALL) -> Path:
    for name in PROGRAMS:
        program(tools / "Tools" / "bin" / name)
    for arch in archs:
        pic = tools / "Tools" / "target" / "hexagon" / "lib" / arch / "G0" / "pic"
        pic.mkdir(parents=True)
        (pic / "libc++.so.1").write_text("c++")
        (pic / "libc++abi.so.1").write_text("abi")
    return tools


def program(path: Path, content: bytes = b"#!/bin/sh\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755)


def seen(path: Path) -> HexagonSdk:
    sdk = probe_hexagon_sdk(path)
    assert sdk is not None
    return sdk


@pytest.fixture(autouse=True)
def _nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in ("HEXAGON_SDK_ROOT", "HEXAGON_TOOLS_ROOT", "DEFAULT_HEXAGON_TOOLS_ROOT"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(hexagon_sdk, "default_sdk_paths", lambda: sorted(tmp_path.glob("[0-9]*")))


def test_a_whole_sdk(tmp_path: Path) -> None:
    root = lay(tmp_path / "6.6.0.0")

    sdk = seen(root)

    assert (sdk.where, sdk.version, sdk.tools_version) == (root, "6.6.0.0", "19.0.07")
    assert (sdk.archs, sdk.problems) == (ALL, ())
    assert sdk.qaic == root / "ipc/fastrpc/qaic/Ubuntu/qaic"
    assert sdk.program("hexagon-clang").is_file()
    assert set(sdk.runtime("v73")) == {"libc++.so.1", "libc++abi.so.1"}
    assert sdk.include_dirs("v73") == (
        "incs",
        "incs/stddef",
        "rtos/qurt/computev73/include",
        "rtos/qurt/computev73/include/qurt",
    )


def test_a_directory_without_an_sdk(tmp_path: Path) -> None:
    (tmp_path / "incs").mkdir()
    assert probe_hexagon_sdk(tmp_path) is None
    assert probe_hexagon_sdk(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    ("name", "tools", "version"),
    [
        ("5.5.0.1", "8.7.06", "5.5.0.1"),
        ("hexagon-sdk-v6.6.0.0", "19.0.07", "6.6.0.0"),
        ("Hexagon_SDK-6.4.0.2", "19.0.04", "6.4.0.2"),
        ("hexagon-sdk", "19.0.04", "6.4"),
        ("hexagon-sdk", "8.7.03", "5.5"),
        ("hexagon-sdk", "21.0.01", "unknown"),
    ],
)
def test_the_version_is_the_directory_s_or_follows_from_the_tools(
    name: str, tools: str, version: str, tmp_path: Path
) -> None:
    assert seen(lay(tmp_path / name, tools)).version == version


def test_a_link_has_the_version_of_what_it_leads_to(tmp_path: Path) -> None:
    root = lay(tmp_path / "6.4.0.2")
    (tmp_path / "hexagon-sdk").symlink_to(root)

    sdk = seen(tmp_path / "hexagon-sdk")

    assert (sdk.where, sdk.version) == (root, "6.4.0.2")


def test_a_trimmed_sdk_has_its_newest_tools_and_no_qaic(tmp_path: Path) -> None:
    described = '{"root": {"tools": {"info": []}}}'
    root = lay(tmp_path / "6.4.0.2", "19.0.04", described=described, qaic="")
    lay_tools(root / "tools" / "HEXAGON_Tools" / "8.7.06")

    sdk = seen(root)

    assert (sdk.tools_version, sdk.archs, sdk.qaic) == ("19.0.04", ALL, None)
    assert "idl-compiler" in sdk.qaic_problems[0].remedy


@pytest.mark.parametrize(
    "described",
    [
        "garbage",
        b"\xff\xfe\x00",
        "[]",
        "[" * 100_000,
        '{"root": 1}',
        '{"root": {"tools": {"info": [1]}}}',
        '{"root": {"tools": {"info": [{"name": "Hexagon Tools"}]}}}',
        '{"root": {"tools": {"info": [{"name": "Hexagon Tools", "path": "../../tools"}]}}}',
        '{"root": {"tools": {"info": [{"name": "Hexagon Tools", "path": "/opt/tools"}]}}}',
        '{"root": {"tools": {"info": [{"name": "Hexagon Tools", "path": "a\\u0000b"}]}}}',
        '{"root": {"tools": {"info": [{"name": "Hexagon Tools", "path": ["x"]}]}}}',
        '{"root": {"tools": {"info": [{"name": "Hexagon Tools", "path": "tools/gone"}]}}}',
        '{"x": "' + "y" * (5 << 20) + '"}',
        "1" * 10_000,
    ],
    ids=lambda text: str(text)[:40],
)
def test_a_wrong_description_is_reported_and_ignored(
    described: str | bytes, tmp_path: Path
) -> None:
    sdk = seen(lay(tmp_path / "6.6.0.0", described=described))

    assert (sdk.tools_version, sdk.archs) == ("19.0.07", ALL)
    assert "hexagon_sdk.json" in sdk.problems[0].text
    assert sdk.problems[0].remedy


@pytest.mark.parametrize("variable", ["HEXAGON_TOOLS_ROOT", "DEFAULT_HEXAGON_TOOLS_ROOT"])
@pytest.mark.parametrize("part", ["", "Tools"])
def test_tools_elsewhere_are_found_by_a_variable(
    variable: str, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = '{"root": {"tools": {"info": []}}}'
    root = lay(tmp_path / "6.6.0.0", described=described)
    elsewhere = lay_tools(tmp_path / "elsewhere" / "8.8.06")
    monkeypatch.setenv(variable, str(elsewhere / part))

    assert seen(root).tools == elsewhere


def test_the_sdk_s_own_tools_go_before_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An SDK that the project requires keeps its tools after the set-up script of another SDK."""
    monkeypatch.setenv("DEFAULT_HEXAGON_TOOLS_ROOT", str(lay_tools(tmp_path / "other" / "8.8.06")))
    assert seen(lay(tmp_path / "6.6.0.0")).tools_version == "19.0.07"


def test_a_tools_variable_that_names_nothing_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = lay(tmp_path / "6.6.0.0", described='{"root": {"tools": {"info": []}}}')
    monkeypatch.setenv("HEXAGON_TOOLS_ROOT", str(tmp_path / "nowhere"))

    with pytest.raises(ToolMissingError, match="HEXAGON_TOOLS_ROOT names"):
        probe_hexagon_sdk(root)


@pytest.mark.parametrize("missing", PROGRAMS)
def test_tools_that_lack_a_program_compile_nothing(missing: str, tmp_path: Path) -> None:
    root = lay(tmp_path / "6.6.0.0")
    (root / "tools/HEXAGON_Tools/19.0.07/Tools/bin" / missing).unlink()

    sdk = seen(root)

    assert sdk.archs == ()
    assert missing in sdk.problems[0].text


def test_a_compiler_that_is_not_executable(tmp_path: Path) -> None:
    root = lay(tmp_path / "6.6.0.0")
    (root / "tools/HEXAGON_Tools/19.0.07/Tools/bin/hexagon-clang").chmod(0o644)

    sdk = seen(root)

    assert sdk.archs == ()
    assert sdk.problems[0].remedy.startswith("Make it executable: chmod +x")


@pytest.mark.parametrize(
    ("machine", "emulator", "runs"),
    [
        ("x86_64", "", True),
        ("aarch64", "", False),
        ("aarch64", "qemu-x86_64", True),
        ("aarch64", "rosetta", True),
    ],
)
def test_the_sdk_s_programs_are_for_one_machine(
    *, machine: str, emulator: str, runs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr("buildtool.sdk.program.BINFMT", tmp_path / "binfmt")
    if emulator:
        program(tmp_path / "binfmt" / emulator, b"enabled")
    x86_64 = b"\x7fELF".ljust(18, b"\0") + (62).to_bytes(2, "little")
    root = lay(tmp_path / "6.6.0.0")
    program(root / "tools/HEXAGON_Tools/19.0.07/Tools/bin/hexagon-clang", x86_64)
    program(root / "ipc/fastrpc/qaic/Ubuntu/qaic", x86_64)

    sdk = seen(root)

    assert (bool(sdk.archs), bool(sdk.qaic)) == (runs, runs)
    assert runs or "x86-64" in sdk.problems[0].remedy


def test_an_arch_needs_qurt_and_the_tools_libraries(tmp_path: Path) -> None:
    root = lay(tmp_path / "6.6.0.0", archs=("v68", "v73"))
    (root / "rtos/qurt/computev79/include").mkdir(parents=True)
    pic = root / "tools/HEXAGON_Tools/19.0.07/Tools/target/hexagon/lib/v81/G0/pic"
    pic.mkdir(parents=True)

    assert seen(root).archs == ("v68", "v73")


@pytest.mark.parametrize("place", QAIC_PATHS)
def test_qaic_is_found_wherever_it_has_lived(place: str, tmp_path: Path) -> None:
    assert seen(lay(tmp_path / "6.6.0.0", qaic=place)).qaic == tmp_path / "6.6.0.0" / place


def test_a_qaic_that_cannot_run_is_passed_over(tmp_path: Path) -> None:
    root = lay(tmp_path / "6.6.0.0", qaic="ipc/fastrpc/qaic/Ubuntu/qaic")
    (root / "ipc/fastrpc/qaic/Ubuntu/qaic").chmod(0o644)

    assert seen(root).qaic is None
    assert "chmod +x" in seen(root).problems[0].remedy
    program(root / "qaic/bin/qaic")
    assert seen(root).qaic == root / "qaic/bin/qaic"
    assert seen(root).problems == ()


@pytest.mark.parametrize(
    "part",
    [
        "tools/HEXAGON_Tools/19.0.07/Tools/bin/hexagon-clang",
        "tools/HEXAGON_Tools/19.0.07/Tools/bin/hexagon-link",
        "tools/HEXAGON_Tools/19.0.07/Tools/bin/hexagon-ar",
        "tools/HEXAGON_Tools/19.0.07/Tools/target/hexagon/lib/v73/G0/pic/libc++.so.1",
        "ipc/fastrpc/qaic/Ubuntu/qaic",
    ],
)
def test_another_program_at_the_same_path_is_another_sdk(part: str, tmp_path: Path) -> None:
    root = lay(tmp_path / "6.6.0.0")
    before = seen(root).identity
    os.utime(root / part)
    assert seen(root).identity == before

    program(root / part, b"#!/bin/sh\necho other\n")

    assert seen(root).identity != before


def test_an_sdk_that_is_moved_is_the_same(tmp_path: Path) -> None:
    root = lay(tmp_path / "6.6.0.0")
    before = seen(root).identity
    (tmp_path / "opt").mkdir()
    assert seen(root.rename(tmp_path / "opt" / "6.6.0.0")).identity == before


def test_tools_that_are_known_to_miscompile(tmp_path: Path) -> None:
    sdk = seen(lay(tmp_path / "6.4.0.2", "19.0.04"))

    assert sdk.known_fault("v75") in sdk.problems
    assert sdk.known_fault("v73") is None
    assert sdk.archs == ALL
    mended = seen(lay(tmp_path / "6.6.0.0", "19.0.07"))
    assert mended.known_fault("v75") is None


def test_of_several_sdks_the_project_chooses_by_version(tmp_path: Path) -> None:
    for version, tools in (("5.5.0.1", "8.7.06"), ("6.4.0.2", "19.0.04"), ("6.6.0.0", "19.0.07")):
        lay(tmp_path / version, tools)

    assert find_hexagon_sdk().version == "6.6.0.0"
    assert find_hexagon_sdk(Tool(version="6.4")).version == "6.4.0.2"
    assert find_hexagon_sdk(Tool(version=">=6.4")).version == "6.6.0.0"
    assert find_hexagon_sdk(Tool(path=str(tmp_path / "5.5.0.1"))).version == "5.5.0.1"
    with pytest.raises(ToolUnfitError, match=">=7"):
        find_hexagon_sdk(Tool(version=">=7"))


def test_a_variable_that_names_nothing_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path / "6.6.0.0")
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(tmp_path / "nowhere"))

    with pytest.raises(ToolMissingError, match="HEXAGON_SDK_ROOT names"):
        find_hexagon_sdk()


@pytest.mark.parametrize(
    ("tools", "variant"), [("8.7.06", "toolv87"), ("8.8.06", "toolv88"), ("19.0.04", "toolv19")]
)
def test_how_directories_name_the_tools(tools: str, variant: str, tmp_path: Path) -> None:
    assert seen(lay(tmp_path / "sdk", tools)).tools_variant == variant


def test_how_directories_name_the_arm64_side(tmp_path: Path) -> None:
    root = lay(tmp_path / "6.6.0.0")
    assert seen(root).client_variant("ubuntu-aarch64") == "UbuntuARM_aarch64"
    assert seen(root).client_variant("android") == "android_aarch64"
    (root / "ipc/fastrpc/remote/ship/linux_aarch64").mkdir(parents=True)
    assert seen(root).client_variant("ubuntu-aarch64") == "linux_aarch64"
