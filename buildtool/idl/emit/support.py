"""The C functions that generated files carry, so that they need no runtime library.

`support.c` holds them, with `support_calls.c` for calls whose number of buffers depends on their
values, and `support_trace.c` for skels that record their methods; each after those that it uses,
separated by empty lines.  A generated file gets those that it uses.

The ELF note that identifies the IDL of a stub or skel.

Owner "buildtool", type 1, section `.note.buildtool.idl`; the descriptor is the 32 bytes of the
sha256 of the preprocessed IDL.  A stub and a skel with different digests do not match.
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


SECTION = ".note.buildtool.idl"
OWNER = "buildtool"
TYPE = 1


def note(digest: str) -> str:
    """C source of the note.  `digest` is 64 hex digits; ValueError for anything else."""
    octets = bytes.fromhex(digest)
    if len(octets) != 32:
        raise ValueError(f"not a sha256 digest: {digest!r}")
    lines = ["".join(f"0x{octet:02x}, " for octet in octets[at : at + 8]) for at in (0, 8, 16, 24)]
    rows = "\n        ".join(line.rstrip() for line in lines)
    return f"""\
/* Says which IDL this was generated from: sha256 {digest[:16]}... */
#if defined(__has_attribute)
#if __has_attribute(retain)
#define _IDL_NOTE_RETAIN retain,
#endif
#endif
#ifndef _IDL_NOTE_RETAIN
#define _IDL_NOTE_RETAIN
#endif
__attribute__((section("{SECTION}"), _IDL_NOTE_RETAIN used, aligned(4)))
static const struct {{
    uint32_t owner_size, digest_size, type;
    char owner[12];
    uint8_t digest[32];
}} _idl_note = {{
    {len(OWNER) + 1}, {len(octets)}, {TYPE}, "{OWNER}",
    {{
        {rows}
    }},
}};
"""
