"""A build that has nothing to do, known from what an earlier one looked at.

Whether a build has something to do is a function of its command line, of the environment and of
what the file system answers.  A build that changes nothing keeps these answers and its output;
`repeat` asks the file system again and, if each answer is the same, prints the same output.  So
there is no second decision that could disagree with the first one, and nothing can be forgotten
that the first one depends on.

A part of a command can be known likewise: `look_again` gives what it kept in a `looking` block.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time

from buildtool import __version__

try:  # hashlib loads OpenSSL, for a tenth of the time
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False  # the module `typing` would take a tenth of the time, too
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Any, TextIO

_MAGIC = "buildtool first look 3"
_MAX_BYTES = 64 << 20
_SETTLED_NS = 2_000_000_000
"""As in `core.files`: a file that changed less than this ago can change again unnoticed."""
_FOLLOWED, _LINK, _LISTING = "f", "l", "d"
"""What is asked of a path: the status of what it leads to, of the link itself; its entries."""
_VOLATILE = frozenset(("_", "OLDPWD", "SHLVL"))
"""Variables that shells change from one command to the next."""
_CHANGES = ("os.", "shutil.", "subprocess.", "socket.", "sqlite3.", "ctypes.")
"""Audit events of calls that change something, or have other answers than the file system's."""
_HARMLESS = ("os.walk", "os.fwalk", "os.putenv", "os.unsetenv")
_WRITES = os.O_WRONLY | os.O_TRUNC | os.O_EXCL
"""A file that is opened for reading and writing alone is a lock."""
_stat, _lstat = os.stat, os.lstat  # a recorder replaces them
_recorder: Recorder | None = None
_is_hooked = False


def repeat(words: Sequence[str]) -> bool:
    """Print what the same command line printed if everything is as it was then.

    Returns whether it was.
    """
    try:
        texts = _kept(_file(words), _circumstances((words, _terminals())))
        return texts is not None and printed(zip(texts[::2], texts[1::2], strict=True))
    except (OSError, ValueError):
        return False


def look_again(file: str, question: object) -> Any:
    """What a `looking` block with the same file and question kept if everything is as it was then,
    else None."""
    if _recorder or not (texts := _kept(file, _circumstances(question))):
        return None
    import json  # noqa: PLC0415 - `repeat` has no need

    return json.loads(texts[0])


@contextlib.contextmanager
def looking(file: str, question: object) -> Iterator[Callable[[Any], None]]:
    """Record what the block asks the file system, and the JSON value that it passes on, in `file`,
    unless it changes something or raises an exception.

    The `repr` of `question` is everything else that the block depends on.
    """
    if _recorder:  # a whole command is recorded
        yield lambda _: None
        return
    import json  # noqa: PLC0415 - `repeat` has no need

    recorder = Recorder(_circumstances(question))

    def keep(value: Any) -> None:
        recorder.kept = [json.dumps(value)]
        recorder.file = file

    with _hearing(recorder), recorder.listening():
        yield keep
    recorder.save()


def _kept(name: str, circumstances: str) -> list[str] | None:
    """What the record `name` keeps if each answer of the file system is as it was then."""
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return None
            text, _, digest = os.fsdecode(file.read(_MAX_BYTES)).rpartition("\0")
        fields = text.split("\0")
        if fields[:2] != [_MAGIC, circumstances] or _digest(text) != digest:
            return None
        looks = 3 + int(fields[2])
        for at in range(looks, len(fields), 3):
            if _answer(fields[at], fields[at + 1]) != fields[at + 2]:
                return None
        return fields[3:looks]
    except (OSError, ValueError, IndexError):
        return None


def printed(texts: Iterable[tuple[str, str]]) -> bool:
    """Write each text to the stream that is named; returns whether that was possible."""
    try:
        for name, text in texts:
            stream = sys.stderr if name == "stderr" else sys.stdout
            data = text.encode(stream.encoding)
            while data:  # what a stream keeps after an error would be in the way of the message
                data = data[os.write(stream.fileno(), data) :]
    except (OSError, ValueError, AttributeError):  # a stream can be closed
        return False
    return True


def recorded(words: Sequence[str], command: Callable[[], int]) -> int:
    """Run `command`, and keep for `repeat` what it looks at and prints, if it calls `keep_in` and
    changes nothing; returns its status."""
    if sys.stdout is None or sys.stderr is None:
        return command()
    recorder = Recorder(_circumstances((words, _terminals())))
    with _hearing(recorder), recorder.copying(), recorder.listening():
        status = command()
    if status == 0 and recorder.file:
        recorder.file = f"{recorder.file}/{_name(words)}"
        recorder.save()
    return status


@contextlib.contextmanager
def _hearing(recorder: Recorder) -> Iterator[None]:
    global _recorder, _is_hooked  # noqa: PLW0603 - an audit hook stays as long as the process
    if not _is_hooked:
        sys.addaudithook(_hear)
        _is_hooked = True
    _recorder = recorder
    try:
        yield
    finally:
        _recorder = None


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if _recorder:
        _recorder.hear(event, arguments)


def keep_in(state: Path) -> None:
    """Keep the record of this command below the directory `state`: it had nothing to do."""
    if _recorder:
        _recorder.file = str(state)


def _file(words: Sequence[str]) -> str:
    """Where the command line is kept; raises `OSError` outside of a project."""
    directory = os.getcwd()
    while not os.path.exists(f"{directory}/buildtool.toml"):
        directory, _, name = directory.rpartition("/")
        if not name:
            raise FileNotFoundError
    return f"{directory}/.buildtool/state/{_name(words)}"


def _name(words: Sequence[str]) -> str:
    return f"first-looks/{blake2b(repr(words).encode(), digest_size=8).hexdigest()}"


def _terminals() -> list[object]:
    return [os.get_terminal_size(n) if os.isatty(n) else None for n in (1, 2)]


def _circumstances(question: object) -> str:
    """The digest of what an answer depends on besides files.  The environment may have secrets."""
    variables = sorted(item for item in os.environ.items() if item[0] not in _VOLATILE)
    rows = (__version__, sys.version, sys.executable, sys.flags, os.getcwd(), os.geteuid())
    return _digest(repr((question, rows, variables)))


def _digest(text: str) -> str:
    return blake2b(os.fsencode(text), digest_size=32).hexdigest()


def _answer(kind: str, path: str, newest: list[int] | None = None) -> str:
    """What the file system says of `path` now; adds the time of its last change to `newest`."""
    try:
        status = _lstat(path) if kind == _LINK else _stat(path)
    except OSError as error:
        return str(error.errno)
    except ValueError:
        return "no path"
    text = f"{status.st_dev} {status.st_ino} {status.st_mode}"
    if kind != _LISTING and stat.S_ISDIR(status.st_mode):
        return text  # what is in a directory matters only to those who list it
    if newest is not None:
        newest.append(max(status.st_mtime_ns, status.st_ctime_ns))
    return f"{text} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


class Recorder:
    """The questions that a command asks the file system, with the answers, and what is `kept`.

    Audit hooks tell of files that are opened and directories that are listed, whoever does it, and
    of calls that change something.  Nothing tells of stat(), so the functions of `os` are replaced,
    through which `pathlib`, `shutil` and `glob` ask, too; `DirEntry.stat` alone goes unnoticed.
    """

    def __init__(self, circumstances: str) -> None:
        self.file = ""
        self.kept: list[str] = []
        self._circumstances = circumstances
        self._directory = os.getcwd()
        self._answers: dict[tuple[str, str], str] = {}
        self._opened: dict[int, str] = {}
        self._repeatable = True
        self._listens = False

    @contextlib.contextmanager
    def copying(self) -> Iterator[None]:
        """Keep what the block prints."""
        streams = sys.stdout, sys.stderr
        sys.stdout = _Copied(sys.stdout, "stdout", self.kept)
        sys.stderr = _Copied(sys.stderr, "stderr", self.kept)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = streams

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Hear of what the block asks the file system."""
        real = os.stat, os.lstat, os.access, os.readlink, os.open
        os.stat, os.lstat = self._asking(os.stat), self._asking(os.lstat, _LINK)
        os.access, os.readlink = self._asking(os.access), self._asking(os.readlink, _LINK)
        os.open = self._opening(os.open)
        self._listens = True
        try:
            yield
        finally:
            self._listens = False
            os.stat, os.lstat, os.access, os.readlink, os.open = real

    def save(self) -> None:
        """Write the record if it can be repeated; without one, the next command decides anew."""
        newest: list[int] = []
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == "buildtool" and (file := getattr(module, "__file__", "")):
                self._note(_FOLLOWED, file)
        fields = [_MAGIC, self._circumstances, str(len(self.kept)), *self.kept]
        for (kind, path), answer in self._answers.items():
            if kind == _FOLLOWED and self._answers.get((_LINK, path)) == answer:
                continue  # it is no link
            self._repeatable &= _answer(kind, path, newest) == answer
            fields += (kind, path, answer)
        if not self.file or not self._repeatable or any("\0" in field for field in fields):
            return
        if time.time_ns() - max(newest) > _SETTLED_NS:
            from pathlib import Path  # noqa: PLC0415 - `repeat` has no need

            from buildtool.core.files import write_if_changed  # noqa: PLC0415 - as above

            with contextlib.suppress(OSError):
                text = "\0".join(fields)
                write_if_changed(Path(self.file), f"{text}\0{_digest(text)}")

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._listens:
            return
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, int) or not flags:  # modules have no flags; see `save`
                return
            self._note(_FOLLOWED, path)
            self._repeatable &= not flags & _WRITES
        elif event in ("os.scandir", "os.listdir"):
            self._note(_LISTING, arguments[0])
        elif event.startswith(_CHANGES) and event not in _HARMLESS:
            self._repeatable = False

    def _asking(self, real: Any, kind: str = _FOLLOWED) -> Any:
        def ask(path: Any, *arguments: Any, dir_fd: int | None = None, **options: Any) -> Any:
            if not isinstance(path, int):
                followed = options.get("follow_symlinks", True)
                self._note(kind if followed else _LINK, path, dir_fd)
            given = options if dir_fd is None else {**options, "dir_fd": dir_fd}
            return real(path, *arguments, **given)

        return ask

    def _opening(self, real: Any) -> Any:
        def open_and_remember(path: Any, *arguments: Any, **options: Any) -> int:
            if (dir_fd := options.get("dir_fd")) is not None:  # of which the audit event is silent
                self._note(_FOLLOWED, path, dir_fd)
            handle: int = real(path, *arguments, **options)
            self._opened[handle] = self._absolute(path, dir_fd)
            return handle

        return open_and_remember

    def _note(self, kind: str, path: Any, dir_fd: int | None = None) -> None:
        """Keep the answer to a question, which must be the same each time that it is asked."""
        if not self._repeatable:
            return
        path = self._absolute(path, dir_fd)
        answer = _answer(kind, path)
        self._repeatable &= self._answers.setdefault((kind, path), answer) == answer
        if kind == _LISTING:  # an entry tells whether it is a link to a directory
            self._listens = False
            with contextlib.suppress(OSError), os.scandir(path) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        self._note(_FOLLOWED, entry.path)
            self._listens = True

    def _absolute(self, path: Any, dir_fd: int | None) -> str:
        if isinstance(path, int):
            path, dir_fd = "", path
        name = os.fsdecode(path).replace("//", "/")
        if name.startswith("/"):
            return name
        base = self._directory if dir_fd is None else self._opened.get(dir_fd)
        self._repeatable &= base is not None
        return f"{base}/{name}"


class _Copied:
    """A stream that also keeps what is written."""

    def __init__(self, stream: TextIO, name: str, copy: list[str]) -> None:
        self._stream, self._name, self._copy = stream, name, copy

    def write(self, text: str) -> int:
        self._copy += (self._name, text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
