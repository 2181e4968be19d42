"""A project with secrets, and what is in the bundle that a failed run has left."""

from __future__ import annotations

import json
import stat
import zipfile
from pathlib import Path
from typing import Any

from buildtool.core.value import Value

FILE = """
[project]
name = "scripts"
version = "1.0"
default-target = "board"
secrets = ["PIN_CODE"]
environment = ["GITHUB_PAT"]

[host.scripts]
source = "host"

[target.board]
platform = "ubuntu-aarch64"

[run.named]
program = "bin/program"
args = ["exit 3"]
env = { UPLOAD_PASSWORD = "from the \\"project\\" file" }

[run.other]
program = "bin/program"
args = ["--password", "f0reign-password"]

[test.other]
program = "bin/program"
env = { SERVICE_KEY = '''of a "t3st" run''' }

[host.scripts.defines]
LICENCE_KEY = \"\"\"
first-part \\
  s3cond-part\\u0021\"\"\"
"""
PASSWORD = r"from the \"project\" file"
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(scripts LANGUAGES NONE)
install(PROGRAMS program DESTINATION bin)
"""
DMESG = """
echo '[    1.000000] long before the run'
read -r up rest </proc/uptime
echo "[$up] fastrpc: the DSP crashed, key k3y-of-the-shell"
"""


class Bundle(Value):
    """The files of a bundle, name → bytes, and the bytes of the archive."""

    files: dict[str, bytes]
    data: bytes

    @property
    def run(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.files["run.json"])
        return document

    @property
    def summary(self) -> str:
        return self.files["summary.txt"].decode()


def read_bundle(file: Path) -> Bundle:
    """The bundle, which is whole, has its summary on top, and is its owner's only."""
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        tops = {name.partition("/")[0] for name in names}
        assert len(tops) == 1
        assert names[0].endswith("/summary.txt")
        files = {name.partition("/")[2]: archive.read(name) for name in names}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    return Bundle(files, file.read_bytes())


def bundles_in(project: Path) -> list[Path]:
    """The bundles with names of their own, the oldest first; nothing else is beside them."""
    return sorted((project / ".buildtool" / "bundles").glob("*"))
