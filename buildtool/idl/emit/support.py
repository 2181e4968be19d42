"""The C functions that generated files carry, so that they need no runtime library.

`support.c` holds them, with `support_calls.c` for calls whose number of buffers depends on their
values, and `support_trace.c` for skels that record their methods; each after those that it uses,
separated by empty lines.  A generated file gets those that it uses.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

_SOURCES = ("support.c", "support_calls.c", "support_trace.c")
_ONE_SIDE = re.compile(r"#ifdef (\w+)\n(.*)#endif\n", re.DOTALL)
_DEFINED_NAME = re.compile(r"^} (\w+);$|^static inline [^(]*?(\w+)\(", re.MULTILINE)


def support(body: str, side: str) -> str:
    """The functions that `body` uses, and those that they use, for the side STUB or SKEL."""
    functions = _functions(side)
    used: set[str] = set()
    text = body
    while added := functions.keys() & set(re.findall(r"\w+", text)) - used:
        used |= added
        text = "".join(functions[name] for name in added)
    return "\n".join(source for name, source in functions.items() if name in used)


@functools.cache
def _functions(side: str) -> dict[str, str]:
    """The functions and types of the sources by name, in their order."""
    texts = ((Path(__file__).parent / name).read_text(encoding="utf-8") for name in _SOURCES)
    found: dict[str, str] = {}
    for source in "\n".join(texts).strip().split("\n\n"):
        definition = f"{source}\n"
        if one_side := _ONE_SIDE.fullmatch(definition):
            if one_side[1] != side:
                continue
            definition = one_side[2]
        name = _DEFINED_NAME.search(definition)
        assert name, definition
        found[name[1] or name[2]] = definition
    return found
