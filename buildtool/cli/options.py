"""Options that several verbs share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def print_json(value: Any) -> None:
    """Print the one JSON document of a verb."""
    print(json.dumps(value, indent=2))


def here() -> Path:
    """The directory that the command was started in."""
    return Path.cwd()
