"""Lines of the emulated device that are known are those that it writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.diagnose.knowledge_files import read_folder

ROOT = Path(__file__).parents[3]
CONDITIONS = {
    name: row
    for name, row in read_folder().items()
    if row["patterns"]
    and all(source.startswith(("emulator/", "buildtool/")) for source in row["source"])
}
WRITTEN_BY_LOG_C = r"libcdsprpc: |\[dsp\] (?:error|fatal): "


def texts_of(file: Path) -> str:
    """The file with adjacent string literals joined."""
    return re.sub(r'"\s*\n\s*f?"', "", file.read_text(encoding="utf-8")).lower()


def test_some_lines_are_of_the_emulated_device() -> None:
    assert len(CONDITIONS) >= 5
    assert '"libcdsprpc: "' in texts_of(ROOT / "emulator/cdsprpc/log.c")
    shell = texts_of(ROOT / "emulator/shell/log.c")
    assert all(text in shell for text in ('"[dsp] %s"', '": %.*s"', '"error", "fatal"'))


@pytest.mark.parametrize("name", CONDITIONS)
def test_its_sources_have_the_texts(name: str) -> None:
    written = "".join(texts_of(ROOT / source) for source in CONDITIONS[name]["source"])
    for pattern in CONDITIONS[name]["patterns"]:
        for text in re.split(r"[*%]", re.sub(WRITTEN_BY_LOG_C, "", pattern.lower())):
            assert text.strip() in written
