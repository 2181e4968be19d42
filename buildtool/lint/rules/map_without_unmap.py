"""Each kind of map in a project has its unmap.

Mappings that stay take entries of the DSP's TLB and its address space, about 3.5 GB for a session.
After some thousand calls it stops with TLBMISS RW, or maps fail.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.subject import Subject

RULE = LintRule(
    "map-without-unmap",
    __doc__,
    source=("qualcomm/fastrpc inc/remote.h", "ggml-org/llama.cpp docs/backend/snapdragon"),
    remedy="Unmap each buffer before it is freed.",
    condition="map-limit",
    wrong="""\
int share(int fd, void *buffer, size_t length)
{
    return fastrpc_mmap(CDSP_DOMAIN_ID, fd, buffer, 0, length, FASTRPC_MAP_FD);
}
""",
    right="""\
int share(int fd, void *buffer, size_t length)
{
    return fastrpc_mmap(CDSP_DOMAIN_ID, fd, buffer, 0, length, FASTRPC_MAP_FD);
}
int take_back(int fd, void *buffer, size_t length)
{
    return fastrpc_munmap(CDSP_DOMAIN_ID, fd, buffer, length);
}
""",
)
_UNMAPS = {
    "fastrpc_mmap": ("fastrpc_munmap",),
    "remote_mmap": ("remote_munmap",),
    "remote_mmap64": ("remote_munmap64",),
    "remote_mem_map": ("remote_mem_unmap",),
    "HAP_mmap": ("HAP_munmap", "HAP_munmap2"),
    "HAP_mmap2": ("HAP_munmap2", "HAP_munmap"),
    "HAP_mmap_get": ("HAP_mmap_put",),
}


def check(subject: Subject) -> Iterator[LintFinding]:
    missing = {
        name: unmaps[0] for name, unmaps in _UNMAPS.items() if subject.words.isdisjoint(unmaps)
    }
    for function, call in subject.calls(*missing):
        yield RULE.at(
            function.code.place(call.at),
            f"{call.name} has no {missing[call.name]}",
            f"no source of the project calls {missing[call.name]}, so mappings pile up",
        )
