"""Files are signed with SSH keys, and signatures that are not good are refused."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from buildtool.release.supply_chain.sign import NAMESPACE, SignatureError, Signer, sign, verify
from buildtool.sdk.tool_search import ToolMissingError


def make_key(path: Path, kind: str = "ed25519", passphrase: str = "") -> Path:
    command = ["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", "test", "-f", str(path)]
    subprocess.run(command, check=True)
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return make_key(tmp_path / "key")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    file = tmp_path / "demo 1.0.tar.zst"
    file.write_bytes(os.urandom(100_000))
    return file


def signers(folder: Path, key: Path, options: str = "", name: str = "ann@example.org") -> Path:
    public = key.with_name(f"{key.name}.pub").read_text()
    file = folder / "signers"
    file.write_text(f"# people\n{name} {options} {public}")
    return file


def verified(file: Path, known: Path) -> Signer:
    with file.open("rb") as opened:
        return verify(file, opened, known)


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An ssh-agent of this test's own."""
    socket = tmp_path / "agent"
    process = subprocess.Popen(
        ["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    process.stdout.readline()
    monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
    yield
    process.terminate()
    process.communicate(timeout=20)


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_a_signed_file_is_verified(tmp_path: Path, archive: Path, kind: str) -> None:
    key = make_key(tmp_path / kind, kind)

    first = sign(archive, key)
    signer = verified(archive, signers(tmp_path, key))

    assert first == archive.with_name(f"{archive.name}.sig")
    assert (signer.identity, kind in signer.key_type) == ("ann@example.org", True)
    listed = subprocess.run(
        ["ssh-keygen", "-l", "-f", key], capture_output=True, text=True, check=True
    )
    assert signer.fingerprint in listed.stdout


def test_a_second_signature_replaces_the_first(tmp_path: Path, archive: Path, key: Path) -> None:
    sign(archive, make_key(tmp_path / "other"))
    sign(archive, key)

    assert verified(archive, signers(tmp_path, key)).identity == "ann@example.org"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_ssh_keygen_itself_verifies_it(tmp_path: Path, archive: Path, key: Path) -> None:
    signature, known = sign(archive, key), signers(tmp_path, key)
    options = ["-f", str(known), "-I", "ann@example.org", "-n", NAMESPACE, "-s", str(signature)]
    with archive.open("rb") as stream:
        subprocess.run(["ssh-keygen", "-Y", "verify", *options], stdin=stream, check=True)


@pytest.mark.usefixtures("agent")
def test_a_key_of_the_agent_is_named_by_its_public_key(tmp_path: Path, archive: Path) -> None:
    key = make_key(tmp_path / "agents")
    public, private = key.with_name("agents.pub"), key.rename(tmp_path / "private")
    with pytest.raises(SignatureError, match="could not be signed") as error:
        sign(archive, public)
    subprocess.run(["ssh-add", "-q", private], check=True)

    sign(archive, public)

    assert "ssh-add" in error.value.remedy
    assert verified(archive, signers(tmp_path, key)).identity == "ann@example.org"


def test_a_key_with_a_passphrase_does_not_wait_for_it(tmp_path: Path, archive: Path) -> None:
    with pytest.raises(SignatureError) as error:
        sign(archive, make_key(tmp_path / "locked", passphrase="secret"))

    assert "ssh-add" in error.value.remedy
    assert not archive.with_name(f"{archive.name}.sig").exists()


def test_files_that_are_no_keys(tmp_path: Path, archive: Path) -> None:
    (tmp_path / "text").write_text("not a key")
    for name, text in (("text", "could not be signed with"), ("missing", "there is no key")):
        with pytest.raises(SignatureError, match=text):
            sign(archive, tmp_path / name)


def test_the_identity_is_that_of_the_file_of_signers(
    tmp_path: Path, archive: Path, key: Path
) -> None:
    sign(archive, key)

    known = signers(tmp_path, key, f'namespaces="git,{NAMESPACE}"', "ann@example.org,bob")
    assert verified(archive, known).identity == "ann@example.org"
    known = signers(tmp_path, key, 'valid-after="20200101"', "*@example.org")
    assert verified(archive, known).identity == "*@example.org"


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ('valid-before="20200101"', ("with a key that is not valid now", "expired")),
        ('valid-after="20990101"', ("with a key that is not valid now", "not yet valid")),
        ('namespaces="git"', ("with a key that may not sign releases", "not permitted")),
        ("no-such-option", ("is not signed by one of", "SHA256:")),
    ],
)
def test_keys_that_may_not_sign_this(
    tmp_path: Path, archive: Path, key: Path, options: str, texts: tuple[str, str]
) -> None:
    sign(archive, key)

    with pytest.raises(SignatureError, match=texts[0]) as error:
        verified(archive, signers(tmp_path, key, options))

    assert texts[1] in error.value.why
    assert error.value.remedy


def test_an_unknown_key(tmp_path: Path, archive: Path, key: Path) -> None:
    sign(archive, make_key(tmp_path / "mallory"))

    with pytest.raises(SignatureError, match="is not signed by one of"):
        verified(archive, signers(tmp_path, key))


def test_a_changed_archive(tmp_path: Path, archive: Path, key: Path) -> None:
    sign(archive, key)
    *others, last = archive.read_bytes()
    archive.write_bytes(bytes([*others, last ^ 1]))

    with pytest.raises(SignatureError, match="is not what was signed"):
        verified(archive, signers(tmp_path, key))


def test_the_signature_of_something_else(tmp_path: Path, archive: Path, key: Path) -> None:
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", "git", str(archive)]
    subprocess.run(command, check=True)

    with pytest.raises(SignatureError, match="is not the signature of a release") as error:
        verified(archive, signers(tmp_path, key))

    assert "'git'" in error.value.why


def test_damaged_signatures(tmp_path: Path, archive: Path, key: Path) -> None:
    signature = sign(archive, key)
    text = signature.read_bytes()
    first, *_, last = text.splitlines()
    for damaged, why in (
        (b"", "it is not an SSH signature"),
        (b"x", "it is not an SSH signature"),
        (text[:-40], "it is not an SSH signature"),
        (text.replace(last, b"A" * 100_000 + last), "it is not an SSH signature"),
        (b"\n".join([first, b"U1NIU0lHAAAAAv////8=", last]), "it is of an unknown version"),
        (b"\n".join([first, b"U1NIU0lHAAAAAf////8=", last]), "it is incomplete"),
        (b"\n".join([first, b"U1NIU0lHAAAAAQAA", last]), "it is incomplete"),
        (b"\n".join([first, b"!", last]), "base64"),
    ):
        signature.write_bytes(damaged)
        with pytest.raises(SignatureError, match=re.escape(str(signature))) as error:
            verified(archive, signers(tmp_path, key))
        assert why in error.value.why


def test_a_missing_signature_and_missing_signers(tmp_path: Path, archive: Path, key: Path) -> None:
    with pytest.raises(SignatureError, match=r"\.sig cannot be read: No such file"):
        verified(archive, signers(tmp_path, key))
    sign(archive, key)
    with pytest.raises(SignatureError, match="there is no file"):
        verified(archive, tmp_path / "missing")


def test_a_missing_ssh_keygen(
    archive: Path, key: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ToolMissingError, match="ssh-keygen is not installed"):
        sign(archive, key)


@pytest.mark.parametrize(
    "text", ["unknown option -- Y", 'Unsupported operation for -Y: "find-principals"']
)
def test_an_old_openssh_as_a_stand_in_prints(
    tmp_path: Path, archive: Path, key: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    sign(archive, key)
    old = tmp_path / "old" / "ssh-keygen"
    old.parent.mkdir()
    old.write_text(f"#!/bin/sh\necho '{text}' >&2\nexit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:{os.environ['PATH']}")

    for work in (lambda: sign(archive, key), lambda: verified(archive, signers(tmp_path, key))):
        with pytest.raises(SignatureError, match="is too old") as error:
            work()
        assert "OpenSSH 8.2" in error.value.remedy
