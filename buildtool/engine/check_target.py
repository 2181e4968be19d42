"""Check what the ARM64 sides of a target together need of the device's libcdsprpc."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from buildtool.core.files import has_content, value_digest, write_if_changed
from buildtool.engine.result import StepResult


def check_cdsprpc_needs(results: Sequence[StepResult], note: Path) -> None:
    """Check that the ARM64 sides need no function that the device's libcdsprpc lacks.

    `note` is the file that keeps the digest of what was checked last.  Raises `ContractError`.
    """
    hosts = [built for built in results if built.step.profile.cdsprpc]
    wanted = [built.step.profile.cdsprpc for built in hosts if built.step.profile.cdsprpc]
    shipped = [[built.digest, *sorted(map(str, built.files.values()))] for built in hosts]
    digest = value_digest(sorted([*([cdsprpc.digest] for cdsprpc in wanted), *shipped]))
    if has_content(note, digest.encode()):
        return
    from buildtool.contract.build_checks import check_cdsprpc_use  # noqa: PLC0415 - rarely needed

    files = [path for built in hosts for path in built.files.values() if not path.is_dir()]
    for profile in {built.step.profile.cdsprpc: built.step.profile for built in hosts}.values():
        check_cdsprpc_use(files, profile)
    write_if_changed(note, digest)
