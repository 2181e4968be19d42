"""A buffer that the DSP looks up with HAP_mmap_get is mapped with FASTRPC_MAP_FD.

FASTRPC_MAP_STATIC (0) maps it for arguments of calls only: HAP_mmap_get of its descriptor fails
with 0x80000600.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.c_code.expressions import bare
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.subject import Subject

RULE = LintRule(
    "static-map",
    __doc__,
    source=("qualcomm/fastrpc inc/remote.h", "emulator/shell/runtime/hap_mem.c"),
    remedy="Map it with FASTRPC_MAP_FD.",
    condition="map-without-fd",
    wrong="""\
int map_on_host(int fd, void *buffer, size_t length)
{
    return fastrpc_mmap(CDSP_DOMAIN_ID, fd, buffer, 0, length, FASTRPC_MAP_STATIC);
}
int on_dsp(int fd, void **address)
{
    int code = HAP_mmap_get(fd, address, NULL);
    HAP_mmap_put(fd);
    return code;
}
int unmap_on_host(int fd, void *buffer, size_t length)
{
    return fastrpc_munmap(CDSP_DOMAIN_ID, fd, buffer, length);
}
""",
    right="""\
int map_on_host(int fd, void *buffer, size_t length)
{
    return fastrpc_mmap(CDSP_DOMAIN_ID, fd, buffer, 0, length, FASTRPC_MAP_FD);
}
int on_dsp(int fd, void **address)
{
    int code = HAP_mmap_get(fd, address, NULL);
    HAP_mmap_put(fd);
    return code;
}
int unmap_on_host(int fd, void *buffer, size_t length)
{
    return fastrpc_munmap(CDSP_DOMAIN_ID, fd, buffer, length);
}
""",
)


def check(subject: Subject) -> Iterator[LintFinding]:
    # With other maps in the project, the one that the DSP looks up may be one of those.
    if "HAP_mmap_get" not in subject.words or any(
        word.startswith("FASTRPC_MAP_FD") for word in subject.words
    ):
        return
    for function, call in subject.calls("fastrpc_mmap"):
        if len(call.arguments) == 6:
            flags = list(bare(function.text(call.arguments[5])))
            if flags in (["FASTRPC_MAP_STATIC"], ["0"]):
                yield RULE.at(
                    function.code.place(call.at),
                    "fastrpc_mmap maps with FASTRPC_MAP_STATIC",
                    "HAP_mmap_get on the DSP does not find the buffer: 0x80000600",
                )
