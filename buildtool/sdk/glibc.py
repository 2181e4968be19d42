"""Which glibc a `libc.so.6` is."""

from __future__ import annotations

import re


def glibc_version(data: bytes) -> str:
    """The version of the glibc whose `libc.so.6` has these bytes: "2.35", or "" when it is none.

    Its banner says it; failing that, the newest symbol version that it defines.
    """
    if banner := re.search(rb"GNU C Library [^\n\0]{0,200}release version (2\.\d{1,3})", data):
        return banner[1].decode()
    versions = re.findall(rb"\0GLIBC_2\.(\d{1,3})\0", data)
    return f"2.{max(map(int, versions))}" if versions else ""
