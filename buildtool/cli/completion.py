"""`buildtool completion SHELL`: what makes a shell complete commands, options and their values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from buildtool.cli.show import write
from buildtool.core.errors import UsageError

SHELLS = Path(__file__).parent / "shells"


def completion(shell: Annotated[str, typer.Argument(help="bash, zsh or fish.")]) -> None:
    """Print the script that completes buildtool's command line in a shell.

    bash: eval "$(buildtool completion bash)" in ~/.bashrc.
    """
    known = sorted(file.suffix.removeprefix(".") for file in SHELLS.glob("buildtool.*"))
    if shell not in known:
        raise UsageError(
            f"there is no completion for {shell!r}",
            why=f"known: {', '.join(known)}",
            remedy="Name one of these.",
        )
    write((SHELLS / f"buildtool.{shell}").read_text(encoding="utf-8"))
