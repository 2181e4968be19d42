"""The program: `buildtool`, and `python -m buildtool`."""

from __future__ import annotations

# The modules `signal` and `threading` would take a tenth of the time of the shortest commands.
import _signal  # type: ignore[import-not-found]
import _thread
import atexit
import gc
import os
import sys
import time

from buildtool import VERSION_OPTIONS, __version__

WAKES = _signal.SIGURG
"""A signal that nobody else sends, and that has no effect but to interrupt a system call."""
PAUSES = (0.05, 0.5)
"""Seconds after a signal at which the main thread is interrupted."""


def program() -> int:
    """Run the command line of this process; returns its exit status."""
    _use_utf8()
    open_closed_streams()
    let_signals_end_waits()
    status = None
    # Registered first, it runs after all other functions.  To free each module and object would
    # take a tenth of the time of a run with nothing to build.
    atexit.register(lambda: None if status is None else _end_at_once(status))
    # Most runs are short and free little memory before they end. Collecting garbage less often, and
    # not at exit, saves 3 % and 6 % of the instructions of a build with nothing to do (callgrind).
    gc.set_threshold(100_000)
    try:
        status = _status(sys.argv[1:])
    except KeyboardInterrupt:  # before the command line was read, or when the command had ended
        status = 130
    # The status is known: at exit, Ctrl-C would replace it.
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    gc.freeze()
    return status


def _end_at_once(status: int) -> None:
    """End this process, whose threads have ended, without freeing what it has.  If a stream cannot
    be written, Python reports that."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):  # ValueError: it is closed
        return
    os._exit(status)


def _status(words: list[str]) -> int:
    """The exit status of a command line.  The most frequent ones are answered without `cli`, which
    prints again what could not be printed here, and reports the error."""
    if words[:1] == ["build"]:
        from buildtool import first_look  # noqa: PLC0415

        return 0 if first_look.repeat(words) else first_look.recorded(words, _main)
    if words in VERSION_OPTIONS:
        from buildtool.first_look import printed  # noqa: PLC0415

        if printed([("stdout", f"buildtool {__version__}\n")]):
            return 0
    return _main()


def _main() -> int:
    from buildtool.cli import main  # noqa: PLC0415

    return main()


def _use_utf8() -> None:
    """Restart in Python's UTF-8 mode if the locale has another encoding.

    CMake, Ninja and compilers write file names as UTF-8.  In a locale of ISO-8859-1, Python would
    look for files of other names, and a changed header would go unnoticed.
    """
    if sys.getfilesystemencoding() != "utf-8":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def open_closed_streams() -> None:
    """Open /dev/null for those standard streams that are closed.

    Otherwise other files that this process opens become the streams of programs that it starts.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
            os.set_inheritable(number, True)


def let_signals_end_waits() -> None:
    """Let signals end a wait of the main thread, which calls this, that begins just after they
    arrive.

    Python runs the handlers of signals between its own instructions.  A signal that arrives after
    the last look for signals and before a blocking system call does not interrupt that call: Ctrl-C
    would be seen when the call ends, which may be never.
    """
    try:
        reader, writer = os.pipe2(os.O_CLOEXEC)
        _thread.start_new_thread(_interrupt_waits, (reader, _thread.get_ident()))
    except (OSError, RuntimeError):  # no descriptors, or no thread, can be had
        return
    os.set_blocking(writer, False)
    _signal.signal(WAKES, lambda *_: None)
    _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)


def _interrupt_waits(reader: int, main_thread: int) -> None:
    """Read the numbers of signals, and interrupt the main thread shortly after each."""
    while numbers := os.read(reader, 64):
        if any(number != WAKES for number in numbers):
            for pause in PAUSES:
                time.sleep(pause)
                _signal.pthread_kill(main_thread, WAKES)


if __name__ == "__main__":
    sys.exit(program())
