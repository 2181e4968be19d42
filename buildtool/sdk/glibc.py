"""The glibc version of a `libc.so.6`."""

from __future__ import annotations

import re


def glibc_version(data: bytes) -> str:
    """The version of the `libc.so.6` with these bytes ("2.35"), or "" if it is not glibc.

    It is read from the banner, else from the newest symbol version that the library defines.
    """
    if banner := re.search(rb"GNU C Library [^\n\0]{0,200}release version (2\.\d{1,3})", data):
        return banner[1].decode()
    versions = re.findall(rb"\0GLIBC_2\.(\d{1,3})\0", data)
    return f"2.{max(map(int, versions))}" if versions else ""
