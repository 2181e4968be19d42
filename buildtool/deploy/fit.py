"""Whether a release can run on a device, from the facts about the device."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from buildtool.core.value import Value
from buildtool.device.errors import DeviceError
from buildtool.device.facts import CDSP, Facts
from buildtool.project.keys import HEXAGON_ARCHS, arch_number
from buildtool.project.model import Target
from buildtool.release.slices import HOST, Release
from buildtool.sdk.tool_search import version_numbers

SMALLEST_PAGE = 4096
"""The page size that every ELF file of AArch64 is aligned for."""
MACHINE = "aarch64"


class Misfit(Value):
    """A reason why a release cannot run on a device, with the evidence for it.  `certain` is for
    reasons that hold whatever the device's firmware says."""

    problem: str
    evidence: str
    remedy: str
    certain: bool = False


def check_fits(
    facts: Facts,
    release: Release,
    target: Target,
    *,
    domain: str = CDSP,
    force: bool = False,
    note: Callable[[str], object] = lambda _: None,
) -> str:
    """Check that `release`, which is for `target`, can run on the device that `facts` describe,
    with its skels on the DSP `domain`, whose arch they have.

    Returns the arch of the skels to send: the newest one that is not newer than the DSP, or "" for
    a release without skels.  With `force` only what is certain is an error, and `note` gets the
    rest; if the arch of the DSP is unknown or too old, the skels are the oldest ones.

    Raises `DeviceError`.
    """
    for misfit in misfits(facts, release, target, domain):
        if misfit.certain or not force:
            remedy = misfit.remedy
            if not misfit.certain:
                remedy += " If the evidence is wrong: --force."
            raise DeviceError(misfit.problem, why=misfit.evidence, remedy=remedy)
        note(f"{misfit.problem} ({misfit.evidence}); continuing because of --force")
    return fitting_arch(facts, release) or min(release.archs, key=arch_number, default="")


def fitting_arch(facts: Facts, release: Release) -> str:
    """The newest arch of the release that is not newer than the DSP; "" if there is none."""
    if not facts.arch:
        return ""
    newest = arch_number(facts.arch)
    fitting = [arch for arch in release.archs if arch_number(arch) <= newest]
    return max(fitting, key=arch_number, default="")


def misfits(facts: Facts, release: Release, target: Target, domain: str = CDSP) -> Iterator[Misfit]:
    """The reasons why `release` cannot run on the device, what is certain first."""
    yield from _system(facts, release.target, target)
    yield from _alignments(facts, release)
    if release.archs:
        yield from _dsp(facts, release, domain)


def _system(facts: Facts, name: str, target: Target) -> Iterator[Misfit]:
    if target.platform != facts.platform:
        marks = "has" if facts.platform == "android" else "lacks"
        yield Misfit(
            f"the target {name!r} is for {target.platform}, the device runs {facts.platform}",
            f"the device {marks} /system/build.prop or /system/bin/linker64",
            f"Choose a target of the platform {facts.platform} with --target, or in devices.toml.",
            certain=True,
        )
    if facts.machine != MACHINE:
        yield Misfit(
            f"the device is not an ARM64 system, for which the target {name!r} is built",
            f"uname -m prints {facts.machine!r} there",
            "Choose a device with 64-bit ARM processors and a 64-bit system.",
            certain=True,
        )
    if target.platform == "android":
        if 0 < facts.api < target.api:
            yield Misfit(
                f"the target {name!r} needs Android API level {target.api}, the device has"
                f" {facts.api}",
                f"getprop ro.build.version.sdk prints {facts.api} there",
                f"Set api = {facts.api} in [target.{name}].",
            )
    elif not facts.glibc:
        yield Misfit(
            f"the target {name!r} needs glibc {target.glibc}, and the device's is unknown",
            "neither its dynamic loader nor getconf and ldd print a version of glibc",
            "Choose a device with glibc: musl's systems do not run programs for it.",
        )
    elif version_numbers(target.glibc) > version_numbers(facts.glibc):
        yield Misfit(
            f"the target {name!r} needs glibc {target.glibc}, the device has {facts.glibc}",
            f"its dynamic loader, getconf or ldd prints {facts.glibc}",
            f'Set glibc = "{facts.glibc}" in [target.{name}].',
        )


def _alignments(facts: Facts, release: Release) -> Iterator[Misfit]:
    """ELF files whose segments are aligned for smaller pages than the device has."""
    if facts.page_size <= SMALLEST_PAGE:
        return
    from buildtool.core.elf.read import is_elf, read_elf  # noqa: PLC0415 - most devices have 4 KiB pages

    host = next((part for part in release.slices if part.name == HOST), None)
    for file in host.files if host else ():
        path = release.directory / file.path
        if not is_elf(path):
            continue
        alignment = min(read_elf(path).load_alignments, default=facts.page_size)
        if alignment < facts.page_size:
            yield Misfit(
                f"{file.path} of the target {release.target!r} cannot be loaded on the device",
                f"its segments are aligned to {alignment} bytes, the pages of the device have"
                f" {facts.page_size} (AT_PAGESZ)",
                f"Link it with -Wl,-z,max-page-size={facts.page_size}.",
                certain=True,
            )


def _dsp(facts: Facts, release: Release, domain: str) -> Iterator[Misfit]:
    archs = ", ".join(release.archs)
    dsp = "DSP" if domain == CDSP else domain
    if domain != CDSP and not facts.arch:
        yield Misfit(
            f"the {domain} of {facts.soc or 'the device'} is not known",
            facts.arch_source,
            "Name another one: --domain, or domain in devices.toml.",
        )
        return
    if not facts.arch:
        yield Misfit(
            f"the target {release.target!r} has skels ({archs}), and no DSP is known on the device",
            facts.arch_source,
            "Choose a target without skels for it, or install the FastRPC packages of the board"
            " (Debian: libfastrpc1).",
        )
        return
    if not fitting_arch(facts, release):
        yield Misfit(
            f"the target {release.target!r} has no skel that the {dsp} of"
            f" {facts.soc or 'the device'} can load",
            f"the {dsp} is {facts.arch} ({facts.arch_source}), the skels are for {archs}",
            (
                f'Add "{facts.arch}" to the archs of [target.{release.target}], or choose another'
                if facts.arch in HEXAGON_ARCHS
                else "Choose another DSP (--domain), or another"
            )
            + " device (sim: another --soc).",
        )
    if not facts.cdsprpc.path:
        yield Misfit(
            f"the target {release.target!r} has skels ({archs}), and the device has no libcdsprpc",
            "it is in none of the directories in which ARM64 programs find libraries",
            "Install the FastRPC package of the board (Debian: libfastrpc1; Ubuntu:"
            " qcom-fastrpc1).",
        )
