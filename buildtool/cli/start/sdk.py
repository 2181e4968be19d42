"""`buildtool sdk`: the SDKs of vendors."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.show import print_json, show
from buildtool.core.errors import UsageError
from buildtool.core.files import is_digest

if TYPE_CHECKING:
    from buildtool.documents.toolchains import SdkDocument

HELP = "Install the SDKs of vendors."


def install(
    kind: Annotated[str, Argument("SDK", "hexagon, or ndk.")],
    version: Annotated[
        str, Argument("[VERSION]", "Such as 6.5.0.0, r27c; default: list them.")
    ] = "",
    *,
    source: Annotated[str, Option("--from", "A mirror's URL, or a file.", "PLACE")] = "",
    sha256: Annotated[str, Option("--sha256", "The archive's sha256.", "DIGEST")] = "",
    accept_licence: Annotated[
        bool, Option("--accept-licence", "Accept the vendor's licence.")
    ] = False,
    json: Json = False,
) -> None:
    """Download an SDK from its vendor, check its digest, and unpack it.

    An interrupted download continues when the command is repeated.
    """
    from buildtool.cli.screen import Screen
    from buildtool.sdk.vendor_archives import find_archive, install_sdk, known_versions

    if not version:
        raise UsageError(
            f"which version of {kind} to install is not clear",
            why=f"known versions: {', '.join(known_versions(kind))}",
            remedy=f"Name one: buildtool sdk install {kind} VERSION",
        )
    archive = find_archive(kind, version)
    if sha256:
        if not is_digest(sha256.lower()):
            raise UsageError(f"--sha256 {sha256} is not a sha256", remedy="Pass 64 hex digits.")
        known = sha256.lower() == archive.sha256
        archive = archive._replace(sha256=sha256.lower(), size=archive.size if known else 0)
    place = source or archive.url
    size = f"{archive.size / 1e6:,.0f} MB" if archive.size else "size unknown"
    show(f"{archive.name} {archive.version}", file=sys.stderr)
    show(f"  from     {place} ({size})", file=sys.stderr)
    show(f"  licence  {archive.licence}", file=sys.stderr)
    show(f"  to       {archive.directory}", file=sys.stderr)
    if not accept_licence:
        _ask_to_accept()
    install_sdk(archive, place, Screen())
    if json:
        document: SdkDocument = {
            "sdk": kind,
            "version": version,
            "directory": str(archive.directory),
        }
        print_json(document)
    else:
        show(archive.directory)


COMMANDS = (install,)


def _ask_to_accept() -> None:
    """Raises `UsageError` unless the user accepts the licence."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "the vendor's licence is not accepted",
            why="there is no terminal to ask on",
            remedy="Read it, and pass --accept-licence.",
        )
    show("Do you accept this licence? [y/N] ", end="", file=sys.stderr)
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("the licence is not accepted", why="nothing was downloaded")
