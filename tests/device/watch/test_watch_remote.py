"""`run DEVICE --watch` over real ssh and adb, with 20 ms more for a round trip over ssh, and on the
board itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.device.devices.emulated_board import emulated_board, emulated_phone
from tests.device.watch.watched import CMAKE, Watched, say
from tests.remote.noisy import QUIET
from tests.remote.proxy import Proxy

WAITS = "waiting for changes"
DEVICE = '[device.board]\ntransport = "{kind}"\n{address}root = "{root}"\n'
LONG_SSH, LONG_ADB = (pytest.param(name, marks=pytest.mark.long) for name in ("ssh", "adb"))


class Board:
    """A device `board` of the project `app`, with the environment of its user."""

    def __init__(self, app: Path, environment: Mapping[str, str], releases: Path) -> None:
        self.app, self.environment, self.releases = app, environment, releases
        self.proxy: Proxy | None = None
        self.prefix: Sequence[str] = ()

    def watch(self, *arguments: str) -> Watched:
        return Watched(
            self.app, "board", *arguments, environment=self.environment, prefix=self.prefix
        )


@pytest.fixture(params=["ssh", "adb"])
def board(request: pytest.FixtureRequest, app: Path, tmp_path: Path) -> Iterator[Board]:
    with ExitStack() as stack:
        if request.param == "ssh":
            server = stack.enter_context(emulated_board(tmp_path))
            proxy = stack.enter_context(Proxy(server.port, delay=0.01))
            client = server.make_client(tmp_path / "client", proxy.port)
            environment, address = client.environment, client.host
        elif request.param == "local":
            server = stack.enter_context(emulated_board(tmp_path))
            environment, address = {**server.variables, **QUIET}, ""
        else:
            phone = stack.enter_context(emulated_phone(tmp_path))
            environment, address = phone.environment, phone.serial
        home = (phone if request.param == "adb" else server).device.home
        root = home / "install root"
        line = f'address = "{address}"\n' * bool(address)
        text = DEVICE.format(kind=request.param, address=line, root=root)
        (app / "devices.toml").write_text(text)
        board = Board(app, environment, root / "p/releases")
        board.proxy = proxy if request.param == "ssh" else None
        if request.param == "local":
            board.prefix = server.device.command("/usr/bin/env", "-C", app)
        yield board


@pytest.mark.parametrize("board", ["ssh", LONG_ADB, "local"], indirect=True)
def test_edits_run_on_the_device(board: Board) -> None:
    with board.watch() as watched:
        watched.prints("says one alone")
        watched.prints(WAITS)
        for word in ("two", "three"):
            say(board.app, word)
            watched.prints("host/src/word.h changed: built host/app")
            watched.prints(f"says {word} alone")
            watched.prints("exit status 0")
        assert len(list(board.releases.iterdir())) == 3
        say(board.app, "one")  # is on the device already
        watched.prints("says one alone")
        watched.prints(WAITS)
        say(board.app, "one")
        text = (board.app / "host/src/main.c").read_text()
        (board.app / "host/src/main.c").write_text("syntax error\n")
        watched.prints("error: building app")
        watched.prints(WAITS)
        (board.app / "host/src/main.c").write_text(text)
        watched.prints("says one alone")
        assert watched.interrupt() == 130


@pytest.mark.long
@pytest.mark.parametrize("board", [LONG_SSH, "adb"], indirect=True)
def test_an_edit_ends_the_program_on_the_device(board: Board) -> None:
    with board.watch("sleep") as watched:
        for word in ("one", "two", "three"):
            say(board.app, word)
            watched.prints(f"says {word}")
        assert watched.count("interrupted") == 2
        assert watched.interrupt() == 130
        watched.prints("interrupted")


@pytest.mark.long
@pytest.mark.parametrize("board", ["ssh", LONG_ADB], indirect=True)
def test_large_files_are_sent_as_always(board: Board) -> None:
    (board.app / "host/CMakeLists.txt").write_text(CMAKE + "install(FILES big DESTINATION share)\n")
    (board.app / "host/big").write_bytes(os.urandom(3 << 20))
    with board.watch() as watched:
        watched.prints("says one")
        watched.prints(WAITS)
        (board.app / "host/big").write_bytes(os.urandom(3 << 20))
        watched.prints("host/big changed: built host/app")
        watched.prints("says one")
        watched.prints(WAITS)
        say(board.app, "two")
        watched.prints("says two")


@pytest.mark.long
@pytest.mark.parametrize("board", ["ssh"], indirect=True)
def test_a_lost_connection_is_made_again(board: Board) -> None:
    with board.watch() as watched:
        watched.prints("says one")
        watched.prints(WAITS)
        assert board.proxy
        board.proxy.cut()
        say(board.app, "two")
        watched.prints(WAITS)
        say(board.app, "three")
        watched.prints("says three")
