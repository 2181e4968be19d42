"""The C sources of the device's core, and its headers on both sides, cause no warnings."""

from __future__ import annotations

from pathlib import Path

import pytest

from .toolbox import ARM, COMMON, EMULATOR, HEADERS, ROOT, WARNINGS, Toolbox, zig

HEXAGON = ["-target", "hexagon-linux-musl", "-mcpu=hexagonv68", "-O2"]
SHELL = ["-target", "hexagon-linux-musl", "-mcpu=hexagonv68+hvxv68+hvx_length128b"]
PUBLIC = ["AEEStdDef.h", "AEEStdErr.h", "remote.h", "rpcmem.h"]


@pytest.mark.long  # `make check` warns of the same
def test_shell_and_library_are_free_of_warnings(toolbox: Toolbox) -> None:
    assert Path(f"{toolbox.library()}.warnings").read_text(encoding="utf-8") == ""
    source = EMULATOR / "shell"
    folders = [f"-I{folder}" for folder in (source, COMMON, ROOT / "dsp/include")]
    for file in sorted([*source.glob("**/*.c"), *COMMON.glob("*.c")]):
        assert zig(*SHELL, *HEADERS, *WARNINGS, *folders, "-fsyntax-only", file) == ""


@pytest.mark.parametrize("target", [[*ARM[:3]], HEXAGON], ids=["arm", "hexagon"])
@pytest.mark.parametrize("language", ["c", "c++"])
def test_headers(tmp_path: Path, target: list[str], language: str) -> None:
    """Each header alone, and all together; the argument union has the size of the wire format."""
    lines = [f'#include "{name}"\n' for name in PUBLIC]
    assertion = "static_assert" if language == "c++" else "_Static_assert"
    checks = (
        f'{assertion}(sizeof(remote_arg) == (sizeof(void *) == 8 ? 16 : 8), "");\n'
        "int code(void);\n"
        "int code(void) { return AEE_EBADPARM; }\n"
        "#if defined(__hexagon__) != (AEE_EBADPARM != 0x0e)\n#error which side\n#endif\n"
    )
    for number, text in enumerate([*lines, "".join(lines) + checks]):
        file = tmp_path / f"include{number}.c"
        file.write_text(text)
        standard = "-std=gnu++17" if language == "c++" else "-std=c11"
        done = zig(
            *target, *HEADERS, *WARNINGS, "-x", language, standard, "-c", file, "-o", f"{file}.o",
            cache=tmp_path / "zig",
        )  # fmt: skip
        assert done == "", text
