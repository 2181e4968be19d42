"""The libcdsprpc of every device has the FastRPC functions that the ARM64 side needs.

Older devices lack some, such as rpcmem_alloc2: the program does not start there. Weak references
may be missing. With a pulled sysroot, the functions are those of that device.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject
from buildtool.toolchains.cdsprpc import is_fastrpc_function, missing_function_remedy

RULE = Rule("cdsprpc-functions", __doc__, code="cdsprpc")


def check(subject: Subject) -> Iterator[Finding]:
    cdsprpc = subject.cdsprpc
    if not cdsprpc:
        return
    host = list(subject.host())
    defined = frozenset[str]().union(*(elf.exports for _, elf in host))
    for path, elf in host:
        needed = elf.imports - defined - cdsprpc.exports
        missing = sorted(name for name in needed if is_fastrpc_function(name))
        if missing:
            whose = cdsprpc.owner if cdsprpc.device else "some devices"
            yield RULE.error(
                path,
                f"{posixpath.basename(path)} needs {', '.join(missing)}, which the libcdsprpc of"
                f" {whose} does not have",
                why=f"it would not start there: cannot locate symbol {missing[0]}",
                remedy=missing_function_remedy(missing[0], cdsprpc),
            )
