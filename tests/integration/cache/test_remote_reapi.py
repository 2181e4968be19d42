"""Two machines exchange actions through a real server of the remote execution API, BuildGrid."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from .remote_build import Build
from .remote_buildgrid import BuildGrid, buildgrid
from .remote_machine import Machine, exchange_action, made, sha256

TLS = """    insecure-mode: false
    credentials:
      tls-server-key: {0}/server.key
      tls-server-cert: {0}/server.pem"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BuildGrid]:
    with buildgrid(tmp_path_factory.mktemp("buildgrid"), "main") as running:
        yield running


@pytest.fixture
def key() -> str:
    return hashlib.sha256(os.urandom(8)).hexdigest()


def test_two_machines_exchange_an_action(server: BuildGrid, key: str, tmp_path: Path) -> None:
    contents = {"lib": os.urandom(9_000_000), "text": b"text\n" * 500_000, "empty": b""}
    ci, person = exchange_action(server.url, key, tmp_path, **contents)
    blobs = len(server.stored())
    assert Machine(server.url).remote.put(key, b"again", made(tmp_path / "ci", **contents))
    assert len(server.stored()) == blobs + 1  # only the document is new
    document = person.remote.document(key)
    assert document is not None
    assert document.data == b"again"
    assert not person.remote.put(key, b"3", {})
    assert ci.messages == person.messages == []


@pytest.mark.long
def test_a_large_document_and_threads(server: BuildGrid, key: str, tmp_path: Path) -> None:
    machine = Machine(server.url)
    data = os.urandom(6 << 20)  # more than gRPC accepts in one message
    assert machine.remote.put(key, data, {})

    def exchange(number: int) -> bool:
        files = made(tmp_path / f"a{number}", own=b"%d" % number * 10_000, same=b"same" * 10_000)
        own = sha256(f"{key}{number}".encode())
        assert machine.remote.put(own, b"%d" % number, files)
        found = machine.remote.document(own)
        into = tmp_path / f"b{number}"
        return found is not None and all(found.fetch(each, into) for each in found.files)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(exchange, range(16)))
    document = machine.remote.document(key)
    assert document is not None
    assert document.data == data
    assert machine.messages == []


def test_what_a_server_has_lost_or_changed_is_not_used(
    server: BuildGrid, key: str, tmp_path: Path
) -> None:
    before, content = {*server.stored()}, os.urandom(100_000)
    machine = Machine(server.url)
    assert machine.remote.put(key, b"1", made(tmp_path / "a", lib=content))
    blob, own = sorted({*server.stored()} - before, key=lambda path: -path.stat().st_size)
    document = machine.remote.document(key)
    assert document is not None
    data = bytearray(blob.read_bytes())
    blob.unlink()
    assert not document.fetch(sha256(content), tmp_path / "b")
    assert machine.messages == []
    data[50_000] ^= 1
    blob.write_bytes(data)
    assert not document.fetch(sha256(content), tmp_path / "b")
    assert not (tmp_path / "b").exists()
    assert len(machine.messages) == 1

    before = {*server.stored()}
    assert machine.remote.put(sha256(key.encode()), b"2", {})
    (other,) = {*server.stored()} - before
    own.write_bytes(other.read_bytes())
    reader = Machine(server.url)
    assert reader.remote.document(key) is None
    assert len(reader.messages) == 1

    elsewhere = Machine(server.url.replace("/main", "/other"))
    assert elsewhere.remote.document(key) is None
    assert not elsewhere.remote.put(key, b"1", {})
    assert len(elsewhere.messages) == 1


@pytest.mark.long
def test_a_server_for_reading_only_and_one_that_dies(tmp_path: Path, key: str) -> None:
    with buildgrid(tmp_path / "server", writable=False) as server:
        machine = Machine(server.url)
        assert not machine.remote.put(key, b"1", {})
        assert machine.remote.document(key) is None
        server.kill()
        other = Machine(server.url)
        for _ in range(3):
            assert other.remote.document(key) is None
        assert [f"{server.url} cannot be reached: Connection refused" in other.messages[0]] == [
            True
        ]
        assert len(other.messages) == 1


@pytest.mark.long
def test_tls(authority: Path, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with buildgrid(tmp_path / "server", security=TLS.format(authority)) as server:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority / "ca.pem"))
        machine = Machine(server.url, BUILDTOOL_REMOTE_CACHE_TOKEN="s3cret")
        assert machine.remote.put(key, b"1", {})
        assert machine.remote.document(key) is not None
        assert machine.messages == []
        monkeypatch.delenv("SSL_CERT_FILE")
        other = Machine(server.url)
        assert other.remote.document(key) is None
        assert "cannot be reached" in other.messages[0]
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing"))
        other = Machine(server.url)
        assert other.remote.document(key) is None
        assert "cannot be accessed: No such file" in other.messages[0]


def test_a_server_that_never_answers_with_a_stand_in(key: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        build = Build(f"grpc://127.0.0.1:{listening.getsockname()[1]}")
        assert build.remote.document(key) is None
        assert build.remote.document(key) is None
    assert len(build.messages) == 1
    assert "did not answer within" in build.messages[0] or "cannot be reached" in build.messages[0]
    (*left,) = (thread for thread in threading.enumerate() if thread.name == "remote cache")
    for thread in left:
        thread.join(20)  # its call was cancelled
        assert not thread.is_alive()


def test_a_server_that_speaks_http_1_with_a_stand_in(key: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\nsecret")

        thread = threading.Thread(target=answer)
        thread.start()
        build = Build(f"grpc://127.0.0.1:{listening.getsockname()[1]}")
        assert build.remote.document(key) is None
        thread.join()
    assert len(build.messages) == 1


def test_without_the_extra_the_message_names_it(key: str) -> None:
    code = f"""
import sys
sys.modules["grpc"] = None
from buildtool.cache.remote.client import RemoteCache
from buildtool.cache.remote.config import RemoteConfig
RemoteCache(RemoteConfig("grpc://127.0.0.1:1"), lambda event: print(event.text)).document("{key}")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "the remote cache grpc://127.0.0.1:1 cannot be used: grpc:// needs the extra of that name:"
        " pip install hexagon-buildtool[grpc]; this build does without it\n"
    )
