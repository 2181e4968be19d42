"""Two machines exchange actions through a real nginx."""

from __future__ import annotations

import hashlib
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zstandard

from buildtool.cache.remote.client import RemoteCache
from buildtool.cache.remote.config import RemoteConfig, remote_config
from buildtool.core.events import Event

from .remote_nginx import Nginx, running

KEY = "0123456789abcdef" * 4
OTHER = "fedcba9876543210" * 4
ZSTD = b"\x28\xb5\x2f\xfd"


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[Nginx]:
    with running(tmp_path / "nginx") as server:
        yield server


class Machine:
    """The remote cache of one machine, with its messages."""

    def __init__(self, url: str, mode: str = "read-write", **more: str) -> None:
        config = remote_config({"BUILDTOOL_REMOTE_CACHE": url, **more}, mode=mode)
        assert config is not None
        self.messages: list[str] = []
        self.remote = RemoteCache(config, self.hear)

    def hear(self, event: Event) -> None:
        self.messages.append(event.text)  # type: ignore[union-attr]


def made(folder: Path, **contents: bytes) -> dict[str, Path]:
    folder.mkdir(exist_ok=True)
    files = {}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
        files[sha256(content)] = folder / name
    return files


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_two_machines_exchange_an_action(nginx: Nginx, tmp_path: Path) -> None:
    contents = {"lib": os.urandom(3_000_000), "text": b"text\n" * 500_000, "empty": b""}
    ci, person = Machine(nginx.url), Machine(nginx.url, "read")
    assert person.remote.document(KEY) is None

    assert ci.remote.put(KEY, b'{"outputs": 3}', made(tmp_path / "ci", **contents))
    document = person.remote.document(KEY)
    assert document is not None
    assert document.data == b'{"outputs": 3}'
    assert document.files == {sha256(text): len(text) for text in contents.values()}
    for name, content in contents.items():
        into = tmp_path / "person" / name
        assert document.fetch(sha256(content), into)
        assert into.read_bytes() == content
        assert into.stat().st_mode & 0o777 == 0o644
    assert sorted(p.name for p in (tmp_path / "person").iterdir()) == sorted(contents)
    assert not document.fetch(sha256(b"never stored"), tmp_path / "none")
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


BASIC = 'auth_basic "builds"; auth_basic_user_file {};'


def test_basic_authentication(tmp_path: Path) -> None:
    users = tmp_path / "users"
    users.write_text("ci:{PLAIN}p@ss wörd\n")
    with running(tmp_path / "nginx", location=BASIC.format(users)) as nginx:
        named = {
            "BUILDTOOL_REMOTE_CACHE_USER": "ci",
            "BUILDTOOL_REMOTE_CACHE_PASSWORD": "p@ss wörd",
        }
        machine = Machine(nginx.url, **named)
        assert machine.remote.put(KEY, b"1", made(tmp_path / "a", one=b"one"))
        in_url = Machine(nginx.url.replace("//", "//ci:p%40ss%20w%C3%B6rd@"), "read")
        assert in_url.remote.document(KEY) is not None
        assert machine.messages == in_url.messages == []

        for wrong in (Machine(nginx.url), Machine(nginx.url.replace("//", "//ci:geheim@"))):
            assert wrong.remote.document(KEY) is None
            assert wrong.remote.document(KEY) is None
            assert not wrong.remote.writable
            assert len(wrong.messages) == 1
            assert "401" in wrong.messages[0]
            assert "BUILDTOOL_REMOTE_CACHE_USER" in wrong.messages[0]
            assert "geheim" not in wrong.messages[0]
        assert [line.split()[2] for line in nginx.log()].count("401") == 2


def test_a_bearer_token(tmp_path: Path) -> None:
    tokens = 'map $http_authorization $known { default 0; "Bearer s3cret" 1; }'
    with running(
        tmp_path / "nginx", http=tokens, location="if ($known = 0) { return 403; }"
    ) as nginx:
        machine = Machine(nginx.url, BUILDTOOL_REMOTE_CACHE_TOKEN="s3cret")
        assert machine.remote.put(KEY, b"1", made(tmp_path / "a", one=b"one"))
        assert machine.remote.document(KEY) is not None
        assert machine.messages == []
        wrong = Machine(nginx.url, BUILDTOOL_REMOTE_CACHE_TOKEN="another")
        assert wrong.remote.document(KEY) is None
        assert "BUILDTOOL_REMOTE_CACHE_TOKEN" in wrong.messages[0]
        assert "another" not in wrong.messages[0]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate authority `ca.pem`, and `server.pem` and `server.key` for 127.0.0.1."""
    folder = tmp_path_factory.mktemp("authority")
    key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -batch"
    for line in (
        f"req -x509 {key} -keyout ca.key -out ca.pem -subj /CN=test",
        f"req -x509 {key} -keyout server.key -out server.pem -subj /CN=server -CA ca.pem"
        " -CAkey ca.key -addext subjectAltName=IP:127.0.0.1"
        " -addext basicConstraints=critical,CA:FALSE",
    ):
        subprocess.run(["openssl", *line.split()], cwd=folder, check=True, capture_output=True)
    return folder


def test_tls(tmp_path: Path, authority: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = (
        f"ssl_certificate {authority}/server.pem; ssl_certificate_key {authority}/server.key;"
    )
    with running(tmp_path / "nginx", tls=" ssl", server=certificate) as nginx:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority / "ca.pem"))
        machine = Machine(nginx.url)
        assert machine.remote.put(KEY, b"1", made(tmp_path / "a", one=b"one"))
        document = machine.remote.document(KEY)
        assert document is not None
        assert document.fetch(sha256(b"one"), tmp_path / "b")
        assert machine.messages == []

        asked = len(nginx.log())
        other_name = Machine(nginx.url.replace("127.0.0.1", "localhost"))
        monkeypatch.delenv("SSL_CERT_FILE")
        stranger = Machine(nginx.url)
        for machine in (other_name, stranger):
            assert machine.remote.document(KEY) is None
            assert not machine.remote.writable
            (message,) = machine.messages
            assert "certificate" in message
            assert "SSL_CERT_FILE" in message
        assert len(nginx.log()) == asked


def test_no_redirect_leads_from_https_to_http(
    tmp_path: Path, authority: Path, monkeypatch: pytest.MonkeyPatch, nginx: Nginx
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority / "ca.pem"))
    certificate = (
        f"ssl_certificate {authority}/server.pem; ssl_certificate_key {authority}/server.key;"
    )
    assert Machine(nginx.url).remote.put(KEY, b"1", {})
    asked = len(nginx.log())
    there = f"return 302 {nginx.url}/ac/{KEY};"
    with running(tmp_path / "tls", tls=" ssl", server=certificate, location=there) as tls:
        machine = Machine(tls.url)
        assert machine.remote.document(KEY) is None
        assert "a redirect to http, which is not followed" in machine.messages[0]
        machine = Machine(tls.url.replace("https:", "HTTPS:"))
        assert machine.remote.document(KEY) is None
    assert len(nginx.log()) == asked
    with running(tmp_path / "http", location=there) as other:
        assert Machine(other.url).remote.document(KEY) is not None


def test_a_server_without_tls_at_a_tls_address(nginx: Nginx) -> None:
    machine = Machine(nginx.url.replace("http:", "https:"))
    assert machine.remote.document(KEY) is None
    assert machine.remote.document(KEY) is None
    assert len(machine.messages) == 1
    assert "TLS" in machine.messages[0]


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
    assert time.monotonic() - start < 3
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
        assert time.monotonic() - start < 4
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
