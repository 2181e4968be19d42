"""Two machines exchange actions through a real nginx."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zstandard

from buildtool.cache.remote.client import RemoteCache
from buildtool.cache.remote.config import RemoteConfig
from buildtool.core.events import Event

from .remote_machine import KEY, OTHER, ZSTD, Machine, exchange_action, made, sha256
from .remote_nginx import Nginx, running


def test_two_machines_exchange_an_action(nginx: Nginx, tmp_path: Path) -> None:
    contents = {"lib": os.urandom(3_000_000), "text": b"text\n" * 500_000, "empty": b""}
    ci, person = exchange_action(nginx.url, KEY, tmp_path, **contents)
    assert ci.messages == person.messages == []


def test_the_server_holds_frames_named_by_their_digest(nginx: Nginx, tmp_path: Path) -> None:
    text = b"the same line\n" * 100_000
    assert Machine(nginx.url).remote.put(KEY, b"data", made(tmp_path / "a", text=text))
    (blob,) = nginx.stored("cas")
    frame = blob.read_bytes()
    assert blob.name == sha256(frame) != sha256(text)
    assert frame.startswith(ZSTD)
    assert len(frame) < 10_000
    assert zstandard.ZstdDecompressor().decompressobj().decompress(frame) == text
    (document,) = nginx.stored("ac")
    assert document.name == KEY
    assert document.read_bytes().startswith(ZSTD)


def test_blobs_go_first_and_only_once(nginx: Nginx, tmp_path: Path) -> None:
    files = made(tmp_path / "a", one=b"one", two=b"two")
    machine = Machine(nginx.url)
    assert machine.remote.put(KEY, b"1", files)
    methods = [line.split()[0] for line in nginx.log()]
    assert methods == ["HEAD", "PUT", "HEAD", "PUT", "PUT"]
    assert nginx.log()[-1] == f"PUT /builds/ac/{KEY} 201"

    before = len(nginx.log())
    assert machine.remote.put(OTHER, b"2", files)  # this machine has recorded what it sent
    assert Machine(nginx.url).remote.put(KEY, b"3", files)  # another machine asks the server
    assert [line.split()[0] for line in nginx.log()[before:]] == ["PUT", "HEAD", "HEAD", "PUT"]
    document = machine.remote.document(KEY)
    assert document is not None
    assert document.data == b"3"


def test_a_document_without_files(nginx: Nginx) -> None:
    machine = Machine(nginx.url)
    data = os.urandom(1 << 20)
    assert machine.remote.put(KEY, data, {})
    found = machine.remote.document(KEY)
    assert found is not None
    assert (found.data, found.files) == (data, {})
    assert not nginx.stored("cas")


def test_a_file_that_changed_meanwhile_is_not_stored(nginx: Nginx, tmp_path: Path) -> None:
    files = made(tmp_path / "a", one=b"one")
    (tmp_path / "a/one").write_bytes(b"other")
    machine = Machine(nginx.url)
    assert not machine.remote.put(KEY, b"1", files)
    assert not machine.remote.put(KEY, b"1", {sha256(b"x"): tmp_path / "nowhere"})
    assert not machine.remote.put(KEY, b"1", {sha256(b"x"): tmp_path})
    assert not nginx.stored("ac")
    assert not nginx.stored("cas")
    assert len(machine.messages) == 1
    assert "No such file" in machine.messages[0]


@pytest.mark.parametrize("harm", ["flipped", "truncated", "longer", "emptied", "page"])
def test_a_harmed_blob_is_a_miss_and_mended(nginx: Nginx, tmp_path: Path, harm: str) -> None:
    content = os.urandom(100_000)
    files = made(tmp_path / "a", lib=content)
    assert Machine(nginx.url).remote.put(KEY, b"1", files)
    (blob,) = nginx.stored("cas")
    frame = bytearray(blob.read_bytes())
    if harm == "flipped":
        frame[50_000] ^= 1
    blob.write_bytes(
        {
            "flipped": bytes(frame),
            "truncated": bytes(frame[:-1]),
            "longer": bytes(frame) + b"\0",
            "emptied": b"",
            "page": b"<!DOCTYPE html><title>Sign in</title>",
        }[harm]
    )

    machine = Machine(nginx.url)
    document = machine.remote.document(KEY)
    assert document is not None
    into = tmp_path / "b" / "lib"
    into.parent.mkdir()
    into.write_bytes(b"old")
    assert not document.fetch(sha256(content), into)
    assert into.read_bytes() == b"old"
    assert len(list(into.parent.iterdir())) == 1
    assert len(machine.messages) == 1
    assert nginx.url in machine.messages[0]

    assert machine.remote.put(KEY, b"1", files)  # a build stores it again
    document = Machine(nginx.url).remote.document(KEY)
    assert document is not None
    assert document.fetch(sha256(content), into)
    assert into.read_bytes() == content


def test_a_blob_that_the_server_forgot_is_a_plain_miss(nginx: Nginx, tmp_path: Path) -> None:
    files = made(tmp_path / "a", one=b"one")
    machine = Machine(nginx.url)
    assert machine.remote.put(KEY, b"1", files)
    nginx.stored("cas")[0].unlink()
    document = machine.remote.document(KEY)
    assert document is not None
    assert not document.fetch(sha256(b"one"), tmp_path / "b")
    assert not (tmp_path / "b").exists()
    assert machine.messages == []
    assert machine.remote.put(KEY, b"1", files)
    assert document.fetch(sha256(b"one"), tmp_path / "b")


def test_the_document_of_another_key_is_not_used(nginx: Nginx) -> None:
    machine = Machine(nginx.url)
    assert machine.remote.put(KEY, b"1", {})
    (nginx.files / "ac" / OTHER).write_bytes(nginx.stored("ac")[0].read_bytes())
    assert machine.remote.document(OTHER) is None
    assert "another key" in machine.messages[0]


def test_the_default_mode_is_read(nginx: Nginx, tmp_path: Path) -> None:
    machine = Machine(nginx.url, "")
    assert not machine.remote.writable
    assert not machine.remote.put(KEY, b"1", made(tmp_path / "a", one=b"one"))
    assert machine.remote.document(KEY) is None
    assert [line.split()[0] for line in nginx.log()] == ["GET"]
    assert machine.messages == []


@pytest.mark.parametrize(
    ("store", "status"),
    [("", "405"), ("dav_methods PUT; limit_except GET { deny all; }", "403")],
    ids=["not allowed", "denied"],
)
def test_a_server_for_reading_only(tmp_path: Path, store: str, status: str) -> None:
    files = made(tmp_path / "a", one=b"one")
    with running(tmp_path / "nginx", store=store) as nginx:
        machine = Machine(nginx.url)
        assert not machine.remote.put(KEY, b"1", files)
        assert not machine.remote.writable
        assert not machine.remote.put(OTHER, b"1", files)
        assert len([line for line in nginx.log() if line.startswith("PUT")]) == 1
        assert machine.remote.document(KEY) is None  # reads continue
        assert nginx.log()[-1] == f"GET /builds/ac/{KEY} 404"
        assert len(machine.messages) == 1
        assert status in machine.messages[0]


def test_a_server_that_takes_nothing_so_large(tmp_path: Path) -> None:
    files = made(tmp_path / "a", lib=os.urandom(2_000_000))
    store = "dav_methods PUT; create_full_put_path on; client_max_body_size 1k;"
    with running(tmp_path / "nginx", store=store) as nginx:
        machine = Machine(nginx.url)
        assert machine.remote.put(OTHER, b"small", {})
        assert not machine.remote.put(KEY, b"1", files)
        assert machine.remote.document(OTHER) is not None
        assert machine.remote.document(KEY) is None
        assert len(machine.messages) == 1


def test_a_server_whose_disk_does_not_take_it(tmp_path: Path) -> None:
    with running(tmp_path / "nginx") as nginx:
        (nginx.files / "cas").write_text("a file, where a directory should be")
        machine = Machine(nginx.url)
        for number in range(5):
            files = made(tmp_path / "a", one=b"%d" % number)
            assert not machine.remote.put(KEY, b"1", files)
        assert not machine.remote.writable
        assert len([line for line in nginx.log() if line.startswith("PUT")]) == 3
        assert machine.remote.document(KEY) is None
        assert len(machine.messages) == 1


def test_threads_share_it(nginx: Nginx, tmp_path: Path) -> None:
    machine = Machine(nginx.url)

    def build(number: int) -> bool:
        contents = {"own": b"%d" % number * 10_000, "shared": b"shared" * 10_000}
        files = made(tmp_path / f"a{number}", **contents)
        key = sha256(b"%d" % number)
        if not machine.remote.put(key, b"%d" % number, files):
            return False
        document = machine.remote.document(key)
        assert document is not None
        assert document.data == b"%d" % number
        into = tmp_path / f"b{number}"
        return all(document.fetch(d, into) and into.read_bytes() for d in document.files)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(build, range(24)))
    assert machine.messages == []


def test_a_server_that_dies_costs_one_sentence(nginx: Nginx, tmp_path: Path) -> None:
    files = made(tmp_path / "a", one=b"one")
    machine = Machine(nginx.url)
    assert machine.remote.put(KEY, b"1", files)
    document = machine.remote.document(KEY)
    assert document is not None
    nginx.kill()
    start = time.monotonic()
    for _ in range(20):
        assert not document.fetch(sha256(b"one"), tmp_path / "b")
        assert machine.remote.document(KEY) is None
        assert not machine.remote.put(KEY, b"1", files)
    assert time.monotonic() - start < 20
    assert len(machine.messages) == 1
    assert f"{nginx.url} cannot be reached: Connection refused" in machine.messages[0]
    nginx.start()
    asked = len(nginx.log())
    assert machine.remote.document(KEY) is None  # not again in this process
    assert len(nginx.log()) == asked
    assert Machine(nginx.url).remote.document(KEY) is not None


@pytest.mark.parametrize("direction", ["fetch", "put"])
def test_killed_in_the_middle_of_a_blob(tmp_path: Path, direction: str) -> None:
    content = os.urandom(20_000_000)
    files = made(tmp_path / "a", lib=content)
    with running(tmp_path / "nginx", location="limit_rate 4m;") as nginx:
        machine = Machine(nginx.url)
        if direction == "fetch":
            assert machine.remote.put(KEY, b"1", files)
            document = machine.remote.document(KEY)
            assert document is not None
            threading.Timer(0.5, nginx.kill).start()
            assert not document.fetch(sha256(content), tmp_path / "b" / "lib")
            assert list((tmp_path / "b").iterdir()) == []
        else:
            # nginx is killed when it stores the first byte of the body.
            threading.Thread(target=kill_when_busy, args=(nginx,)).start()
            assert not machine.remote.put(KEY, b"1", files)
            assert not nginx.stored("ac")
        assert machine.remote.document(KEY) is None
        assert len(machine.messages) == 1


def kill_when_busy(nginx: Nginx) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end and not any((nginx.prefix / "body").glob("**/*")):
        time.sleep(0.001)
    nginx.kill()


def test_a_server_too_slow_to_be_worth_it(tmp_path: Path) -> None:
    content = os.urandom(1_000_000)
    with running(tmp_path / "nginx", location="limit_rate 100k;") as nginx:
        files = made(tmp_path / "a", lib=content)
        assert Machine(nginx.url).remote.put(KEY, b"1", files)
        events: list[Event] = []
        remote = RemoteCache(RemoteConfig(nginx.url, timeout=1.0), events.append)
        document = remote.document(KEY)
        assert document is not None
        start = time.monotonic()
        assert not document.fetch(sha256(content), tmp_path / "b")
        assert time.monotonic() - start < 9  # the whole blob takes 10 s
        assert remote.document(KEY) is None
        assert len(events) == 1


def test_a_server_that_is_steady_is_waited_for(tmp_path: Path) -> None:
    data = os.urandom(5_000_000)
    with running(tmp_path / "nginx", location="limit_rate 3m;") as nginx:
        assert Machine(nginx.url).remote.put(KEY, data, {})
        events: list[Event] = []
        start = time.monotonic()
        document = RemoteCache(RemoteConfig(nginx.url, timeout=1.0), events.append).document(KEY)
        assert time.monotonic() - start > 1.2  # more than the timeout of a short response
        assert document is not None
        assert document.data == data
        assert events == []
