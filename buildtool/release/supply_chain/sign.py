"""Signs files with SSH keys, and verifies their signatures, as git does with commits.

The signature of FILE is FILE.sig.  Signers are listed in a file of the format "ALLOWED SIGNERS" of
ssh-keygen(1).

Parses signature files of OpenSSH.  Source: PROTOCOL.sshsig of OpenSSH.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import tempfile
from io import BufferedReader
from pathlib import Path
from typing import Annotated

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import open_regular, replace_file
from buildtool.core.processes.process import Completed, capture
from buildtool.core.value import Described, Value
from buildtool.sdk.device_programs import find_ssh_keygen

NAMESPACE = "buildtool-release"
"""The purpose of the signatures: one of another namespace, such as git's, is not valid here."""
SUFFIX = ".sig"
SIGN_TIMEOUT, VERIFY_TIMEOUT = 120.0, 60.0
"""Seconds: a security key waits for a touch."""
_OLD = ("unknown option", "illegal option", "invalid option", "Unsupported operation for -Y")


class Signer(Described):
    """Who signed a file, as the file of signers names them, and the key."""

    identity: Annotated[str, "name in the file of signers"]
    key_type: Annotated[str, "type of the key, such as ssh-ed25519"]
    fingerprint: Annotated[str, "fingerprint of the key, as ssh-keygen -l prints it"]


def signature_file(file: Path) -> Path:
    """The file with the signature of `file`."""
    return file.with_name(f"{file.name}{SUFFIX}")


def sign(file: Path, key: Path) -> Path:
    """Sign `file` with `key`: a private key, or the public key of one that the ssh-agent has.

    Returns the signature file, which replaces an earlier one.  Raises `SignatureError`,
    `ToolMissingError`, `ToolError`.
    """
    if not key.is_file():
        raise SignatureError(
            f"there is no key {key}",
            remedy="Name the file of a key, such as ~/.ssh/id_ed25519.pub; make one with"
            " ssh-keygen -t ed25519.",
        )
    signature = signature_file(file)
    # ssh-keygen writes the signature beside the file, and asks before it replaces one.
    with tempfile.TemporaryDirectory(prefix=".sign.", dir=file.parent) as folder:
        link = Path(folder, "file")
        link.symlink_to(file.absolute())
        done = _ssh_keygen("sign", "-f", key.absolute(), "-n", NAMESPACE, link, cwd=Path(folder))
        fresh = signature_file(link)
        if done.status or not fresh.is_file():
            raise SignatureError(
                f"{file} could not be signed with {key}",
                why=done.output,
                remedy=_sign_remedy(done.output, key),
            )
        replace_file(fresh, signature)
    return signature


def verify(file: Path, opened: BufferedReader, signers: Path) -> Signer:
    """Check that `file`, which is open as `opened`, is signed by one of `signers`; returns who it
    is.  `opened` is at its start before and afterwards.

    Raises `SignatureError`, `ToolMissingError`, `ToolError`.
    """
    signature = signature_file(file)
    said = read_signature(signature)
    if not signers.is_file():
        raise SignatureError(
            f"there is no file {signers} with signers",
            remedy="Name a file in the format of git's gpg.ssh.allowedSignersFile: a line"
            " 'NAME KEYTYPE KEY' for each signer.",
        )
    if said.namespace != NAMESPACE:
        raise SignatureError(
            f"{signature} is not the signature of a release",
            why=f"it is for the namespace {said.namespace!r} instead of {NAMESPACE!r}",
            remedy=f"Sign it with: ssh-keygen -Y sign -n {NAMESPACE} -f KEY {file.name}",
        )
    found = _ssh_keygen("find-principals", "-f", signers, "-s", signature)
    if found.status:
        raise _unknown_signer(file, said, signers, found.output)
    output = ""
    for identity in filter(None, found.output.splitlines()):
        options = ("-f", signers, "-I", identity, "-n", NAMESPACE, "-s", signature)
        try:
            done = _ssh_keygen("verify", *options, stdin=opened.fileno())
        finally:
            # Seeking to the end drops the buffer: ssh-keygen has moved the position behind it.
            opened.seek(0, os.SEEK_END)
            opened.seek(0)
        if not done.status:
            return Signer(identity, said.key_type, said.fingerprint)
        output = done.output
    if "not permitted for use in signature namespace" in output:
        raise _unknown_signer(file, said, signers, output)
    raise SignatureError(
        f"{file} is not what was signed",
        why=f"the key {said.fingerprint} is one of {signers}, and its signature {signature} is of"
        f" other bytes\n{output}",
        remedy="Do not use the archive. Get it again, with its signature.",
    )


def _ssh_keygen(
    action: str, *arguments: str | Path, cwd: Path | None = None, stdin: int | None = None
) -> Completed:
    """Run `ssh-keygen -Y ACTION ARGUMENTS...`; raises `SignatureError` if it cannot do it."""
    program = find_ssh_keygen()
    done = capture(
        [program, "-Y", action, *arguments],
        env={**os.environ, "LC_ALL": "C"},
        cwd=cwd,
        timeout=SIGN_TIMEOUT if action == "sign" else VERIFY_TIMEOUT,
        stdin=stdin,
    )
    done = done._replace(output=done.output.replace("\r", ""))  # as for a terminal
    if done.status and any(text in done.output for text in _OLD):
        raise SignatureError(
            f"{program} is too old",
            why=f"it does not know -Y {action}: {done.output.partition(chr(10))[0]}",
            remedy="Install OpenSSH 8.2 or newer.",
        )
    return done


def _sign_remedy(output: str, key: Path) -> str:
    if "passphrase" in output:
        return f"Add the key to the ssh-agent: ssh-add {key.with_suffix('')}"
    if "No private key found" in output or "agent" in output:
        return (
            "The ssh-agent does not have the key: ssh-add the private key, and check that"
            " SSH_AUTH_SOCK is set."
        )
    return "Name a key that ssh can use: ssh-keygen -l -f KEY prints what it is."


def _unknown_signer(file: Path, said: Signature, signers: Path, output: str) -> SignatureError:
    expired = "expired" in output or "not yet valid" in output
    namespaced = "not permitted for use in signature namespace" in output
    if expired:
        message, remedy = (
            f"{file} is signed with a key that is not valid now",
            "Ask for a signature with a valid key, or correct valid-before and valid-after in the"
            " file of signers.",
        )
    elif namespaced:
        message, remedy = (
            f"{file} is signed with a key that may not sign releases",
            f'Add "{NAMESPACE}" to its namespaces in the file of signers, if you trust it for'
            " that.",
        )
    else:
        message, remedy = (
            f"{file} is not signed by one of {signers}",
            "Do not use the archive, unless you trust the key: then add it to the file of signers.",
        )
    return SignatureError(
        message, why=f"the key is {said.fingerprint} ({said.key_type})\n{output}", remedy=remedy
    )


MAX_SIZE = 64 << 10
"""Bytes of a signature file; one of an RSA key of 16,384 bits with a certificate has 12,000."""
_BEGIN, _END = b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----"
_MAGIC = b"SSHSIG\0\0\0\x01"


class SignatureError(BuildtoolError):
    """A file could not be signed, or its signature is missing, damaged or not good."""

    code = "signature"


class Signature(Value):
    """The contents of a signature file: its namespace, and the key's type and fingerprint as
    OpenSSH prints it."""

    namespace: str
    key_type: str
    fingerprint: str


def read_signature(file: Path) -> Signature:
    """Parse a signature file.  Nothing is verified.  Raises `SignatureError`."""
    try:
        with open_regular(file, follow=True) as stream:
            text = stream.read(MAX_SIZE + 1).strip()
    except OSError as error:
        raise SignatureError(
            f"the signature {file} cannot be read: {error.strerror}",
            remedy="Get the file from where the archive is from. Without --signers only the"
            " contents are checked.",
        ) from error
    try:
        if len(text) > MAX_SIZE or not (text.startswith(_BEGIN) and text.endswith(_END)):
            raise ValueError("it is not an SSH signature")
        lines = text[len(_BEGIN) : -len(_END)].split()
        data = base64.b64decode(b"".join(lines), validate=True)
        if not data.startswith(_MAGIC):
            raise ValueError("it is of an unknown version")
        key, rest = _string(data[len(_MAGIC) :])
        namespace, _ = _string(rest)
        key_type, _ = _string(key)
        digest = base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")
        return Signature(namespace.decode(), key_type.decode(), f"SHA256:{digest}")
    except (ValueError, binascii.Error) as error:
        raise SignatureError(
            f"{file} is not a signature of OpenSSH",
            why=str(error),
            remedy="Get the file again from where the archive is from.",
        ) from error


def _string(data: bytes) -> tuple[bytes, bytes]:
    """The string at the start of `data`, and the rest; see RFC 4251, section 5."""
    length = int.from_bytes(data[:4], "big")
    if len(data) < 4 + length or len(data) < 4:
        raise ValueError("it is incomplete")
    return data[4 : 4 + length], data[4 + length :]
