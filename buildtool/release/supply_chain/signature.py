"""Parses signature files of OpenSSH.  Source: PROTOCOL.sshsig of OpenSSH."""

from __future__ import annotations

import base64
import binascii
import hashlib
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import open_regular
from buildtool.core.value import Value

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
