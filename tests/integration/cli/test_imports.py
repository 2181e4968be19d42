"""What a build imports before it looks at a file: each module costs it a third of a millisecond."""

from __future__ import annotations

import subprocess
import sys

PACKAGES = ("buildtool.measure", "buildtool.testing", "buildtool.deploy", "buildtool.diagnose")
SLOW = {"tempfile", "shutil", "random", "lzma", "typer", "rich", "tomllib", "urllib3", "elftools"}


def test_a_build_imports_nothing_that_only_other_commands_need() -> None:
    text = "import buildtool.cli.builds.build, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", text], check=True, capture_output=True, text=True
    )
    loaded = done.stdout.split()

    assert not SLOW & {*loaded}
    assert not [name for name in loaded if name.startswith(PACKAGES)]
