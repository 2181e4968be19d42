"""Names of components: made of what CMake files call things, each only once."""

from __future__ import annotations

import re

MAX_LENGTH = 40


class UniqueNames:
    """The names given so far."""

    def __init__(self) -> None:
        self.given: set[str] = set()

    def new(self, wanted: str, ending: str = "_2") -> str:
        """A name like `wanted` that nothing has yet; `ending` tells it from one that has it."""
        base = re.sub(r"[^A-Za-z0-9_-]+", "-", wanted).strip("-_")[:MAX_LENGTH] or "component"
        name = base if base not in self.given else f"{base}{ending}"
        number = 2
        while name in self.given:
            number += 1
            name = f"{base}_{number}"
        self.given.add(name)
        return name
