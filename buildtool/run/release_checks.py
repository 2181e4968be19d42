"""Checks of a release against one device: by the rules of releases, with what that device exports,
and by what the program asks FastRPC for."""

from __future__ import annotations

import mmap
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.contract.finding import ERROR
from buildtool.contract.rules.declared import dsp_arch, hexagon_machine, idl_digest, valid_elf
from buildtool.contract.rules.host_libraries import cdsprpc_functions, no_shipped_cdsprpc
from buildtool.contract.rules.skels import (
    cxx_runtime,
    shell_symbols,
    skel_entry,
    skel_libraries,
    wrapped_malloc,
)
from buildtool.contract.subject import NO_SHELLS, Promise, Subject, entries, read_tree
from buildtool.core.value import Value
from buildtool.deploy.ready import Ready
from buildtool.device.errors import DeviceFinding
from buildtool.toolchains.cdsprpc import Cdsprpc
from buildtool.toolchains.select_profiles import CODE_RULES
from buildtool.toolchains.system_libraries import DeviceShell

RULES = (
    *(valid_elf, hexagon_machine, dsp_arch, idl_digest, cdsprpc_functions, no_shipped_cdsprpc),
    *(wrapped_malloc, shell_symbols, cxx_runtime, skel_libraries, skel_entry),
)
COLON, URI = "dsp-path-colon", "skel-uri"
NAMES = frozenset({COLON, URI, *(rule.name for rule in RULES)})
"""The names of all checks."""
MAX_URIS = 1000
_URI = re.compile(rb"file:///([\w.+-]{1,200}\.so)\?(\w{1,200}_skel_(?:handle_)?invoke)\b", re.ASCII)


class SystemExports(Value):
    """What the DSP shell and the libcdsprpc of a device export; None if unknown."""

    shell: DeviceShell | None = None
    cdsprpc: Cdsprpc | None = None


class ReleaseFault(DeviceFinding):
    """A fault of a release; `about` is the name of the skel that has it, "" if none alone has."""

    about: str = ""


def path_faults(env: Mapping[str, str]) -> Iterator[DeviceFinding]:
    """The faults of the DSP's search path in the variables of a program."""
    path = env.get("ADSP_LIBRARY_PATH", "")
    if ":/" in path:
        yield DeviceFinding(
            COLON,
            f"ADSP_LIBRARY_PATH={path} has ':' between directories, where the DSP's search needs"
            " ';'",
            "Put ';' between the directories, and quotes around the value.",
        )


def release_faults(ready: Ready, platform: str, system: SystemExports) -> Iterator[ReleaseFault]:
    """The faults of the part of the release that the device of `ready` has.  Raises `OSError`."""
    arch = ready.deployment.arch
    whole, here = read_tree(ready.release.directory), f"dsp/{arch}/"
    subject = Subject(
        {p: file for p, file in whole.files.items() if p.startswith(here) or p[:4] != "dsp/"},
        whole.links,
        Promise(
            platform=platform,
            archs=(arch,) if arch else (),
            shells={arch: system.shell} if system.shell else NO_SHELLS,
            cdsprpc=system.cdsprpc,
            own=True,
        ),
    )
    yield from _uris(subject, arch)
    for rule in RULES:
        if rule.name in CODE_RULES:
            continue  # large skels take seconds, and results of code are not why a start fails
        for found in rule.check(subject):
            if found.severity == ERROR:
                about = posixpath.basename(found.path) if found.path.startswith(here) else ""
                yield ReleaseFault(found.rule, found.message, found.remedy, about)


def _uris(subject: Subject, arch: str) -> Iterator[ReleaseFault]:
    """What the ARM64 side asks FastRPC for, and the release does not have."""
    skels = [*subject.skels()]
    for place, _ in subject.host():
        for name, entry in sorted(_uris_in(subject.files[place])):
            skel = subject.elves.get(f"dsp/{arch}/{name}")
            asking = f"{place} opens {name}"
            if not skel and f"dsp/{arch}/{name}" not in subject.files:
                others = ", ".join(sorted(posixpath.basename(path) for path, _, _ in skels)[:4])
                yield ReleaseFault(
                    URI,
                    f"{asking}, which dsp/{arch} of the release does not have; it has"
                    f" {others or 'no skel'}",
                    "Ship the skel under that name, or name the skel that ships: in the URI, or as"
                    " the name of the IDL file that the stub is generated from.",
                    name,
                )
            elif skel and entry not in skel.exports:
                has = ", ".join(entries(skel)) or "no entry at all"
                yield ReleaseFault(
                    URI,
                    f"{asking} and asks for {entry}; {name} exports {has}",
                    "Generate stub and skel from the same IDL file, or correct the URI.",
                    name,
                )


def _uris_in(file: Path) -> set[tuple[str, str]]:
    """Names of skels and of their entries in the URIs that `file` has as text."""
    if not file.stat().st_size:
        return set()
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = set()
        for match in _URI.finditer(data):
            found.add((match[1].decode(), match[2].decode()))
            if len(found) >= MAX_URIS:
                break
        return found
