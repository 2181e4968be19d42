"""The standard streams of this process, redirected for a block."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass
class Streams:
    """What was written in the block, at its end."""

    stdout: bytes = b""
    stderr: bytes = b""


@contextlib.contextmanager
def redirected(stdin: bytes | int | None) -> Iterator[Streams]:
    """Let the descriptors 0, 1 and 2 be other ones in the block.

    `stdin` is the content of a file, a descriptor, or None for /dev/null.
    """
    streams = Streams()
    with contextlib.ExitStack() as stack:
        source, stdout, stderr = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        reader = stdin
        if isinstance(stdin, bytes):
            source.write(stdin)
            source.seek(0)
            reader = source.fileno()
        elif stdin is None:
            reader = os.open(os.devnull, os.O_RDONLY)
            stack.callback(os.close, reader)
        assert isinstance(reader, int)
        for number, descriptor in enumerate((reader, stdout.fileno(), stderr.fileno())):
            kept = os.dup(number)
            os.dup2(descriptor, number)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
        try:
            yield streams
        finally:
            for file in (stdout, stderr):
                file.seek(0)
            streams.stdout, streams.stderr = stdout.read(), stderr.read()
