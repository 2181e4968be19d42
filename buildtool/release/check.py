"""Checks a release: what its target promises, and that its names can be in archives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from buildtool.contract.finding import ERROR, WARNING, Finding
from buildtool.contract.inspection import RULES, check
from buildtool.contract.subject import Promise, PromisedFile, PromisedStep, read_tree
from buildtool.core.cache import cache_dir
from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.engine.result import BuildResult
from buildtool.project.model import Target
from buildtool.project.tables import suggest
from buildtool.release.formats.entries import FormatError, PackageEntry
from buildtool.release.slices import Release
from buildtool.release.unpack.entry import (
    LIMITS,
    ArchiveEntry,
    ArchiveListing,
    UnsafeArchiveError,
    entry_path,
)
from buildtool.toolchains.system_libraries import system_libraries


class ReleaseContractError(BuildtoolError):
    """A release breaks rules of its contract."""

    code = "contract"


def check_release(target: Target, build: BuildResult, release: Release) -> tuple[Finding, ...]:
    """Apply all rules; returns the warnings.

    Errors of rules that the target allows are warnings.  Raises `ReleaseContractError` for other
    errors, `UsageError` for a rule that does not exist.
    """
    _check_names(target.allow, release.target)
    found = [
        finding._replace(severity=WARNING) if finding.rule in target.allow else finding
        for finding in check(read_tree(release.directory, _promise(target, build, release)))
    ]
    errors = [finding for finding in found if finding.severity == ERROR]
    if errors:
        rules = sorted({finding.rule for finding in errors})
        raise ReleaseContractError(
            f"the release of the target {release.target!r} breaks {', '.join(rules)}",
            why="\n".join(_lines(errors)),
            remedy="`buildtool inspect --rules` explains the rules. To make the archives"
            f' in spite of one: allow = ["{rules[0]}"] in [target.{release.target}].',
        )
    return tuple(found)


def _lines(findings: Sequence[Finding]) -> Iterable[str]:
    for finding in findings:
        yield f"{finding.path or 'release'}: {finding.message}"
        yield from (f"  {line}" for line in finding.why.split("\n"))
        yield f"  → {finding.remedy}"


def _check_names(names: Iterable[str], target: str) -> None:
    known = [rule.name for rule in RULES]
    for name in names:
        if name not in known:
            raise UsageError(
                f"there is no rule {name!r}",
                why=f"'allow' in [target.{target}] names it",
                remedy=suggest(name, known),
            )


def _promise(target: Target, build: BuildResult, release: Release) -> Promise:
    steps = [result.step for result in build.steps]
    host = next((step.profile for step in steps if not step.arch), None)
    known = system_libraries(host) if host else frozenset()
    return Promise(
        platform=target.platform,
        archs=release.archs,
        glibc=target.glibc if target.platform == "ubuntu-aarch64" else "",
        api=target.api if target.platform == "android" else 0,
        files={
            file.path: PromisedFile(f"{file.mode:04o}", file.size, file.sha256, file.step)
            for file in release.files
        },
        links={link.path: link.target for link in release.links},
        # The steps of an ARM64 side may exist for other components only.
        steps=tuple(
            PromisedStep(step.name, step.component, step.arch)
            for step in steps
            if step.arch and step.ships
        ),
        system_libraries=known.union(target.system_libraries),
        cdsprpc=host.cdsprpc if host else None,
        shells={s.arch: s.profile.shell for s in steps if s.arch and s.profile.shell},
        build_paths=_build_paths(build),
        own=True,
    )


def _build_paths(build: BuildResult) -> tuple[str, ...]:
    """The directories of this machine in which the release is built."""
    roots = [build.plan.steps[0].root] if build.plan.steps else []
    places = [*roots, build.plan.state.parent, cache_dir(), Path.home()]
    found = {str(path) for place in places for path in (place, place.resolve())}
    return tuple(sorted(path for path in found if path.count("/") > 1 or path == "/root"))


def check_packable(entries: Iterable[PackageEntry], top: str) -> None:
    """Raises `FormatError` for entries that `inspect` and `verify` would refuse in an archive with
    the directory `top`: names that some file systems do not have, or that are not unique there."""
    listing = ArchiveListing(LIMITS)
    try:
        for entry in entries:
            path = entry_path(f"{top}/{entry.path}", LIMITS)
            listing.add(ArchiveEntry(path, "link" if entry.link else "file", target=entry.link))
        listing.finish()
    except UnsafeArchiveError as error:
        raise FormatError(
            "archives of this release could not be unpacked everywhere",
            why="\n".join(filter(None, (error.message, error.why))),
            remedy="Install the file under another name, or do not install it.",
        ) from error
