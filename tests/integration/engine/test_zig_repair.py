"""zig's cache lacks what it says that it has: zig would fail for ever, a build does not."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.integration.engine.clone import Clone
from tests.integration.engine.full_disk import BASE
from tests.integration.engine.sources import Source

LISTS = "dsp/b/CMakeLists.txt"
# Without a dependency file zig keeps what it compiled, as it does with its own libraries.
COMPILE = """
add_custom_command(OUTPUT kept.o DEPENDS entry.c COMMAND ${CMAKE_C_COMPILER} cc
  -target aarch64-linux-gnu.2.35 -c ${CMAKE_SOURCE_DIR}/kept.c -o kept.o)
add_custom_target(kept ALL DEPENDS kept.o)
"""


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """The outputs in a copy of zig's cache, which is the one that builds use."""
    zig = Path(os.environ["BUILDTOOL_CACHE"]) / "zig"
    shared = zig.resolve()
    zig.unlink()
    shutil.copytree(shared / "h", zig / "h")
    shutil.copytree(shared / "o", zig / "o", copy_function=os.link)
    return zig / "o"


def test_outputs_that_are_missing(outputs: Path, tmp_path: Path) -> None:
    clone = Clone(tmp_path / "a clone")
    kept = {LISTS: Source(BASE[LISTS].text + COMPILE), "dsp/b/kept.c": Source("int kept;\n")}
    clone.check_out({**BASE, **kept})
    clone.build_here()
    (made,) = outputs.glob("*/kept.o")
    made.unlink()
    shutil.rmtree(clone.root / ".buildtool")
    shutil.rmtree(outputs.parents[1] / "actions")

    assert clone.build_here() == {"skel/b/v68": "built"}
    (made,) = outputs.glob("*/kept.o")
    assert made.stat().st_size
