"""The ELF note that identifies the IDL of a stub or skel.

Owner "buildtool", type 1, section `.note.buildtool.idl`; the descriptor is the 32 bytes of the
sha256 of the preprocessed IDL.  A stub and a skel with different digests do not match.
"""

from __future__ import annotations

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
