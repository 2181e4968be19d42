"""What the ARM64 sides of a target need together of the device's libcdsprpc."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from buildtool.core.files import holds, value_digest, write_if_changed
from buildtool.engine.result import BuiltStep
from buildtool.toolchains.cdsprpc import check_needs


def check_together(finished: Sequence[BuiltStep], note: Path) -> None:
    """What the ARM64 sides ship asks nothing of the device's libcdsprpc that it does not have.

    `note` is where it is remembered what was found right.  Raises `CdsprpcError`.
    """
    hosts = [built for built in finished if built.step.profile.cdsprpc]
    wanted = [built.step.profile.cdsprpc for built in hosts if built.step.profile.cdsprpc]
    shipped = [[built.digest, *sorted(map(str, built.files.values()))] for built in hosts]
    digest = value_digest(sorted([*([cdsprpc.digest] for cdsprpc in wanted), *shipped]))
    if holds(note, digest.encode()):
        return
    from buildtool.core.elf import is_elf, read_elf  # noqa: PLC0415 - mostly nothing is to be read

    elves = [read_elf(path) for built in hosts for path in built.files.values() if is_elf(path)]
    for cdsprpc in dict.fromkeys(wanted):
        check_needs(elves, cdsprpc)
    write_if_changed(note, digest)
