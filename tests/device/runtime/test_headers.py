"""Each open header compiles alone in C and C++ on both sides, and has the layouts of skels."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.device.fastrpc.toolbox import HEADERS, ROOT, SKEL_HEADERS, WARNINGS, Toolbox, zig

from .conftest import QURT, build_skel

DSP_HEADERS = sorted(path.name for path in (ROOT / "dsp/include").glob("*.h"))


def test_layouts_are_those_of_sdk_built_skels(toolbox: Toolbox) -> None:
    assert build_skel(toolbox, "layout").exists()


@pytest.mark.parametrize("language", [pytest.param("c", marks=pytest.mark.long), "c++"])
@pytest.mark.parametrize("convention", ["qurt", "linux"])
def test_each_header_stands_alone(tmp_path: Path, language: str, convention: str) -> None:
    suffix = ".c" if language == "c" else ".cpp"
    names = [*DSP_HEADERS, "dspqueue.h"]
    sources: list[Path] = []
    for name in names:
        source = tmp_path / f"{Path(name).stem}{suffix}"
        source.write_text(f'#include "{name}"\n#include "{name}"\nint use_{len(sources)};\n')
        sources.append(source)
    flags: tuple[str, ...] = QURT if convention == "qurt" else ()
    standard = "-std=gnu11" if language == "c" else "-std=c++17"
    zig(
        *("-target", "hexagon-linux-musl", "-mcpu=hexagonv68", *flags, standard, *WARNINGS),
        *(*SKEL_HEADERS, *HEADERS, "-fPIC", "-shared", "-nostdlib"),
        *sources,
        *("-o", tmp_path / "headers.so"),
    )
