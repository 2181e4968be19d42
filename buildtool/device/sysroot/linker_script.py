"""Linker scripts in place of libraries: `libc.so` of glibc is one.

They name files by absolute paths.  In a copy of a device's files these lead to the build
machine's own files, or, under a linker's --sysroot, to nothing: so they are made relative.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

MAX_BYTES = 16 << 10  # glibc's have some 300
_ELF, _ARCHIVES = b"\x7fELF", (b"!<arch>\n", b"!<thin>\n")
_COMMANDS = re.compile(r"\b(GROUP|INPUT|AS_NEEDED|OUTPUT_FORMAT|SEARCH_DIR)\b")
# A comment, a quoted name, a name, or one character of anything else.
_TOKEN = re.compile(r'/\*.*?\*/|"[^"\n]*"|[^\s(),;"]+|.', re.DOTALL)
_PREFIXES = ("=", "$SYSROOT")  # both mean: below the sysroot, so the path behind is the device's


def is_linker_script(data: bytes) -> bool:
    """Whether a file with the name of a library is a linker script."""
    if data.startswith((_ELF, *_ARCHIVES)) or len(data) > MAX_BYTES or b"\0" in data:
        return False
    return bool(_COMMANDS.search(data.decode("latin-1")))


def with_relative_paths(text: str, folder: str, place_of: Callable[[str], str]) -> str:
    """`text` with each absolute path replaced by one relative to `folder`, the script's own.

    `place_of` gives the path where a file that is named really lies.
    """

    def relative(token: str) -> str:
        if token.startswith("/*"):
            return token
        quote = '"' if token.startswith('"') else ""
        path = token.strip('"')
        for prefix in _PREFIXES:
            path = path.removeprefix(prefix)
        if not path.startswith("/") or path == "/":
            return token
        return f"{quote}{os.path.relpath(place_of(path), folder)}{quote}"

    return "".join(relative(token) for token in _TOKEN.findall(text))
