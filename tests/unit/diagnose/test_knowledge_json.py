"""knowledge.json is made of the files of the folder `knowledge`.

BUILDTOOL_UPDATE_GOLDEN=1 writes it again.
"""

from __future__ import annotations

import json
import os
from typing import Any

from buildtool.diagnose.knowledge import FILE
from tests.unit.diagnose.knowledge_files import document, read_folder


def with_a_line_for_each_row(tables: dict[str, dict[str, Any]]) -> str:
    rows = {
        name: ",\n".join(f"{json.dumps(key)}: {_line(row)}" for key, row in table.items())
        for name, table in tables.items()
    }
    return "{" + ",".join(f'"{name}": {{\n{text}\n}}' for name, text in rows.items()) + "}\n"


def _line(row: Any) -> str:
    return json.dumps(row, ensure_ascii=False)


def test_the_json_is_made_of_the_files() -> None:
    text = with_a_line_for_each_row(document(read_folder()))
    if os.environ.get("BUILDTOOL_UPDATE_GOLDEN") == "1":
        FILE.write_text(text, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == text, "BUILDTOOL_UPDATE_GOLDEN=1 writes it again"
