"""Verifies an archive: who signed it, and whether it holds what its documents say.

Of the documents beside an archive it says whether they fit it, and who signed them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any

from buildtool.contract.release_json import promise_of
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import open_regular, parse_bounded, stamp_of
from buildtool.core.value import Described, Value
from buildtool.release.document import NAME
from buildtool.release.formats.entries import CONAN
from buildtool.release.slices import file_list_digest, release_id, slice_of
from buildtool.release.supply_chain.attach import (
    PREDICATE,
    PROVENANCE,
    RELEASE_PROPERTY,
    SBOM,
    STATEMENT,
)
from buildtool.release.supply_chain.sign import Signer, verify
from buildtool.release.unpack import members

WHOLE = (".tar.zst", ".zip")
"""The archives that have only the files of a release; other formats add files of their own."""


class VerifiedArchive(Value):
    """The result of verifying an archive."""

    archive: Path
    sha256: str
    signer: Signer | None  # None if signatures were not checked
    release: Mapping[str, Any] | None  # the document `release.json`, None for a package without one
    files: int  # the number of the release's files and links
    extra: int  # the number of files that the format of the archive adds
    documents: Mapping[str, Document]  # the SBOM and the provenance beside the archive, by name


class _Row(Value):
    """An entry of an archive: mode and sha256 of a file, or the target of a link."""

    mode: str
    sha256: str
    target: str


def verify_archive(archive: Path, signers: Path | None) -> VerifiedArchive:
    """Verify an archive; with `signers` also that one of them signed it, before it is parsed.

    Raises `VerifyError`, `SignatureError`, `ArchiveError`, `ToolMissingError`, `ToolError`.
    """
    with opened_unchanged(archive) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        signer = verify(archive, file, signers) if signers else None
        rows, document, prefix = _read(file, archive)
    release: Any = None
    listed: dict[str, _Row] = {}
    if document is not None:
        release = parse_document(archive / NAME, document)
        listed = _check_contents(archive, release, rows, prefix)
    elif _is_whole(archive):
        raise VerifyError(
            f"{archive} is not a release: it has no {NAME}",
            remedy="Verify an archive that `buildtool package` made.",
        )
    return VerifiedArchive(
        archive=archive,
        sha256=digest,
        signer=signer,
        release=release,
        files=len(listed),
        extra=len(rows) - len(listed),
        documents=documents_beside(archive, digest, release, signers),
    )


def _is_whole(archive: Path) -> bool:
    """Whether an archive holds a release and nothing else."""
    return archive.name.endswith(WHOLE) and not archive.name.endswith(CONAN)


def _read(file: BufferedReader, archive: Path) -> tuple[dict[str, _Row], bytes | None, str]:
    """The rows of the archive without release.json; the bytes of that file, None if there is
    none; and the path of its directory, with a slash, or "".

    The file that is nearest to the top counts: data files may have the same name.
    """
    rows: dict[str, _Row] = {}
    document, at = None, ""
    for entry, content in members(file, archive):
        if entry.kind == "directory":
            continue
        is_document = entry.path.rpartition("/")[2] == NAME and entry.kind == "file"
        nearer = not at or entry.path.count("/") < at.count("/")
        if is_document and nearer and entry.size <= MAX_DOCUMENT:
            document, at = b"".join(content), entry.path
            content = iter((document,))  # noqa: PLW2901
        sha256 = hashlib.sha256()
        for piece in content:
            sha256.update(piece)
        rows[entry.path] = _Row(f"{entry.mode:04o}", sha256.hexdigest(), entry.target)
    rows.pop(at, None)
    return rows, document, at.removesuffix(NAME)


def _check_contents(
    archive: Path, release: Any, rows: Mapping[str, _Row], prefix: str
) -> dict[str, _Row]:
    """Compare the archive with its release.json; returns what that lists.

    Raises `VerifyError`.
    """
    try:
        promise = promise_of(release)
        listed = {path: _Row(f.mode, f.sha256, "") for path, f in (promise.files or {}).items()}
        listed |= {path: _Row("", "", target) for path, target in promise.links.items()}
        ids = {name: part["id"] for name, part in release["slices"].items()}
        wrong = _wrong_ids(release, listed, ids)
        texts = (release["project"], release["version"], release["target"]["name"], release["id"])
        if not all(isinstance(text, str) for text in (*texts, *ids.values())):
            raise ValueError("a name or id is not a string")
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise invalid_document(archive / NAME, error) from error
    found = {
        path.removeprefix(prefix): row._replace(mode="", sha256="") if row.target else row
        for path, row in rows.items()
        if path.startswith(prefix)
    }
    differences = [
        *(f"{path} is missing" for path in sorted({*listed} - {*found})),
        *(_difference(path, found[path], row) for path, row in listed.items() if path in found),
        *wrong,
    ]
    if _is_whole(archive):
        extra = sorted({*found} - {*listed}) + [p for p in rows if not p.startswith(prefix)]
        differences += [f"{path} is not listed" for path in extra]
    refuse(archive, f"its {NAME}", filter(None, differences))
    return listed


def _wrong_ids(
    release: Mapping[str, Any], listed: Mapping[str, _Row], ids: Mapping[str, str]
) -> list[str]:
    """The slices and the release whose ids are not those of their files."""
    own: dict[str, list[list[str]]] = {name: [] for name in ids}
    outside = {row["path"] for row in release.get("licenses", [])}
    for path, row in listed.items():
        if path in outside:
            continue
        columns = [path, "link", row.target] if row.target else [path, row.mode, row.sha256]
        own.setdefault(slice_of(path), []).append(columns)
    wrong = [
        f"the slice {name} has an id other than that of its files"
        for name, files in own.items()
        if file_list_digest(files) != ids.get(name)
    ]
    if release_id(dict(ids)) != release["id"]:
        wrong.append("the release has an id other than that of its slices")
    return wrong


def _difference(path: str, found: _Row, listed: _Row) -> str:
    if found.target != listed.target:
        return f"{path} is a link to {found.target!r} instead of {listed.target!r}"
    if found.sha256 != listed.sha256:
        return f"{path} has other bytes"
    if found.mode != listed.mode:
        return f"{path} has the mode {found.mode} instead of {listed.mode}"
    return ""


MAX_DOCUMENT = 64 << 20
"""Bytes of a JSON document."""
_SHOWN = 5


class VerifyError(BuildtoolError):
    """An archive does not hold what its documents say."""

    code = "verify"


class Document(Described):
    """A document beside an archive, which fits it; `signer` is None if it was not checked."""

    path: Annotated[Path, "path of the document"]
    signer: Annotated[Signer | None, "who signed it; null without --signers"]


def documents_beside(
    archive: Path, sha256: str, release: Mapping[str, Any] | None, signers: Path | None
) -> dict[str, Document]:
    """The SBOM (`sbom`) and the provenance (`provenance`) beside an archive, if they are there.

    With `signers` both must be there and signed: nothing else shows that one is gone.  Raises
    `VerifyError` for one that is missing or does not fit, `SignatureError`.
    """
    checks = {
        "sbom": (SBOM, partial(_check_sbom, sha256=sha256, release=release)),
        "provenance": (PROVENANCE, partial(_check_provenance, sha256=sha256)),
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
        return parse_bounded(data)
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
    if named[RELEASE_PROPERTY] != release["id"]:
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
    if document["_type"] != STATEMENT:
        yield "it is not an in-toto statement"
    if document["predicateType"] != PREDICATE:
        yield "it is not SLSA's provenance"
    if sha256 not in {subject["digest"]["sha256"] for subject in document["subject"]}:
        yield "it is of another archive: no subject has its sha256"
