"""`buildtool verify ARCHIVE`: whether an archive is what somebody released."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from buildtool.cli.options import Json
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.show import print_json, show
from buildtool.core.errors import BuildtoolError
from buildtool.core.escape import escape_line

if TYPE_CHECKING:
    from buildtool.documents.inspection import (
        VerifiedReleaseObject,
        VerifyDocument,
    )
    from buildtool.release.supply_chain.sign import Signer
    from buildtool.release.supply_chain.verify import VerifiedArchive

TITLES = {"sbom": "SBOM", "provenance": "provenance"}


def verify(
    archive: Annotated[Path, Argument("ARCHIVE", "Archive that `buildtool package` made.")],
    *,
    signers: Annotated[
        Path | None,
        Option(
            "--signers",
            "Who must have signed the archive and its documents: a file in git's format.",
            "FILE",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check the signature and the files of an archive.

    Without --signers it says whether the archive is complete, not where it comes from.
    """
    from buildtool.release.supply_chain.verify import verify_archive

    try:
        found = verify_archive(archive, signers)
    except BuildtoolError as error:
        error.message = escape_line(error.message)
        raise
    if json:
        print_json(_document(found))
    else:
        _show(found)


def _show(found: VerifiedArchive) -> None:
    for line in _lines(found):
        show(escape_line(line))


def _lines(found: VerifiedArchive) -> Iterator[str]:
    yield f"{found.archive}: sha256 {found.sha256}"
    if found.signer:
        yield f"signature   good: {_name(found.signer)}"
    else:
        yield "signature   not checked: who made the archive is unknown; name --signers FILE"
    if found.release:
        release, extra = found.release, f"; {found.extra} others" if found.extra else ""
        target = release["target"]["name"]
        yield f"release     {release['project']} {release['version']} for {target}"
        yield f"contents    {found.files} files and links as listed{extra}"
        yield f"id          {release['id']}"
    else:
        yield f"contents    not checked: {found.extra} files, and no release.json"
    for name, title in TITLES.items():
        if document := found.documents.get(name):
            by = f"signed by {_name(document.signer)}" if document.signer else "not checked"
            yield f"{title:<11} fits: {document.path.name}, {by}"
        else:
            yield f"{title:<11} none beside the archive"
    if found.signer:
        yield f"result      good: it is what {found.signer.identity} has signed"
    elif found.release:
        yield "result      complete; where it comes from is not checked"
    else:
        yield "result      it can be unpacked; nothing more is known of it"


def _name(signer: Signer) -> str:
    return f"{signer.identity} ({signer.key_type} {signer.fingerprint})"


def _document(found: VerifiedArchive) -> VerifyDocument:
    sbom, provenance = map(found.documents.get, TITLES)
    return {
        "archive": str(found.archive),
        "sha256": found.sha256,
        "signer": found.signer.as_json() if found.signer else None,
        "release": _release(found.release) if found.release else None,
        "files": found.files,
        "other_files": found.extra,
        "sbom": sbom.as_json() if sbom else None,
        "provenance": provenance.as_json() if provenance else None,
    }


def _release(release: Mapping[str, Any]) -> VerifiedReleaseObject:
    return {
        "project": release["project"],
        "version": release["version"],
        "target": release["target"]["name"],
        "id": release["id"],
        "slices": {name: part["id"] for name, part in release["slices"].items()},
    }
