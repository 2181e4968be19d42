"""knowledge.json is made of the files of the folder `knowledge`.

BUILDTOOL_UPDATE_GOLDEN=1 writes it again.
"""

from __future__ import annotations

import json
import os

from buildtool.diagnose.knowledge import FILE
from tests.unit.diagnose.knowledge_files import document, read_folder


def test_the_json_is_made_of_the_files() -> None:
    text = json.dumps(document(read_folder()), indent=0, ensure_ascii=False) + "\n"
    if os.environ.get("BUILDTOOL_UPDATE_GOLDEN") == "1":
        FILE.write_text(text, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == text, "BUILDTOOL_UPDATE_GOLDEN=1 writes it again"
