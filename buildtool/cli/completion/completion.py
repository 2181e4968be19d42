"""`buildtool completion SHELL`: completion of commands, options and their values in a shell."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from buildtool.cli.parameters import Argument
from buildtool.cli.show import write
from buildtool.core.errors import UsageError

SHELLS = Path(__file__).parent / "shells"


def completion(
    shell: Annotated[str, Argument("SHELL", "bash, zsh or fish.")],
) -> None:
    """Print a shell script that completes buildtool's command line.

    For bash, add this line to ~/.bashrc: eval "$(buildtool completion bash)"
    """
    known = sorted(file.suffix.removeprefix(".") for file in SHELLS.glob("buildtool.*"))
    if shell not in known:
        raise UsageError(
            f"there is no completion for {shell!r}",
            why=f"known: {', '.join(known)}",
            remedy="Name one of these shells.",
        )
    write((SHELLS / f"buildtool.{shell}").read_text(encoding="utf-8"))
