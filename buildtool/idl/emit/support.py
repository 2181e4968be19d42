"""C functions that generated files carry with them, so that they need no runtime library.

Each file gets those that it uses, as `static inline` functions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping


def support(body: str, functions: Mapping[str, str]) -> str:
    """The functions that `body` uses, and those that they use, in the order of the mapping."""
    used: set[str] = set()
    text = body
    while fresh := functions.keys() & set(re.findall(r"\w+", text)) - used:
        used |= fresh
        text = "".join(functions[name] for name in fresh)
    return "\n".join(source for name, source in functions.items() if name in used)
