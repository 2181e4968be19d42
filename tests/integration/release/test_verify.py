"""`buildtool verify` checks signatures, the list of files, and the documents beside an archive."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from buildtool.release.supply_chain.attach import attach
from buildtool.release.supply_chain.provenance import provenance
from buildtool.release.supply_chain.sbom import sbom
from buildtool.release.supply_chain.sign import sign
from tests.command_line import Buildtool
from tests.integration.release.test_sign import make_key, signers
from tests.json_documents import validate
from tests.unit.supply_chain.releases import FILES, LICENCES, LINKS, PARTS, archive, release


def made(folder: Path) -> tuple[Path, Path, Path]:
    """An archive, its SBOM and its provenance."""
    path = archive(folder)
    bill, statement = (path.with_name(f"{path.name}.{n}.json") for n in ("cdx", "provenance"))
    bill.write_text(sbom(release(), PARTS))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    statement.write_text(provenance(release(), {path.name: digest}, PARTS))
    return path, bill, statement


def document(buildtool: Buildtool, *arguments: str | Path) -> dict[str, Any]:
    done = buildtool("verify", *map(str, arguments), "--json", cwd=Path("/"))
    assert "Traceback" not in done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    validate("verify", printed)
    return printed


def test_without_signers_it_says_that_the_origin_is_unknown(
    buildtool: Buildtool, tmp_path: Path
) -> None:
    path, *_ = made(tmp_path)

    done = buildtool("verify", path.name, cwd=tmp_path)
    printed = document(buildtool, path)

    assert done.returncode == 0
    assert "signature   not checked: who made the archive is unknown" in done.stdout
    assert f"{len(FILES) + len(LINKS) + len(LICENCES)} files and links as listed" in done.stdout
    assert printed["signer"] is None
    assert printed["release"]["id"] == release()["id"]
    assert printed["sbom"]["signer"] is None


def test_signed_archives_and_documents(buildtool: Buildtool, tmp_path: Path) -> None:
    path, bill, _ = made(tmp_path)
    key = make_key(tmp_path / "key")
    sign(path, key)
    sign(bill, key)

    done = buildtool("verify", str(path), "--signers", str(signers(tmp_path, key)), cwd=tmp_path)
    printed = document(buildtool, path, "--signers", signers(tmp_path, key))

    assert done.returncode == 0, done.stderr
    assert "signature   good: ann@example.org (ssh-ed25519 SHA256:" in done.stdout
    assert ".cdx.json, signed by ann@example.org" in done.stdout
    assert ".provenance.json, not signed" in done.stdout
    assert printed["signer"]["identity"] == "ann@example.org"
    assert printed["sbom"]["signer"] == printed["signer"]
    assert printed["provenance"]["signer"] is None


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("signature", "signature"),
        ("archive", "signature"),
        ("sbom signature", "signature"),
        ("signers", "signature"),
        ("contents", "verify"),
        ("format", "archive-damaged"),
    ],
)
def test_what_is_refused(buildtool: Buildtool, tmp_path: Path, what: str, code: str) -> None:
    path, bill, _ = made(tmp_path)
    key, other = make_key(tmp_path / "key"), make_key(tmp_path / "other")
    known = signers(tmp_path, key)
    if what == "contents":
        path = archive(tmp_path, files={**FILES, "bin/more": (0o755, b"")})
    if what == "format":
        path.write_bytes(b"nothing")
    sign(path, other if what == "signature" else key)
    sign(bill, other if what.startswith("sbom") else key)
    if what == "archive":
        path.write_bytes(path.read_bytes() + b"x")
    if what == "signers":
        known = tmp_path / "missing"

    done = buildtool("verify", str(path), "--signers", str(known), cwd=tmp_path)
    printed = document(buildtool, path, "--signers", known)

    assert done.returncode == 1
    assert printed["error"]["code"] == code
    assert printed["error"]["remedy"]


def test_documents_that_are_attached_fit(buildtool: Buildtool, tmp_path: Path) -> None:
    path, key = archive(tmp_path), make_key(tmp_path / "key")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()

    attached = attach({path: digest}, release(), PARTS, key=key)
    signed = document(buildtool, path, "--signers", signers(tmp_path, key))
    attach({path: digest}, release(), PARTS)

    suffixes = ["sig", "cdx.json", "cdx.json.sig", "provenance.json", "provenance.json.sig"]
    assert {file.name for file in attached} == {f"{path.name}.{suffix}" for suffix in suffixes}
    assert signed["signer"]["identity"] == "ann@example.org"
    assert signed["signer"] == signed["sbom"]["signer"] == signed["provenance"]["signer"]
    assert [*tmp_path.glob("*.sig")] == []  # they would be of other archives
