"""Writes a bundle of a run: one archive, complete or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.files import replace_file, temporary_file, with_path_in_errors
from buildtool.core.output_file import check_output_file
from buildtool.core.own_directory import make_directory
from buildtool.core.value import Value
from buildtool.run.bundle.record import RunRecord
from buildtool.run.on_device import status_of_run

FOLDER = "bundles"
"""The directory of bundles in the project's `.buildtool`."""
KEPT = 20
MODE = 0o600


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
    """As `bundle_of_failure`, but the bundle is written as `file` however the run ends, also after
    Ctrl-C, and `listener` first gets a list of what it contains; `release` as in `release_parts`.

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
    # Not in most runs.
    from buildtool.release.formats.entries import PackageEntry  # noqa: PLC0415
    from buildtool.release.formats.tar_zst import write_tar_zst  # noqa: PLC0415
    from buildtool.release.formats.zip_file import write_zip  # noqa: PLC0415
    from buildtool.run.bundle.contents import contents_of  # noqa: PLC0415
    from buildtool.run.bundle.summary import NAME, WHAT, summary  # noqa: PLC0415

    contents = contents_of(record, release=release)
    files: dict[str, bytes | Path] = {NAME: summary(contents, place.name), **contents.files}
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
