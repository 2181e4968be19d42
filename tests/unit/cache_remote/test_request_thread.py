"""A request ends at its deadline, regardless of what it waits for."""

from __future__ import annotations

import socket
import threading
import time
from types import SimpleNamespace

import pytest

from buildtool.cache.remote.requests import DeadlineError, RequestThread, report_progress


def test_a_request_returns_its_result_or_raises_its_error() -> None:
    never = threading.Event()
    empty: dict[int, int] = {}
    assert RequestThread(lambda: 7).run_with_deadline(5, never) == 7
    with pytest.raises(KeyError):
        RequestThread(lambda: empty[1]).run_with_deadline(5, never)


def test_bytes_extend_the_deadline() -> None:
    def work() -> str:
        report_progress(60 << 20)  # the bytes of a minute
        time.sleep(1.2)
        report_progress()
        return "done"

    assert RequestThread(work).run_with_deadline(0.8, threading.Event()) == "done"


def test_a_request_that_takes_too_long_is_abandoned() -> None:
    ended: list[type] = []
    over, finished = threading.Event(), threading.Event()

    def work() -> None:
        over.wait(30)
        try:
            report_progress(1)
        except DeadlineError as error:
            ended.append(type(error))
        finished.set()

    start = time.monotonic()
    with pytest.raises(DeadlineError):
        RequestThread(work).run_with_deadline(0.1, threading.Event())
    assert time.monotonic() - start < 5
    over.set()
    assert finished.wait(10)
    assert ended == [DeadlineError]


def test_a_request_is_abandoned_when_it_is_cancelled() -> None:
    cancelled, over = threading.Event(), threading.Event()
    cancelled.set()
    with pytest.raises(DeadlineError):
        RequestThread(lambda: over.wait(30)).run_with_deadline(60, cancelled)
    over.set()


def test_the_wait_for_a_socket_ends_with_the_deadline() -> None:
    """Otherwise a slow server would keep a thread busy as long as the build runs."""
    here, there = socket.socketpair()
    ended = threading.Event()

    def work() -> None:
        report_progress(connection=SimpleNamespace(sock=here))
        here.recv(1)
        ended.set()

    with here, there:
        with pytest.raises(DeadlineError):
            RequestThread(work).run_with_deadline(0.1, threading.Event())
        assert ended.wait(10)
        assert there.recv(1) == b""
