"""Unique names of components, derived from names in CMake files."""

from __future__ import annotations

import re

MAX_LENGTH = 40


class UniqueNames:
    """Creates unique names; `given` are those created so far."""

    def __init__(self) -> None:
        self.given: set[str] = set()

    def new(self, wanted: str, ending: str = "_2") -> str:
        """A new name similar to `wanted`; `ending` is appended if the name is taken."""
        base = re.sub(r"[^A-Za-z0-9_-]+", "-", wanted).strip("-_")[:MAX_LENGTH] or "component"
        name = base if base not in self.given else f"{base}{ending}"
        number = 2
        while name in self.given:
            number += 1
            name = f"{base}_{number}"
        self.given.add(name)
        return name
