"""The documents beside an archive: whether they fit it, and who signed them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import Any

from buildtool.cache.bounded_json import parse
from buildtool.core.errors import BuildtoolError
from buildtool.core.file_stamp import stamp_of
from buildtool.core.files import open_regular
from buildtool.core.value import Value
from buildtool.release.supply_chain import provenance, sbom
from buildtool.release.supply_chain.sign import Signer, verify

MAX_DOCUMENT = 64 << 20
"""Bytes of a JSON document."""
_SHOWN = 5


class VerifyError(BuildtoolError):
    """An archive does not hold what its documents say."""

    code = "verify"


class Document(Value):
    """A document beside an archive, which fits it; `signer` is None if it was not checked."""

    path: Path
    signer: Signer | None


def documents_beside(
    archive: Path, sha256: str, release: Mapping[str, Any] | None, signers: Path | None
) -> dict[str, Document]:
    """The SBOM (`sbom`) and the provenance (`provenance`) beside an archive, if they are there.

    With `signers` both must be there and signed: nothing else shows that one is gone.  Raises
    `VerifyError` for one that is missing or does not fit, `SignatureError`.
    """
    checks = {
        "sbom": (sbom.SUFFIX, partial(_check_sbom, sha256=sha256, release=release)),
        "provenance": (provenance.SUFFIX, partial(_check_provenance, sha256=sha256)),
    }
    found = {name: _document(archive, *check, signers) for name, check in checks.items()}
    return {name: document for name, document in found.items() if document}


@contextmanager
def opened_unchanged(path: Path) -> Iterator[BufferedReader]:
    """The file for the block, in which all that is said of it is read from the same descriptor.

    Raises `VerifyError` if it cannot be read, or has changed at the end of the block.
    """
    try:
        file = open_regular(path, follow=True)
    except OSError as error:
        raise VerifyError(
            f"{path} cannot be read: {error.strerror}",
            remedy="Get the archive, its documents and signatures from where it was released.",
        ) from error
    with file:
        stamp = stamp_of(os.fstat(file.fileno()))
        yield file
        if stamp_of(os.fstat(file.fileno())) != stamp:
            raise VerifyError(
                f"{path} changed while it was verified",
                remedy="Verify a copy that nobody else can write.",
            )


def parse_document(path: Path, data: bytes) -> Any:
    try:
        if len(data) > MAX_DOCUMENT:
            raise ValueError(f"it is larger than {MAX_DOCUMENT >> 20} MiB")
        return parse(data)
    except ValueError as error:
        raise invalid_document(path, error) from error


def invalid_document(path: Path, error: Exception) -> VerifyError:
    return VerifyError(
        f"{path} is damaged, or of another version",
        why=f"{type(error).__name__}: {error}",
        remedy="Get the archive again from where it was released.",
    )


def refuse(archive: Path, document: str, differences: Iterable[str]) -> None:
    """Raise `VerifyError` if there are differences between the archive and the document."""
    found = list(differences)
    if not found:
        return
    more = [f"… and {len(found) - _SHOWN:,} more"] if len(found) > _SHOWN else []
    raise VerifyError(
        f"{archive} does not hold what {document} says",
        why="\n".join([*found[:_SHOWN], *more]),
        remedy="Do not use the archive. Get it again from where it was released.",
    )


def _document(
    archive: Path, suffix: str, check: Callable[[Any], Iterator[str]], signers: Path | None
) -> Document | None:
    """The document beside the archive with this suffix; None if there is none.

    `check` yields what in it does not fit.  Raises `VerifyError`, `SignatureError`.
    """
    path = archive.with_name(f"{archive.name}{suffix}")
    if not signers and not path.exists():
        return None
    with opened_unchanged(path) as file:
        signer = verify(path, file, signers) if signers else None
        document = parse_document(path, file.read(MAX_DOCUMENT + 1))
    try:
        refuse(archive, str(path), check(document))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise invalid_document(path, error) from error
    return Document(path, signer)


def _check_sbom(document: Any, sha256: str, release: Mapping[str, Any] | None) -> Iterator[str]:
    if document["bomFormat"] != "CycloneDX":
        yield "it is not a CycloneDX document"
    main = document["metadata"]["component"]
    if _sha256(main) != sha256:
        yield "it is of another archive: its component has another sha256"
    if release is None:
        return
    named = {p["name"]: p["value"] for p in main["properties"]}
    if named[sbom.RELEASE_PROPERTY] != release["id"]:
        yield "it is of another release"
    parts = [part["files"] for part in release["slices"].values()]
    rows = [row for part in (*parts, release.get("licenses", [])) for row in part]
    files = {row["path"]: row["sha256"] for row in rows if "link" not in row}
    listed = {row["name"]: _sha256(row) for row in document["components"] if row["type"] == "file"}
    for path in sorted({*files} | {*listed}):
        if files.get(path) != listed.get(path):
            yield f"it differs in the file {path}"


def _sha256(component: Any) -> str | None:
    return {each["alg"]: each["content"] for each in component["hashes"]}.get("SHA-256")


def _check_provenance(document: Any, sha256: str) -> Iterator[str]:
    if document["_type"] != provenance.STATEMENT:
        yield "it is not an in-toto statement"
    if document["predicateType"] != provenance.PREDICATE:
        yield "it is not SLSA's provenance"
    if sha256 not in {subject["digest"]["sha256"] for subject in document["subject"]}:
        yield "it is of another archive: no subject has its sha256"
