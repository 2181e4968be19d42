"""A program that builds on a disk that becomes full.

Its arguments: what is on the disk (`project` or `cache`), the disk, and numbers of free bytes.
It prints a JSON list with a row for each number: status and output of a build with so much space,
the same of the next build, and the digest of the files that is in the release of the latter.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from buildtool.core.files import value_digest
from tests.integration.engine.clone import Clone, Outputs
from tests.integration.engine.edits import Edit, edited
from tests.integration.engine.processes import start
from tests.integration.engine.sources import FIRST, alone

COMPONENT = "dsp/b"
BASE = alone(FIRST, COMPONENT)
EDITED = edited(BASE, Edit("number", "common/level.h", 3))


def digest(outputs: Outputs | None) -> str:
    return value_digest({name: data.hex() for name, data in (outputs or {}).items()})


def build(root: Path) -> tuple[int, str]:
    process = start(root)
    output = process.communicate()[1]
    return process.returncode, output


def main(what: str, disk: Path, rooms: list[int]) -> None:
    clone = Clone((disk if what == "project" else disk.parent) / "a clone")
    cache = Path(os.environ["BUILDTOOL_CACHE"])
    if what == "cache":
        shutil.move(cache / "actions", disk / "actions")
        (cache / "actions").symlink_to(disk / "actions")
    ballast = disk / "ballast"
    rows = []
    for number, room in enumerate(rooms):
        if number % 3 == 0:  # in other turns, trees of another state or of a failed build exist
            shutil.rmtree(clone.root / ".buildtool", ignore_errors=True)
        shutil.rmtree(cache / "actions" / "ac", ignore_errors=True)
        state = (EDITED, BASE)[number % 2]
        clone.check_out(state)
        with ballast.open("wb") as stream:
            os.posix_fallocate(stream.fileno(), 0, max(shutil.disk_usage(disk).free - room, 1))
        row = [*build(clone.root)]
        ballast.unlink()
        row += [*build(clone.root), digest(clone.outputs()[COMPONENT]), state == BASE]
        rows.append(row)
    print(json.dumps(rows))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [int(word) for word in sys.argv[3:]])
