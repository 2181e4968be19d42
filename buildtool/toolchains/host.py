"""What makes a file one that the ARM64 side of a platform runs."""

from __future__ import annotations

from buildtool.core.elf import EM_AARCH64, Elf
from buildtool.core.errors import BuildtoolError
from buildtool.toolchains.android import check_pages
from buildtool.toolchains.profile import Profile


class HostError(BuildtoolError):
    """A file of the ARM64 side would not run on the platform that it is built for."""

    code = "host"


def check_host(elf: Elf, profile: Profile) -> None:
    """Check a program, library or object that ships on the ARM64 side.

    Raises `HostError` or `PageSizeError` with the first thing that is wrong.
    """
    if elf.machine != EM_AARCH64 or elf.bits != 64:
        raise HostError(
            f"{elf.path.name} is not an ARM64 file",
            why=f"its ELF machine is {elf.machine}, ARM64's is {EM_AARCH64} ({elf.path})",
            remedy=f"Build it with {profile.name}: it was compiled for another machine.",
        )
    if profile.platform == "android":
        check_pages(elf)
