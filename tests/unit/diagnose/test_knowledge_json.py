"""knowledge.json is made of the files of the folder `knowledge`.

BUILDTOOL_UPDATE_GOLDEN=1 writes it again.
"""

from __future__ import annotations

import json
import os
from typing import Any

from buildtool.diagnose.knowledge import FILE
from tests.unit.diagnose.knowledge_files import document, read_folder


def with_a_line_for_each_row(table: dict[str, Any]) -> str:
    rows = [
        f"{json.dumps(key)}: {json.dumps(row, ensure_ascii=False)}" for key, row in table.items()
    ]
    return "{{\n{}\n}}\n".format(",\n".join(rows))


def test_the_json_is_made_of_the_files() -> None:
    text = with_a_line_for_each_row(document(read_folder()))
    if os.environ.get("BUILDTOOL_UPDATE_GOLDEN") == "1":
        FILE.write_text(text, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == text, "BUILDTOOL_UPDATE_GOLDEN=1 writes it again"
