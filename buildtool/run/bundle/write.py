"""Writes a bundle when a run fails: one archive, complete or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.files import replace_file, temporary_file, with_path_in_errors
from buildtool.core.output_file import check_output_file
from buildtool.core.own_directory import make_directory
from buildtool.run.bundle.record import RunRecord
from buildtool.run.on_device import status_of_run

FOLDER = "bundles"
"""The directory of bundles in the project's `.buildtool`."""
KEPT = 20
MODE = 0o600


def check_place(file: Path) -> None:
    """Raises `UsageError` when a bundle cannot be left as `file`; changes nothing."""
    check_output_file("--bundle-file", file, "failure.zip")
    if not file.parent.is_dir():
        raise UsageError(
            f"--bundle-file {file}: there is no directory {file.parent}",
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
    try:
        yield record.listen(listener)
    except Exception as error:
        record.error = error
        _write_bundle(record, file, listener)
        raise
    if record.result and status_of_run(record.result, record.request):
        record.bundle = _write_bundle(record, file, listener)


def _write_bundle(record: RunRecord, file: Path | None, listener: Listener) -> Path | None:
    place = file or record.project.state / FOLDER / f"{record.name}.zip"
    try:
        _write_archive(record, place)
        if not file:
            _remove_old(place.parent)
    except KeyboardInterrupt:
        listener(Note("no bundle of this failure was written: interrupted"))
    except OSError as error:
        listener(Note(f"no bundle of this failure was written: {error.filename}: {error.strerror}"))
    except Exception as error:
        listener(Note(f"no bundle of this failure was written: {type(error).__name__}: {error}"))
    else:
        listener(Note(f"bundle of this failure: {place}"))
        return place
    return None


def _write_archive(record: RunRecord, place: Path) -> None:
    # After a failure only.
    from buildtool.release.formats.entries import PackageEntry  # noqa: PLC0415
    from buildtool.release.formats.zip_file import write_zip  # noqa: PLC0415
    from buildtool.run.bundle.contents import contents_of  # noqa: PLC0415
    from buildtool.run.bundle.summary import NAME, WHAT, summary  # noqa: PLC0415

    contents = contents_of(record)
    files = {NAME: summary(contents), **contents.files}
    order = [NAME, *WHAT]
    entries = [PackageEntry(name, 0o644, files[name]) for name in sorted(files, key=order.index)]
    make_directory(place.parent)
    with (
        with_path_in_errors(place),
        temporary_file(place.parent, f".{place.name}.") as fresh,
    ):
        write_zip(fresh, entries, int(record.begun), f"{record.name}/")
        replace_file(fresh, place, MODE)


def _remove_old(folder: Path) -> None:
    """Keep the newest bundles only: their names begin with the time."""
    for old in sorted(folder.glob("*.zip"))[:-KEPT]:
        with contextlib.suppress(OSError):
            os.unlink(old)  # noqa: PTH108 - also a link
