"""Other web servers with WebDAV hold a remote cache; Apache's configuration is that of the docs."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY

from .remote_machine import KEY, Machine, made, sha256
from .remote_nginx import free_port

UNPACKED = REPOSITORY / ".venv" / "webservers"
MODULES = (
    "mpm_event authz_core authz_host authz_user authn_core authn_file auth_basic alias dav dav_fs"
)
APACHE = """
ServerRoot "{modules}"
PidFile "{folder}/pid"
ErrorLog "{folder}/error.log"
DavLockDB "{folder}/lock"
ServerName localhost
Listen 127.0.0.1:{port}
{load}
{documented}
"""
LIGHTTPD = """
server.document-root = "{folder}"
server.bind = "127.0.0.1"
server.port = {port}
server.modules = ("mod_webdav")
server.upload-dirs = ("{folder}")
$HTTP["url"] =~ "^/builds/" {{ webdav.activate = "enable" }}
"""


@contextlib.contextmanager
def running(port: int, *command: str | Path) -> Iterator[None]:
    """A server of the unpacked packages, for the block."""
    libraries = ":".join(map(str, UNPACKED.glob("usr/lib/*-gnu")))
    environment = {**os.environ, "LD_LIBRARY_PATH": libraries}
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL) as process:
        try:
            while True:
                assert process.poll() is None
                with (
                    contextlib.suppress(OSError),
                    socket.create_connection(("127.0.0.1", port), 1),
                ):
                    break
                time.sleep(0.02)
            yield
        finally:
            process.terminate()


def apache(folder: Path, port: int) -> list[str | Path]:
    (block,) = re.findall(
        r"^```apache\n(.*?)^```$",
        (REPOSITORY / "docs/cache.md").read_text(),
        flags=re.DOTALL | re.MULTILINE,
    )
    (folder / "users").write_text("ci:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n")  # secret
    for documented, here in (
        ("/srv/builds", f"{folder}/builds"),
        ("/etc/apache2/builds.htpasswd", f"{folder}/users"),
    ):
        assert documented in block
        block = block.replace(documented, here)
    modules = UNPACKED / "usr/lib/apache2"
    load = "\n".join(f"LoadModule {name}_module modules/mod_{name}.so" for name in MODULES.split())
    names = {"folder": folder, "port": port, "modules": modules, "load": load}
    text = APACHE.format(documented=block, **names)
    (folder / "conf").write_text(text)
    return [UNPACKED / "usr/sbin/apache2", "-X", "-f", folder / "conf"]


def lighttpd(folder: Path, port: int) -> list[str | Path]:
    (folder / "conf").write_text(LIGHTTPD.format(folder=folder, port=port))
    modules = UNPACKED / "usr/lib/lighttpd"
    return [UNPACKED / "usr/sbin/lighttpd", "-D", "-m", modules, "-f", folder / "conf"]


def rclone(folder: Path, port: int) -> list[str | Path]:
    words = ("serve", "webdav", str(folder), "--addr", f"127.0.0.1:{port}")
    return [UNPACKED / "usr/bin/rclone", "--config", "/dev/null", "--quiet", *words]


@pytest.mark.parametrize(
    "server", [apache, *(pytest.param(one, marks=pytest.mark.long) for one in (lighttpd, rclone))]
)
def test_two_machines_exchange_an_action(
    server: Callable[[Path, int], list[str | Path]], tmp_path: Path
) -> None:
    if not UNPACKED.is_dir():
        pytest.skip("no unpacked web servers: scripts/setup tests could not download them")
    port = free_port()
    url = f"http://127.0.0.1:{port}/builds"
    for name in ("ac", "cas"):
        (tmp_path / "builds" / name).mkdir(parents=True)
    content = os.urandom(3_000_000)
    with running(port, *server(tmp_path, port)):
        ci = Machine(url.replace("//", "//ci:secret@"))
        person = Machine(url)
        assert person.remote.document(KEY) is None
        assert ci.remote.put(KEY, b"data", made(tmp_path / "files", lib=content))
        document = person.remote.document(KEY)
        assert document is not None
        assert document.data == b"data"
        assert document.fetch(sha256(content), tmp_path / "got")
        assert (tmp_path / "got").read_bytes() == content
        assert ci.messages == person.messages == []
        if server is apache:
            assert not person.remote.put(KEY, b"other", {})
            assert "refuses writing (status 401)" in person.messages[0]
