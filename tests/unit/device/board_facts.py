"""Facts as of a Radxa Dragon Q6A, for tests to change."""

from buildtool.device.facts import Facts, SystemFile

BOARD = Facts(
    platform="ubuntu-aarch64",
    machine="aarch64",
    model="Radxa Dragon Q6A",
    soc="QCS6490",
    arch="v73",
    arch_source="libcdsprpc reports ARCH_VER 0x8d73",
    glibc="2.36",
    api=0,
    page_size=4096,
    root="/opt/buildtool",
    free=1 << 30,
    unwritable="",
    hard_links=True,
    links=True,
    executable=True,
    boot="",
    user="radxa",
    uid=1000,
    home="/home/radxa",
    tools=frozenset(),
    cdsprpc=SystemFile("/usr/lib/libcdsprpc.so.1"),
    shell=SystemFile(),
    nodes=(),
    capabilities={},
)
