"""`release.tar.zst` of a bundle: the release that ran, so that it can run elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.run.bundle.record import RunRecord
from buildtool.run.bundle.redact import Redactor

if TYPE_CHECKING:
    from buildtool.release.formats.entries import Package
    from buildtool.release.package import Ingredients

NAME = "release.tar.zst"
MAX_BYTES = 64 << 20
"""Bytes of the files of a release that is included without being asked for."""


class LeftOut(Value):
    """Why a bundle does not contain the release."""

    why: str


def release_part(
    record: RunRecord, made_of: Ingredients, redact: Redactor, wanted: bool | None
) -> Package | LeftOut:
    """The content of the archive, or why there is none.

    The default, None for `wanted`, leaves out a release that is large or contains the value of a
    secret: nothing can be replaced in programs.  Raises `BuildtoolError` and `OSError`.
    """
    from buildtool.release.document import document_text  # noqa: PLC0415 - not in most runs
    from buildtool.release.package import package_of  # noqa: PLC0415
    from buildtool.release.supply_chain.licences import check_redistribution  # noqa: PLC0415

    if wanted is False:
        return LeftOut("--no-release")
    check_redistribution(record.project, made_of.build.steps)
    release = made_of.release
    if wanted is None:
        size = sum(file.size for file in release.files)
        if size > MAX_BYTES:
            limit = MAX_BYTES >> 20
            return LeftOut(f"its files have {size:,} bytes, more than {limit} MiB; {_INCLUDE}")
        if redact.occurs_in(document_text(made_of.document())):
            return LeftOut(f"its list of files contains the value of a secret; {_INCLUDE}")
        for file in release.files:
            if redact.occurs_in((release.directory / file.path).read_bytes()):
                return LeftOut(f"{file.path} contains the value of a secret; {_INCLUDE}")
    return package_of(made_of)


_INCLUDE = "buildtool capture --release includes it"
