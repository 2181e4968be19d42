"""What is in a release, against what its release.json lists and its target declares."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path

from buildtool.contract.finding import WARNING, Finding, rule
from buildtool.contract.subject import PromisedFile, Subject
from buildtool.core.files import file_digest


@rule("declared-files")
def declared_files(subject: Subject) -> Iterator[Finding]:
    """A release has every file and link that its release.json lists.

    A program or a skel that is missing is otherwise only noticed on the device.
    """
    there = {*subject.files, *subject.links}
    for path in sorted({*(subject.promise.files or ()), *subject.promise.links} - there):
        yield declared_files.error(
            path,
            f"{path} is missing",
            why="the release declares it",
            remedy="Make the release again, or copy all of it.",
        )


@rule("no-undeclared-files")
def no_undeclared_files(subject: Subject) -> Iterator[Finding]:
    """A release has no file and no link that its release.json does not list.

    Somebody added it after the release was made, and nothing is known about it.
    """
    if subject.promise.files is None:
        return
    declared = {*subject.promise.files, *subject.promise.links}
    for path in sorted({*subject.files, *subject.links, *subject.special} - declared):
        yield no_undeclared_files.error(
            path,
            f"{path} is not part of the release",
            why="the release does not declare it",
            remedy="Remove it; to ship it, install it in a component.",
        )


@rule("declared-contents")
def declared_contents(subject: Subject) -> Iterator[Finding]:
    """The files and links of a release are as its release.json lists them: digest, size and mode.

    Otherwise a file was damaged or changed after the release was made.
    """
    for path, promised in sorted((subject.promise.files or {}).items()):
        if path in subject.files:
            why = _difference(subject.files[path], promised)
        elif path in subject.links:
            why = f"it is a link to {subject.links[path]}, not a file"
        else:
            continue
        if why:
            yield _other_contents(path, why)
    for path, target in sorted(subject.promise.links.items()):
        if path in subject.files:
            yield _other_contents(path, f"it is a file, not a link to {target}")
        elif path in subject.links and subject.links[path] != target:
            yield _other_contents(path, f"it is a link to {subject.links[path]}, not to {target}")


def _difference(file: Path, promised: PromisedFile) -> str:
    """The difference between `file` and the list, "" if there is none."""
    try:
        status = file.stat()
        if status.st_size != promised.size:
            return f"it has {status.st_size:,} bytes, not {promised.size:,}"
        if (digest := file_digest(file)) != promised.sha256:
            return f"its sha256 is {digest}, not {promised.sha256}"
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    mode = f"{status.st_mode & 0o7777:04o}"
    return "" if mode == promised.mode else f"its mode is {mode}, not {promised.mode}"


def _other_contents(path: str, why: str) -> Finding:
    return declared_contents.error(
        path,
        f"{path} is not as the release lists it",
        why=why,
        remedy="Make the release again, or copy it again.",
    )


@rule("declared-components")
def declared_components(subject: Subject) -> Iterator[Finding]:
    """A release has a file of every component that ships something, for each of its archs.

    A component whose files are missing is otherwise only noticed on the device.
    """
    files = subject.promise.files or {}
    shipped = {promised.step for path, promised in files.items() if path in subject.files}
    for step in subject.promise.steps:
        if step.name not in shipped:
            kind = "skel" if step.arch else "host"
            yield declared_components.error(
                "",
                f"the component {step.component} has no file in the release"
                + (f" for {step.arch}" if step.arch else ""),
                why=f"the step {step.name} ships nothing",
                remedy=f"Install its programs and libraries, or name them in the artifacts of"
                f" [{kind}.{step.component}].",
            )


@rule("declared-archs")
def declared_archs(subject: Subject) -> Iterator[Finding]:
    """A release has skels for each DSP arch of its target, and for no other arch.

    Without a skel for its arch a device cannot open a session; a skel that nobody declared was
    never tested.
    """
    if subject.promise.archs is None:
        return
    declared = set(subject.promise.archs)
    skels = {subject.dsp_arch(path) for path, _, _ in subject.skels()}
    damaged = {subject.dsp_arch(path) for path in subject.damaged}
    for arch in sorted(declared - skels - damaged):
        yield declared_archs.error(
            f"dsp/{arch}",
            f"dsp/{arch} has no skel",
            why=f"the target is for {arch}, too",
            remedy=f"Build the skels for {arch}, or remove it from the archs of the target.",
        )
    for arch in sorted({subject.dsp_arch(path) for path in subject.files} - declared - {""}):
        yield declared_archs.error(
            f"dsp/{arch}",
            f"dsp/{arch} is for an arch that the target does not have",
            why=f"the archs of the target: {', '.join(subject.promise.archs) or 'none'}",
            remedy=f"Remove dsp/{arch}, or add {arch} to the archs of the target.",
        )


@rule("plain-files", foreign=WARNING)
def plain_files(subject: Subject) -> Iterator[Finding]:
    """A release has files, and links to files of the release, only.

    A device, socket or pipe cannot be shipped. A link that leads nowhere or out of the release
    means something else on each device.
    """
    for path in subject.special:
        yield plain_files.error(
            path,
            f"{posixpath.basename(path)} is neither a file nor a link",
            why="it is a device, a socket or a pipe",
            remedy="Remove it.",
        )
    for path, target in subject.links.items():
        if path not in subject.places:
            yield plain_files.error(
                path,
                f"{posixpath.basename(path)} is a link to {target}, which is not in the release",
                why="it leads to nothing, or to a file of the device",
                remedy="Ship the file that it should point to, with a relative link.",
            )


_USUALLY_EMPTY = ("__init__.py", "py.typed")  # of Python packages


@rule("no-empty-files", foreign=WARNING)
def no_empty_files(subject: Subject) -> Iterator[Finding]:
    """No file is empty.

    An empty file is usually the result of a copy or a link step that failed.
    """
    for path, file in subject.files.items():
        name = posixpath.basename(path)
        if name not in _USUALLY_EMPTY and file.stat().st_size == 0:
            yield no_empty_files.error(
                path,
                f"{name} is empty",
                why="it has no bytes: something that should have written it failed",
                remedy="Build it again, or do not ship it.",
            )
