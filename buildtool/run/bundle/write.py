"""Writes a bundle of a run: one archive, complete or not at all.

`README.txt` has what a reader of a bundle wants to know first.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.escape import escape
from buildtool.core.events import Listener, Note
from buildtool.core.files import (
    check_output_file,
    replace_file,
    temporary_file,
    with_path_in_errors,
)
from buildtool.core.trees import make_directory
from buildtool.core.value import Value
from buildtool.project.model import BUILT_IN_TARGET
from buildtool.run.bundle.contents import BundleContents, contents_of
from buildtool.run.bundle.record import DEBUG_NAME, RunRecord
from buildtool.run.bundle.record import NAME as RELEASE_PART
from buildtool.run.bundle.replay import NAME as REPLAY_FILE
from buildtool.run.first_finding import finding_from_json
from buildtool.run.on_device import status_of_run

RECORDED = "run.calls"
FOLDER = "bundles"
"""The directory of bundles in the project's `.buildtool`."""
KEPT = 20
MODE = 0o600
NAME = "README.txt"
MAX_LINES = 20
MAX_COLUMNS = 300
WHAT = {
    NAME: "what happened: the cause as far as it was found, the end of the output",
    "run.json": "the command, its environment, how it ended, versions of tools",
    "stdout.txt": "what the program wrote to standard output",
    "stderr.txt": "what the program wrote to standard error",
    "messages.txt": "what buildtool reported meanwhile",
    "dsp.log": "what the DSP logged (--farf)",
    "kernel.log": "the kernel of the device, around the run",
    "logcat.log": "Android's log, around the run",
    "device.json": "facts about the device, digests of libcdsprpc and the DSP shell",
    "card.json": "what the DSP can do, as buildtool probe found",
    "release.json": "the release: files, components, compilers, revision of the sources",
    "build.json": "the build that failed",
    "buildtool.toml": "the project file",
    REPLAY_FILE: "what buildtool run --replay repeats",
    RELEASE_PART: "the release: programs and skels as they are; nothing is replaced in them",
    RECORDED: "calls of the DSP with inputs and outputs, in which nothing is replaced",
    DEBUG_NAME: "debug information of the skels, for names and lines in crashes",
}
"""The files of bundles, in the order in which they are listed."""


class WrittenBundle(Value):
    """A bundle: its path, the sizes of its files in bytes, and why others are missing."""

    path: Path
    files: dict[str, int]
    missing: dict[str, str]


def check_place(option: str, file: Path) -> None:
    """Raises `UsageError` when a bundle cannot be left as `file`; changes nothing."""
    check_output_file(option, file, "failure.zip")
    if not file.parent.is_dir():
        raise UsageError(
            f"{option} {file}: there is no directory {file.parent}",
            remedy="Create it, or name a file in another one.",
        )


@contextlib.contextmanager
def bundle_of_failure(
    record: RunRecord, file: Path | None, listener: Listener
) -> Iterator[Listener]:
    """In the block, which gets a listener for it, the run of `record` happens.

    When the block raises an error, apart from Ctrl-C, or the run has failed, a bundle is written:
    as `file`, by default as a new file in the project's `.buildtool`.  `listener` gets its path.
    When it cannot be written, `listener` gets a message: the failure of the run remains the
    command's.
    """
    place = file or record.project.state / FOLDER / f"{record.name}.zip"

    def write() -> None:
        with _notes_instead_of_errors(listener):
            record.bundle = _write_archive(record, place)
            listener(Note(f"bundle of this failure: {place}"))
            if not file:
                _remove_old(place.parent)

    try:
        yield record.listen(listener)
    except Exception as error:
        record.error = error
        write()
        raise
    if record.result and status_of_run(record.result, record.request):
        write()


@contextlib.contextmanager
def captured(
    record: RunRecord, file: Path, listener: Listener, *, release: bool | None
) -> Iterator[Listener]:
    """Write a bundle of the block's run as `file` however the run ends, also after Ctrl-C.

    `listener` first gets a list of what it contains.  `release` is that of `release_parts`.

    Raises `OSError` when the bundle of a run that has ended cannot be written.
    """

    def write() -> None:
        record.bundle = _write_archive(record, file, listener, release=release)
        listener(Note(f"capture of this run: {file}"))

    try:
        yield record.listen(listener)
    except (Exception, KeyboardInterrupt) as error:
        interrupted = BuildtoolError("the run was interrupted by Ctrl-C")
        record.error = interrupted if isinstance(error, KeyboardInterrupt) else error
        with _notes_instead_of_errors(listener):
            write()
        raise
    write()


@contextlib.contextmanager
def _notes_instead_of_errors(listener: Listener) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        listener(Note("no bundle of this failure was written: interrupted"))
    except OSError as error:
        listener(Note(f"no bundle of this failure was written: {error.filename}: {error.strerror}"))
    except Exception as error:
        listener(Note(f"no bundle of this failure was written: {type(error).__name__}: {error}"))


def _write_archive(
    record: RunRecord,
    place: Path,
    listener: Listener | None = None,
    *,
    release: bool | None = None,
) -> WrittenBundle:
    """Write the bundle; `listener` first gets a list of what it contains.  Raises `OSError`."""
    from buildtool.release.formats.entries import (  # noqa: PLC0415 - not in most runs
        PackageEntry,
        write_tar_zst,
        write_zip,
    )

    contents = contents_of(record, release=release)
    files: dict[str, bytes | Path] = {NAME: summary(contents, place.name), **contents.files}
    if listener and record.choice.record and record.choice.record.file.is_file():
        files[RECORDED] = record.choice.record.file
    make_directory(place.parent)
    with contextlib.ExitStack() as stack:
        stack.enter_context(with_path_in_errors(place))
        fresh = stack.enter_context(temporary_file(place.parent, f".{place.name}."))
        for name, part in contents.parts.items():
            file = stack.enter_context(temporary_file(place.parent, f".{place.name}."))
            with file.open("wb") as stream:
                write_tar_zst(stream, part.entries, part.epoch, f"{part.top}/")
            files[name] = file
        entries = [PackageEntry(name, 0o644, files[name]) for name in WHAT if name in files]
        written = WrittenBundle(
            place, {entry.path: entry.size for entry in entries}, dict(contents.missing)
        )
        if listener:
            listener(Note("\n".join(_listing(written, WHAT))))
        write_zip(fresh, entries, int(record.begun), f"{record.name}/")
        replace_file(fresh, place, MODE)
    return written


def _listing(written: WrittenBundle, what: dict[str, str]) -> Iterator[str]:
    yield "The capture contains:"
    for name, size in written.files.items():
        yield f"  {name:<15} {size:>12,} bytes  {what[name]}"
    if written.missing:
        yield "It does not contain:"
    for name, why in written.missing.items():
        first, *others = why.split("\n")
        yield f"  {name}: {first}"
        yield from (f"    {line}" for line in others)


def _remove_old(folder: Path) -> None:
    """Keep the newest bundles only: their names begin with the time."""
    for old in sorted(folder.glob("*.zip"))[:-KEPT]:
        with contextlib.suppress(OSError):
            os.unlink(old)  # noqa: PTH108 - also a link


def summary(contents: BundleContents, archive: str) -> bytes:
    """The text of `README.txt` in the file called `archive`; control characters are escaped."""
    lines = _lines(contents, archive)
    return "".join(f"{escape(line)}\n" for line in lines).encode(errors="replace")


def _lines(contents: BundleContents, archive: str) -> Iterator[str]:
    run = contents.document
    where = filter(None, (run["address"], run["soc"], run["arch"]))
    error = run["error"]
    place = "PHONE" if run["platform"] == "android" else BUILT_IN_TARGET
    yield f"{run['project']} on {run['device']}: {_end(contents)}, after {run['seconds']:.1f} s"
    yield ""
    rows = {
        "command": shlex.join(run["command"]) or "(the only program of the release)",
        "device": f"{run['device']} ({', '.join(where)})" if run["address"] else run["device"],
        "target": run["target"],
        "release": run["release"],
        "on the device": run["deployment"],
        "started": run["started"],
        "run": run["run"],
        "started by": shlex.join(run["command_line"]),
        "in": run["directory"],
        "to repeat it": f"buildtool run {place} --replay {shlex.quote(archive)}"
        if REPLAY_FILE in contents.files
        else "",
    }
    yield from (f"{name:<14} {value}" for name, value in rows.items() if value)
    if finding := run["finding"]:
        yield ""
        yield from finding_from_json(finding).text().split("\n")
    if error:
        yield ""
        yield f"error: {error['message']}"
        more = f"{error['why']}\n{error['remedy']}".split("\n")
        yield from (f"  {line}" for line in more if line)
    for name in ("messages.txt", "stderr.txt", "stdout.txt", "dsp.log"):
        if lines := _last(contents.files.get(name, b"")):
            yield ""
            yield f"The end of {name}:"
            yield from (f"  {line}" for line in lines)
    yield ""
    yield "Files:"
    names = {NAME, *contents.files, *contents.parts}
    yield from (f"  {name:<15} {what}" for name, what in WHAT.items() if name in names)
    if contents.missing:
        yield ""
        yield "Not part of this bundle:"
        for name, why in contents.missing.items():
            first, *others = why.split("\n")
            yield f"  {name}: {first}"
            yield from (f"    {line}" for line in others)
    yield ""
    yield "Values of variables that look like secrets, and passwords in URLs, are replaced by ***."


def _end(contents: BundleContents) -> str:
    run = contents.document
    if run["status"] is None:
        return "the run failed"
    return f"exit status {run['status']}" + (f" ({run['signal']})" if run["signal"] else "")


def _last(data: bytes) -> list[str]:
    """The last lines of a file, shortened."""
    text = data[-MAX_LINES * MAX_COLUMNS * 4 :].decode(errors="replace")
    lines = text.rstrip("\n").split("\n")
    return [line[:MAX_COLUMNS] for line in lines[-MAX_LINES:]] if text.strip() else []
