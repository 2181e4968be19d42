"""`buildtool sysroot`: the libraries of a device, to link programs for it against."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.show import print_json, write
from buildtool.cli.show import show as say
from buildtool.core.errors import BuildtoolError, UsageError

if TYPE_CHECKING:
    from buildtool.documents.toolchains import (
        ImportStubDocument,
        SysrootObject,
        SysrootPullDocument,
        SysrootsDocument,
        SysrootShowDocument,
        UnusableSysrootObject,
    )
    from buildtool.sdk.sysroot import Sysroot

HELP = "Fetch the libraries of devices, to build for these devices."


def pull(
    device: Annotated[
        str,
        Argument("DEVICE|DIR", "A device, or a directory with its root file system."),
    ],
    *,
    name: Annotated[
        str,
        Option("--name", "Name of the sysroot; default: the device's.", "NAME"),
    ] = "",
    libc: Annotated[
        bool, Option("--libc", "Also fetch the C library's headers and start files.")
    ] = False,
    soc: Annotated[str, Option("--soc", "SoC of sim.", "SOC")] = "",
    json: Json = False,
) -> None:
    """Fetch a device's FastRPC library, DSP shell and properties into the cache."""
    from buildtool.cli.screen import Screen
    from buildtool.flow.devices import pull_sysroot

    sysroot, changed = pull_sysroot(device, name=name, libc=libc, soc_name=soc, listener=Screen())
    if json:
        document: SysrootPullDocument = {"changed": changed, **_facts(sysroot)}
        print_json(document)
    else:
        _show(sysroot)
        say(f'{"pulled" if changed else "unchanged"}: sysroot = "{sysroot.name}" in a target')


def list_(*, json: Json = False) -> None:
    """List the pulled sysroots."""
    from buildtool.sdk.sysroot import find_sysroot, sysroot_names, sysroots_dir

    rows: list[SysrootObject | UnusableSysrootObject] = []
    lines = []
    for name in sysroot_names():
        try:
            sysroot = find_sysroot(name)
        except BuildtoolError as error:
            rows.append({"name": name, "error": error.as_json()})
            lines.append(f"{name:<16} {error.message}: {error.why}")
        else:
            rows.append(_facts(sysroot))
            glibc = f"glibc {sysroot.glibc}" if sysroot.glibc else ""
            parts = (sysroot.platform, sysroot.soc, sysroot.arch, glibc)
            lines.append(f"{name:<16} {', '.join(filter(None, parts))}, from {sysroot.source}")
    if json:
        document: SysrootsDocument = {"sysroots": rows}
        print_json(document)
        return
    for line in lines:
        say(line)
    if not rows:
        say(f"none in {sysroots_dir()}: buildtool sysroot pull DEVICE")


def show(
    name: Annotated[str, Argument("SYSROOT", "A name that `sysroot list` prints.")],
    *,
    json: Json = False,
) -> None:
    """Print the properties of a sysroot's device."""
    from buildtool.sdk.sysroot import find_sysroot

    sysroot = find_sysroot(name)
    if json:
        facts = _facts(sysroot)
        document: SysrootShowDocument = {
            **facts,
            "libcdsprpc": {**facts["libcdsprpc"], "exports": sorted(sysroot.exports)},
            "shell_exports": sorted(sysroot.shell_exports),
        }
        print_json(document)
    else:
        _show(sysroot)


def stub(
    *,
    platform: Annotated[str, Option("--platform", "ubuntu-aarch64 or android.", "PLATFORM")] = "",
    sysroot: Annotated[
        str,
        Option("--sysroot", "Pulled sysroot whose library the stub replaces.", "SYSROOT"),
    ] = "",
    out: Annotated[
        Path | None,
        Option("-o --output", "Output directory; default: in the cache.", "DIR"),
    ] = None,
    json: Json = False,
) -> None:
    """Create an import stub, lib/libcdsprpc.so, to link against; print its directory."""
    from buildtool.project.model import PLATFORMS
    from buildtool.sdk.sysroot import find_sysroot
    from buildtool.toolchains.cdsprpc import system_cdsprpc, write_stub

    found = find_sysroot(sysroot) if sysroot else None
    platform = platform or (found.platform if found else PLATFORMS[0])
    if platform not in PLATFORMS or (found and found.platform != platform):
        raise UsageError(
            f"the sysroot {sysroot!r} is for {found.platform}, not for {platform}"
            if found
            else f"there is no platform {platform!r}",
            why=f"known: {', '.join(PLATFORMS)}",
            remedy="Omit --platform: the sysroot determines it."
            if found
            else "Name one of these platforms.",
        )
    cdsprpc = system_cdsprpc(platform, found)
    directory = write_stub(cdsprpc, out.absolute() if out else None)
    if json:
        document: ImportStubDocument = {
            "directory": str(directory),
            "soname": cdsprpc.soname,
            "digest": cdsprpc.digest,
            "exports": sorted(cdsprpc.exports),
        }
        print_json(document)
    else:
        write(f"{directory}\n")


COMMANDS = (pull, list_, show, stub)


def _facts(sysroot: Sysroot) -> SysrootObject:
    return {
        "name": sysroot.name,
        "pulled_from": sysroot.source,
        "directory": str(sysroot.where),
        "identity": sysroot.identity,
        "platform": sysroot.platform,
        "soc": sysroot.soc,
        "model": sysroot.model,
        "arch": sysroot.arch,
        "glibc": sysroot.glibc,
        "libc": sysroot.has_libc,
        "libcdsprpc": {
            "path": sysroot.library,
            "soname": sysroot.soname,
            "version": sysroot.version,
            "export_count": len(sysroot.exports),
        },
        "shells": list(sysroot.shells),
        "shell_export_count": len(sysroot.shell_exports),
        "problems": [{"what": p.text, "remedy": p.remedy} for p in sysroot.problems],
    }


def _show(sysroot: Sysroot) -> None:
    glibc = f"{sysroot.glibc}{', with headers and start files' if sysroot.has_libc else ''}"
    library = f"/{sysroot.library}, SONAME {sysroot.soname}, {len(sysroot.exports)} exports"
    rows = {
        "name": sysroot.name,
        "from": sysroot.source,
        "platform": sysroot.platform,
        "SoC": " ".join(t for t in (sysroot.soc, f"({sysroot.model})" * bool(sysroot.model)) if t),
        "DSP": sysroot.arch,
        "glibc": glibc,
        "libcdsprpc": library,
        "DSP shell": ", ".join(f"/{shell}" for shell in sysroot.shells),
        "in": str(sysroot.where),
    }
    for title, text in rows.items():
        if text or title not in ("glibc", "SoC"):
            say(f"{title:<11} {text or 'unknown'}")
    for problem in sysroot.problems:
        say(f"! {problem.text}\n  → {problem.remedy}")
