"""Writes the documents of a release beside its archives, and signs both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.files import write_if_changed
from buildtool.release.supply_chain import provenance, sbom
from buildtool.release.supply_chain.parts import Part
from buildtool.release.supply_chain.sign import sign, signature_file


def remove_documents(archive: Path) -> None:
    """Remove the documents and signatures beside an archive that has other bytes now."""
    for suffix in ("", sbom.SUFFIX, provenance.SUFFIX):
        document = archive.with_name(f"{archive.name}{suffix}")
        signature_file(document).unlink(missing_ok=True)
        if suffix:
            document.unlink(missing_ok=True)


def attach(
    archives: Mapping[Path, str],
    release: Mapping[str, Any],
    parts: Sequence[Part],
    *,
    options: Mapping[str, Any] | None = None,
    key: Path | None = None,
) -> tuple[Path, ...]:
    """Write `ARCHIVE.cdx.json` and `ARCHIVE.provenance.json` beside each archive, and with `key`
    the signatures of all three; returns what was written.

    `archives` are paths with their sha256, `release` is the document `release.json`, `parts` what
    is in it of other projects, `options` are those of the command.  Signatures of earlier archives
    are removed.  Raises `OSError`, and what `sign` raises.
    """
    written = []
    for archive, sha256 in archives.items():
        bill = sbom.sbom(release, sha256, parts)
        statement = provenance.provenance(release, {archive.name: sha256}, parts, options)
        files = [archive]
        for suffix, text in ((sbom.SUFFIX, bill), (provenance.SUFFIX, statement)):
            files.append(archive.with_name(f"{archive.name}{suffix}"))
            write_if_changed(files[-1], text)
        written += files[1:]
        for file in files:
            if key:
                written.append(sign(file, key))
            else:
                signature_file(file).unlink(missing_ok=True)
    return tuple(written)
