"""`buildtool verify` checks signatures, the list of files, and the documents beside an archive."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from buildtool.release.supply_chain.attach import attach, provenance
from buildtool.release.supply_chain.sbom import sbom
from buildtool.release.supply_chain.sign import sign
from tests.command_line import Buildtool
from tests.integration.release.test_sign import make_key, signers
from tests.json_documents import validate
from tests.unit.supply_chain.releases import (
    FILES,
    LICENCES,
    LINKS,
    PARTS,
    archive,
    changed,
    release,
)


def made(folder: Path) -> tuple[Path, Path, Path]:
    """An archive, its SBOM and its provenance."""
    path = archive(folder)
    bill, statement = (path.with_name(f"{path.name}.{n}.json") for n in ("cdx", "provenance"))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    bill.write_text(sbom(release(), digest, PARTS))
    statement.write_text(provenance(release(), {path.name: digest}, PARTS))
    return path, bill, statement


def signed(folder: Path) -> tuple[Path, Path]:
    """An archive with everything that `package --sign` writes, and the file of signers."""
    path, key = archive(folder), make_key(folder / "key")
    attach({path: hashlib.sha256(path.read_bytes()).hexdigest()}, release(), PARTS, key=key)
    return path, signers(folder, key)


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
    assert done.stdout.endswith("result      complete; where it comes from is not checked\n")
    assert printed["signer"] is None
    assert printed["release"]["id"] == release()["id"]
    assert printed["sbom"]["signer"] is None


def test_signed_archives_and_documents(buildtool: Buildtool, tmp_path: Path) -> None:
    path, known = signed(tmp_path)

    done = buildtool("verify", str(path), "--signers", str(known), cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "signature   good: ann@example.org (ssh-ed25519 SHA256:" in done.stdout
    assert ".cdx.json, signed by ann@example.org" in done.stdout
    assert ".provenance.json, signed by ann@example.org" in done.stdout
    assert done.stdout.endswith("result      good: it is what ann@example.org has signed\n")


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
    assert "\\x0d" not in done.stderr


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


@pytest.mark.parametrize("how", ["mv", "cp"])
def test_an_archive_that_is_signed_only_while_a_stand_in_of_ssh_keygen_runs(
    buildtool: Buildtool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    path, key = archive(tmp_path), make_key(tmp_path / "key")
    sign(path, key)
    good, bad = tmp_path / "good", tmp_path / "bad"
    shutil.copy(path, good)
    unsigned = archive(tmp_path, changed(release(), "version", "6.6")).rename(bad)
    shutil.copy(unsigned, path)
    stand_in = tmp_path / "tools" / "ssh-keygen"
    stand_in.parent.mkdir()
    stand_in.write_text(
        f"#!/bin/sh\nput() {{ cp $1 $1.copy && {how} $1.copy '{path}'; }}\n"
        f'{shutil.which("ssh-keygen")} "$@"\nstatus=$?\n'
        f"case $2 in find-principals) put '{good}' ;; verify) put '{bad}' ;; esac\nexit $status\n"
    )
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stand_in.parent}:{os.environ['PATH']}")

    done = buildtool("verify", path.name, "--signers", str(signers(tmp_path, key)), cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert "is not what was signed" in done.stderr or "changed while" in done.stderr


@pytest.mark.parametrize("suffix", ["cdx.json", "provenance.json"])
@pytest.mark.parametrize("gone", ["signature", "both"])
def test_signers_demand_all_that_the_release_was_made_with(
    buildtool: Buildtool, tmp_path: Path, suffix: str, gone: str
) -> None:
    path, known = signed(tmp_path)
    beside = path.with_name(f"{path.name}.{suffix}")
    beside.with_name(f"{beside.name}.sig").unlink()
    if gone == "both":
        beside.unlink()

    printed = document(buildtool, path, "--signers", known)

    assert printed["error"]["code"] == ("signature" if gone == "signature" else "verify")
    assert str(beside) in printed["error"]["message"]


@pytest.mark.parametrize("with_signers", [False, True])
def test_an_archive_whose_name_has_line_breaks(
    buildtool: Buildtool, tmp_path: Path, *, with_signers: bool
) -> None:
    path, known = signed(tmp_path)
    name = "a\nsignature   good: eve\r\u2028x.tar.zst"
    for file in tmp_path.glob(f"{path.name}*"):
        file.rename(file.with_name(name + file.name.removeprefix(path.name)))

    options = ("--signers", str(known)) if with_signers else ()
    done = buildtool("verify", name, *options, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(r"a\nsignature   good: eve\x0d\u2028x.tar.zst: sha256 ")
    assert [line.split()[0] for line in lines[1:]] == [
        *("signature", "release", "contents", "id", "SBOM", "provenance", "result"),
    ]


def test_the_error_of_an_archive_whose_name_has_line_breaks(
    buildtool: Buildtool, tmp_path: Path
) -> None:
    done = buildtool("verify", "a\nsignature   good: eve\nx.tar.zst", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith(r"error: a\nsignature   good: eve\nx.tar.zst cannot be read")


def test_a_signed_sbom_of_another_wheel(buildtool: Buildtool, tmp_path: Path) -> None:
    key = make_key(tmp_path / "key")
    names = ("a.whl", "b.whl")
    for name in names:
        with zipfile.ZipFile(tmp_path / name, "w") as wheel:
            wheel.writestr(f"demo/{name}", "")
        digest = hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        attach({tmp_path / name: digest}, release(), PARTS, key=key)
    for suffix in ("cdx.json", "cdx.json.sig"):
        (tmp_path / f"a.whl.{suffix}").replace(tmp_path / f"b.whl.{suffix}")

    printed = document(buildtool, tmp_path / "b.whl", "--signers", signers(tmp_path, key))

    assert printed["error"]["code"] == "verify"
    assert "it is of another archive" in printed["error"]["why"]
