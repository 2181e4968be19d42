"""The archives of SDKs that `buildtool sdk install` knows."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from buildtool.core.errors import UsageError
from buildtool.core.value import Value


class SdkArchive(Value):
    """An archive of the SDK `name` in the version `version`.

    `licence` says where the vendor's terms are; `sha256` ("") and `size` in bytes (0) are those
    of the archive, if they are known; `directory` is where the SDK is installed.
    """

    name: str
    version: str
    url: str
    licence: str
    sha256: str
    size: int
    directory: Path


def known_archives() -> Mapping[str, Any]:
    """The table `archives.toml`: kind of SDK → what is known of its archives."""
    text = Path(__file__).with_name("archives.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def known_versions(kind: str) -> tuple[str, ...]:
    """The versions of the SDK `kind` in the table, newest last; raises `UsageError` for another."""
    table = known_archives()
    if kind not in table:
        raise UsageError(f"{kind!r} is not an SDK", remedy=f"Take one of: {', '.join(table)}.")
    return tuple(table[kind]["versions"])


def find_archive(kind: str, version: str) -> SdkArchive:
    """The archive of `kind` ("hexagon", "ndk") in `version`, which need not be in the table.

    Raises `UsageError` for another kind, and for a text that cannot be a version.
    """
    known = known_versions(kind)
    sdk = known_archives()[kind]
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.]{0,30}", version, re.ASCII):
        raise UsageError(
            f"{version!r} is not a version of the {sdk['name']}",
            remedy=f"Known versions: {', '.join(known)}.",
        )
    found = sdk["versions"].get(version, {})
    return SdkArchive(
        name=sdk["name"],
        version=version,
        url=found.get("url", sdk["url"]).format(version=version),
        licence=sdk["licence"],
        sha256=found.get("sha256", ""),
        size=found.get("size", 0),
        directory=Path.home() / sdk["folder"] / found.get("revision", version),
    )
