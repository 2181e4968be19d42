"""A debugger can attach as soon as the run says so."""

from __future__ import annotations

import socket
from pathlib import Path

from buildtool.run.debug_run import listens


def test_a_socket_accepts_connections_when_its_process_listens(tmp_path: Path) -> None:
    path = tmp_path / "of two words"
    assert not listens(path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        assert path.is_socket()
        assert not listens(path)
        server.listen()
        assert listens(path)
    assert not listens(path)
