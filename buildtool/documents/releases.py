"""What `package` and `verify` print."""

from __future__ import annotations

from typing import Annotated, TypedDict

from buildtool.documents.inspection import FindingObject


class ArchiveObject(TypedDict):
    format: Annotated[str, "format of the archive"]
    path: Annotated[str, "path of the archive"]
    size: Annotated[int, "its size in bytes"]
    sha256: Annotated[str, "sha256 of its bytes"]


class PackageDocument(TypedDict):
    target: Annotated[str, "target of buildtool.toml"]
    directory: Annotated[str, "directory of what ships"]
    release: Annotated[str, "id of what ships, the digest of the ids of its slices"]
    slices: Annotated[
        dict[str, str], "slice (host, or a DSP arch) → its id, the digest of its file list"
    ]
    warnings: Annotated[list[FindingObject], "what the check of the release has found"]
    archives: Annotated[list[ArchiveObject], "archives in the order of the formats"]
    documents: Annotated[list[str], "SBOMs, provenance and signatures beside the archives"]
    error: Annotated[None, "a package that fails prints another document"]


class SignerObject(TypedDict):
    identity: Annotated[str, "name in the file of signers"]
    key_type: Annotated[str, "type of the key, such as ssh-ed25519"]
    fingerprint: Annotated[str, "fingerprint of the key, as ssh-keygen -l prints it"]


class SignedFileObject(TypedDict):
    path: Annotated[str, "path of the document"]
    signer: Annotated[SignerObject | None, "who signed it; null without --signers"]


class VerifiedReleaseObject(TypedDict):
    project: Annotated[str, "name of the project"]
    version: Annotated[str, "version of the project"]
    target: Annotated[str, "name of the target"]
    id: Annotated[str, "id of the release"]
    slices: Annotated[dict[str, str], "id of each slice, by its name"]


class VerifyDocument(TypedDict):
    archive: Annotated[str, "path of the archive"]
    sha256: Annotated[str, "sha256 of the archive"]
    signer: Annotated[SignerObject | None, "who signed the archive; null without --signers"]
    release: Annotated[
        VerifiedReleaseObject | None, "what its release.json says; null for a package without one"
    ]
    files: Annotated[int, "number of the release's files and links"]
    other_files: Annotated[int, "number of the files that the format of the archive adds"]
    sbom: Annotated[SignedFileObject | None, "the SBOM beside the archive; null for none"]
    provenance: Annotated[SignedFileObject | None, "the provenance beside it; null for none"]
