"""The rules that a build applies to what it made; the first error stops the build."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from buildtool.contract.finding import ERROR, Finding, Rule
from buildtool.contract.rules.declared import arm64_machine, dsp_arch, hexagon_machine, valid_elf
from buildtool.contract.rules.host_libraries import cdsprpc_functions, cdsprpc_soname
from buildtool.contract.rules.host_system import android_pages, glibc_floor
from buildtool.contract.rules.skels import (
    shell_symbols,
    skel_alignment,
    skel_entry,
    skel_hash,
    wrapped_malloc,
)
from buildtool.contract.rules.vector_instructions import hvx_instructions, qf_values
from buildtool.contract.subject import NO_SHELLS, Promise, Subject
from buildtool.core.elf.read import Elf, read_elf
from buildtool.core.errors import BuildtoolError
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.system_libraries import DeviceShell

HOST: tuple[Rule, ...] = (valid_elf, arm64_machine, glibc_floor, android_pages)
DSP: tuple[Rule, ...] = (
    *(valid_elf, hexagon_machine, dsp_arch, skel_alignment, skel_hash, wrapped_malloc),
    *(shell_symbols, skel_entry, hvx_instructions, qf_values),
)
CDSPRPC: tuple[Rule, ...] = (cdsprpc_soname, cdsprpc_functions)


def _ignore(_: str) -> None:
    pass


class ContractError(BuildtoolError):
    """A file breaks a rule; `code` is that of the rule."""

    def __init__(self, finding: Finding, rule: Rule, file: Path | None) -> None:
        first, *rest = finding.why.split("\n")
        super().__init__(
            finding.message,
            why="\n".join([f"{first} ({file})" if file else first, *rest]),
            remedy=finding.remedy,
            files=[file] if file else [],
        )
        self.code = rule.code


def require(subject: Subject, rules: Iterable[Rule], warn: Callable[[str], None] = _ignore) -> None:
    """Apply `rules`: raises `ContractError` for the first error, and calls `warn` for warnings."""
    for rule in rules:
        for finding in rule.check(subject):
            if finding.severity == ERROR:
                raise ContractError(finding, rule, subject.files.get(finding.path))
            lines = [finding.message, *finding.why.split("\n"), f"→ {finding.remedy}"]
            warn("\n  ".join(lines))


def check_host_files(files: Mapping[str, Path], profile: Profile, *, own: bool = True) -> None:
    """Check the files that a step of the ARM64 side ships, by path; `own` is as in `Promise`.

    Raises `ContractError`.
    """
    promise = Promise(platform=profile.platform, glibc=profile.settings.get("GLIBC", ""), own=own)
    # All of it is for the ARM64 side, also what is in a directory dsp/.
    places = {f"host/{path}": file for path, file in files.items()}
    require(Subject(places, promise=promise), HOST)


def check_dsp_files(
    files: Mapping[str, Path],
    arch: str,
    *,
    device: DeviceShell | None = None,
    warn: Callable[[str], None] = _ignore,
    own: bool = True,
    allow: tuple[str, ...] = (),
) -> Subject:
    """Check files that ship beside each other for `arch`, by name; returns them as a subject.

    Without `device` the skels are checked against the shells of all known chips of the arch.
    `warn` is called with each warning, such as a symbol that only some of these export.  `own` and
    `allow` are as in `Promise`.  Raises `ContractError`.
    """
    places = {f"dsp/{arch}/{name}": file for name, file in files.items()}
    subject = Subject(places, promise=_promise(device, arch, own=own)._replace(allow=allow))
    require(subject, DSP, warn)
    return subject


def _promise(device: DeviceShell | None, arch: str, *, own: bool) -> Promise:
    shells = {arch: device} if device else NO_SHELLS
    return Promise(platform="hexagon", shells=shells, own=own)


def check_skel(
    skel: Path,
    arch: str,
    beside: Iterable[Path] = (),
    *,
    device: DeviceShell | None = None,
    warn: Callable[[str], None] = _ignore,
    own: bool = True,
) -> Elf:
    """Check that `skel` is a skel for `arch`, whatever its name is; returns its ELF data.

    `beside` are the files that ship with it.  Other arguments and errors are those of
    `check_dsp_files`; also raises `ElfError` if it is not an ELF file.
    """
    elf = read_elf(skel)
    place = f"dsp/{arch}/{skel.name}"
    promise = _promise(device, arch, own=own)._replace(skels=frozenset((place,)))
    files = {f"dsp/{arch}/{file.name}": file for file in (*beside, skel)}
    require(Subject(files, promise=promise), DSP, warn)
    return elf


def check_cdsprpc_use(files: Iterable[Path], profile: Profile) -> None:
    """Check what all files of an ARM64 side together need of the libcdsprpc of `profile`.

    Raises `ContractError`.
    """
    promise = Promise(platform=profile.platform, cdsprpc=profile.cdsprpc, own=True)
    require(Subject({str(file): file for file in files}, promise=promise), CDSPRPC)
