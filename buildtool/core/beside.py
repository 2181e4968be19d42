"""What a command does in a thread of its own while something else takes time."""

from __future__ import annotations

import contextlib
import importlib
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
_HEAD_START = 0.02
"""Seconds in which the other thread starts the tool: imports would keep the interpreter busy."""

later: list[str] = []
"""Modules that are used after the tool that runs first: `import_later` is called when it starts.
Each package adds those that it would load then."""


def import_later() -> None:
    """Import the modules that will be used; an error comes again when one is used."""
    time.sleep(_HEAD_START)
    for name in later:
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def begun(work: Callable[[], T]) -> Callable[[], T]:
    """Begin `work`, which changes nothing; the function that is returned waits for its result, and
    raises what it has raised.  A process that ends does not wait for it."""
    results: list[T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(work())
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def result() -> T:
        thread.join()
        for error in errors:
            raise error
        return results[0]

    return result
