"""Fixtures that give remote devices.  Each worker has its own; tests with the same tools share it.

`ssh_server` and `adb_server` have all tools of this machine unless a test selects others:

    @pytest.mark.parametrize("ssh_server", TOOL_SETS, indirect=True)

A test that needs a server in a certain state, or ends it, makes an `SshServer` or `AdbServer`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import Protocol

import pytest

from .adbd import AdbServer
from .sshd import SshServer
from .tool_sets import Tools


class SshServers(Protocol):
    """Gives the SSH server whose device has certain tools; its login shell can be a noisy one."""

    def __call__(self, tools: Tools, *, noisy: bool = False) -> SshServer: ...


@pytest.fixture(scope="session")
def ssh_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServers]:
    """Gives SSH servers."""
    with ExitStack() as stack:

        @cache
        def server(tools: Tools, *, noisy: bool = False) -> SshServer:
            directory = tmp_path_factory.mktemp("ssh") / tools
            return stack.enter_context(SshServer(directory, tools=tools, noisy=noisy))

        yield server


@pytest.fixture(scope="session")
def adb_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Tools], AdbServer]]:
    """Gives the adb server whose device has certain tools."""
    with ExitStack() as stack:

        @cache
        def server(tools: Tools) -> AdbServer:
            directory = tmp_path_factory.mktemp("adb") / tools
            return stack.enter_context(AdbServer(directory, tools=tools))

        yield server


@pytest.fixture
def ssh_server(request: pytest.FixtureRequest, ssh_servers: SshServers) -> SshServer:
    """An SSH server; the parameter selects the tools of its device."""
    return ssh_servers(getattr(request, "param", "coreutils"))


@pytest.fixture
def adb_server(
    request: pytest.FixtureRequest, adb_servers: Callable[[Tools], AdbServer]
) -> AdbServer:
    """An adb server; the parameter selects the tools of its device."""
    return adb_servers(getattr(request, "param", "coreutils"))
