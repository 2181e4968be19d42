"""docs/cache.md lists the directories of the cache as the code does."""

from __future__ import annotations

import re
from pathlib import Path

from buildtool.core.cache import CACHES

TEXT = (Path(__file__).parents[3] / "docs/cache.md").read_text(encoding="utf-8")


def test_each_directory_of_the_cache_is_in_the_table() -> None:
    rows = re.findall(r"^\| ((?:`[\w-]+`(?:, )?)+) \| .* \| (yes|no) \| .* \|$", TEXT, re.MULTILINE)
    listed = {name: counted for names, counted in rows for name in re.findall(r"`(.+?)`", names)}
    assert listed == {name: "yes" if each.counted else "no" for name, each in CACHES.items()}
