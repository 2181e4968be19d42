"""Files: digests, stamps, reads that never block, atomic writes, JSON with a checksum or limits.

A stamp is the metadata of a file from which one can tell whether its content may have changed.  The
digests of large files that seldom change are cached by them.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.trees import TRIES, make_directory, own_root, remove_tree

try:  # hashlib loads OpenSSL, which takes longer than the digests of small texts
    from _sha2 import sha256 as _small_sha256  # type: ignore[import-not-found]
except ImportError:
    try:
        from _sha256 import sha256 as _small_sha256  # type: ignore[import-not-found]  # Python 3.11
    except ImportError:
        from hashlib import sha256 as _small_sha256

if TYPE_CHECKING:
    from io import BufferedReader

_SHA256 = r"[0-9a-f]{64}"
_SMALL_BYTES = 1 << 16
MAX_VALUES = 500_000
"""The number of values in a document of 16 MiB whose paths have 33 characters on average."""
SETTLED_NS = 2_000_000_000
"""A file that changed less than this ago may change again without a new stamp: file systems
store times with a granularity of up to two seconds."""

_CLOCK_OF_FILE_TIMES = 5
"""CLOCK_REALTIME_COARSE of clock_gettime(2): the kernel takes the times of files from it, or finer
ones since the last time that it changed, every 1 to 10 ms."""

Stamp = tuple[int, int, int, int]
"""Inode, size in bytes, times of modification and of status change in ns since the epoch."""


def is_digest(value: object) -> bool:
    """Whether `value`, of any type, is a sha256 in lower-case hex."""
    return isinstance(value, str) and re.fullmatch(_SHA256, value) is not None


def digest_of(data: bytes) -> str:
    """sha256 of `data`, in hex."""
    if len(data) <= _SMALL_BYTES:
        digest: str = _small_sha256(data).hexdigest()
        return digest
    import hashlib  # noqa: PLC0415 - see above

    return hashlib.sha256(data).hexdigest()


def stream_digest(stream: BufferedReader) -> bytes:
    """sha256 of what `stream` still has."""
    data = stream.read(_SMALL_BYTES + 1)
    if len(data) <= _SMALL_BYTES:
        return bytes.fromhex(digest_of(data))
    import hashlib  # noqa: PLC0415 - see above

    begun = hashlib.sha256(data)
    return hashlib.file_digest(stream, lambda: begun).digest()


def file_digest(path: Path | str) -> str:
    """sha256 of the file's bytes, in hex."""
    with open_regular(path, follow=True) as stream:
        return stream_digest(stream).hex()


def open_regular(path: Path | str, *, follow: bool = False) -> BufferedReader:
    """Open a regular file for reading; a link to one only with `follow`.

    Raises `OSError` for everything else: opening a named pipe waits for a writer, and opening a
    device can have any effect.
    """
    handle = open_descriptor(path, os.O_RDONLY | (0 if follow else os.O_NOFOLLOW))
    return os.fdopen(handle, "rb")


def read_regular(path: Path, limit: int = -1, *, follow: bool = False) -> bytes:
    """The bytes of a file, at most `limit`; `follow` is that of `open_regular`, and it raises
    `OSError` as that does."""
    with open_regular(path, follow=follow) as stream:
        size = os.fstat(stream.fileno()).st_size + 1  # `read` allocates the requested size
        return stream.read(size if limit < 0 else min(limit, size))


def open_own(path: Path, flags: int) -> int:
    """Open a file in a directory of this tool, create it if it is missing; returns a descriptor.

    `flags` are those of `os.open`.  Raises `OSError`.
    """
    for _ in range(TRIES):
        make_directory(path.parent)
        with contextlib.suppress(FileNotFoundError):  # another process removed the directory
            return open_descriptor(path, flags | os.O_CREAT | os.O_NOFOLLOW)
    return open_descriptor(path, flags | os.O_CREAT | os.O_NOFOLLOW)


def open_descriptor(path: Path | str, flags: int) -> int:
    """Open a regular file with `flags` of `os.open`; raises `OSError` at once for anything else."""
    handle = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY, 0o666)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return handle


def value_digest(value: Any) -> str:
    """sha256 of a value as JSON, independent of the order of keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return digest_of(text.encode())


def tree_digest(roots: Iterable[Path], digest: Callable[[str], str] = file_digest) -> str:
    """sha256 over all files below the roots: path, executable bit, and content or link target.

    A root may be a file.  Directories named `__pycache__` or with a leading dot are left out.
    `digest` computes the digest of one file.
    """
    rows = []
    for number, root in enumerate(roots):
        if not root.is_dir():
            rows.append([number, root.name, False, digest(str(root))])
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(d for d in folders if not d.startswith(".") and d != "__pycache__")
            for name in sorted(names):
                path = f"{folder}/{name}"  # a Path for each file would double the time
                mode = os.lstat(path).st_mode
                content = str(Path(path).readlink()) if stat.S_ISLNK(mode) else digest(path)
                rows.append([number, path[len(f"{root}/") :], bool(mode & 0o100), content])
    return value_digest(rows)


@contextlib.contextmanager
def with_path_in_errors(file: Path | str) -> Iterator[None]:
    """Make every `OSError` of the block name `file`, instead of no file or a temporary one."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(file)) from error


def write_if_changed(path: Path, text: str | bytes, *, mode: int = 0o644) -> bool:
    """Write `text` to `path` atomically, unless the file has this content; returns whether it
    changed.

    An unchanged file keeps its time of modification, so that nothing that depends on it is rebuilt.
    """
    # Names that are not UTF-8 keep their bytes (PEP 383).
    data = text.encode(errors="surrogateescape") if isinstance(text, str) else text
    if has_content(path, data):
        return False
    for _ in range(TRIES):
        make_directory(path.parent)
        try:
            with with_path_in_errors(path):
                _write(path, data, mode)
        except FileNotFoundError:
            continue  # another process has just removed the directory
        return True
    with with_path_in_errors(path):
        _write(path, data, mode)
    return True


def has_content(path: Path, data: bytes) -> bool:
    """Whether `path` is a file with exactly these bytes."""
    try:
        with open_regular(path, follow=own_root(path) is None) as stream:
            return stream.read(len(data) + 1) == data
    except OSError:
        return False


@contextlib.contextmanager
def temporary_file(folder: Path, prefix: str = ".") -> Iterator[Path]:
    """A new, empty file in `folder` for the block, which may move it; otherwise it is removed."""
    path = folder / f"{prefix}{os.urandom(6).hex()}"  # `tempfile` would load 7 modules
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def replace_file(fresh: Path, path: Path, mode: int | None = 0o644) -> None:
    """Move the file `fresh` to `path`, on the same file system, in place of any other file.

    The file gets the permissions `mode`, unless that is None.  Raises `OSError`.
    """
    if mode is not None:
        fresh.chmod(mode)
    fresh.replace(path)


def replace_link(path: Path, target: Path) -> None:
    """Make `path` a symbolic link to `target`, in place of whatever is there.

    A link is replaced in one step; raises `OSError`.
    """
    if path.is_symlink() and path.readlink() == target:
        return
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    remove_tree(fresh)
    fresh.symlink_to(target)
    replace_file(fresh, path, mode=None)


def _write(path: Path, data: bytes, mode: int) -> None:
    with temporary_file(path.parent, f".{path.name}.") as fresh:
        fresh.write_bytes(data)
        replace_file(fresh, path, mode)


def write_checksummed(path: Path, value: Any) -> None:
    """Write a line with the sha256 of the JSON text of `value`, then the text."""
    text = json.dumps(value).encode()
    write_if_changed(path, digest_of(text).encode() + b"\n" + text)


def read_checksummed(path: Path) -> Any:
    """The value in the file; raises `OSError`, and `ValueError` when the file is damaged."""
    checksum, _, text = read_regular(path).partition(b"\n")
    if checksum != digest_of(text).encode():
        raise ValueError("the checksum does not match")
    return json.loads(text)


def json_values(data: bytes) -> int:
    """An upper bound of the number of values in a JSON text: each follows one of these bytes."""
    return data.count(b",") + data.count(b"[") + data.count(b"{") + data.count(b":")


def parse_bounded(data: bytes) -> Any:
    """The value of a JSON text that is not trusted: one byte of it can take a hundred in Python.

    Raises `ValueError` when it is invalid, is nested too deeply or has more than `MAX_VALUES`
    values.
    """
    if json_values(data) > MAX_VALUES:
        raise ValueError(f"more than {MAX_VALUES} values")
    try:
        return json.loads(data.decode())
    except RecursionError:
        raise ValueError("nested too deeply") from None


def filled(template: Path, **values: object) -> str:
    """The text of the file `template`, in which @NAME@ stands for the value of NAME."""
    text = template.read_text(encoding="utf-8")
    return re.sub("@([A-Z_]+)@", lambda found: str(values[found[1]]), text)


def check_output_file(option: str, file: Path, example: str) -> None:
    """Raise `UsageError` when `file`, named with `option`, cannot be replaced; changes nothing."""
    if os.path.lexists(file) and not file.is_file():
        raise UsageError(
            f"{option} {file}: it is not a file",
            why="the result replaces it as a whole",
            remedy=f"Name a file that is new or may be replaced: {option} {example}",
        )


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp of a file with this status."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def is_settled(changed_ns: int) -> bool:
    """Whether a file with this newest time has a stamp that identifies its content."""
    return time.time_ns() - changed_ns > SETTLED_NS


def time_between_changes() -> int:
    """A time in ns since the epoch that divides the changes of files: those before the call have an
    earlier ctime, those after it the same or a later one.  Takes about 5 ms."""
    called = time.time_ns()
    while (now := time.clock_gettime_ns(_CLOCK_OF_FILE_TIMES)) <= called:
        time.sleep(0.0005)
    return now


def cached_digest(path: Path) -> str:
    """sha256 of the file's bytes, in hex; reads the file only when its device or stamp changed.

    Raises `OSError` when the file cannot be read.
    """
    path = path.resolve()
    status = path.stat()
    stamp = "".join(f"{number} " for number in (status.st_dev, *stamp_of(status)))
    name = digest_of(os.fsencode(path))[:32]
    note = cache_dir() / "digests" / name
    try:
        text = read_regular(note).decode()
    except (OSError, UnicodeDecodeError):
        text = ""
    digest = text.removeprefix(stamp)
    if text.startswith(stamp) and is_digest(digest):
        return digest
    digest = file_digest(path)
    if is_settled(status.st_ctime_ns):
        with contextlib.suppress(OSError):  # a read-only cache only costs time
            write_if_changed(note, stamp + digest)
    return digest
