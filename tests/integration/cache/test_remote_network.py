"""Redirects, proxies and names that cannot be resolved, between a build and its remote cache."""

from __future__ import annotations

import socket
import threading

import pytest

from .remote_build import DOCUMENT, KEY, Build
from .remote_hostile import answer, hostile, says
from .remote_nginx import free_port

pytestmark = pytest.mark.usefixtures("in_time")


def test_a_redirect_to_another_host_has_no_credentials() -> None:
    with hostile(says(answer(DOCUMENT))) as target:
        there = f"Location: {target.url}/x?signed=1\r\n"
        redirect = says(answer(b"", status="307 Temporary Redirect", more=there))
        with hostile(redirect) as server:
            build = Build(server.url, {"BUILDTOOL_REMOTE_CACHE_TOKEN": "s3cret"})
            assert build.remote.document(KEY) is not None
            assert "Authorization: Bearer s3cret" in server.heads[0]
            assert target.heads[0].startswith("GET /builds/x?signed=1 ")
            assert "uthorization" not in target.heads[0]
            assert build.messages == []


def test_the_proxy_of_the_environment() -> None:
    with hostile(says(answer(b"", status="404 Not Found"))) as proxy:
        address = f"http://me:p%20%3A0xy@127.0.0.1:{proxy.port}"
        build = Build("http://cache.invalid/builds", {"http_proxy": address})
        assert build.remote.document(KEY) is None
        assert proxy.heads[0].startswith(f"GET http://cache.invalid/builds/ac/{KEY} HTTP/1.1")
        assert "Basic bWU6cCA6MHh5" in proxy.heads[0]
        assert build.messages == []
        asked = len(proxy.heads)
        around = {"http_proxy": address, "no_proxy": "127.0.0.1"}
        with hostile(says(answer(b"", status="404 Not Found"))) as server:
            assert Build(server.url, around).remote.document(KEY) is None
            assert len(server.heads) == 1
        assert len(proxy.heads) == asked

        open_to_all = Build(
            "http://cache.invalid",
            {"http_proxy": address, "BUILDTOOL_REMOTE_CACHE_TOKEN": "s3cret"},
        )
        assert open_to_all.remote.document(KEY) is None
        assert len(open_to_all.messages) == 1
        assert "without encryption" in open_to_all.messages[0]


@pytest.mark.parametrize(
    "address",
    [
        "http://me:pr0xy",
        "http://me:pr0/xy@127.0.0.1:1",
        "http://me:pr0xy@127.0.0.1:port",
        "http://[me:pr0xy@x",
        "http://me:pr0xy@a host:1",
        "me:pr0xy@",
        "pr0xy://me:x@127.0.0.1:1",
    ],
)
def test_the_address_of_a_proxy_is_not_repeated(address: str) -> None:
    build = Build("http://cache.invalid", {"http_proxy": address})
    assert build.remote.document(KEY) is None
    assert not build.remote.writable
    (message,) = build.messages
    assert "proxy whose address cannot be used" in message
    assert "pr0" not in message


@pytest.mark.parametrize("kind", ["dead", "socks", "refuses"])
def test_a_proxy_that_cannot_be_used(kind: str) -> None:
    with hostile(says(answer(b"", status="407 Proxy Authentication Required"))) as proxy:
        address = {
            "dead": f"http://me:pr0xy@127.0.0.1:{free_port()}",
            "socks": "socks5://me:pr0xy@127.0.0.1:1",
            "refuses": f"http://me:pr0xy@127.0.0.1:{proxy.port}",
        }[kind]
        build = Build("https://cache.invalid/builds", {"https_proxy": address})
        assert build.remote.document(KEY) is None
        assert build.remote.document(KEY) is None
        assert len(build.messages) == 1
        assert "pr0xy" not in build.messages[0]


def test_a_name_that_is_looked_up_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def stuck(*_: object, **__: object) -> list[object]:
        over.wait(30)
        raise socket.gaierror(socket.EAI_AGAIN, "again")

    monkeypatch.setattr(socket, "getaddrinfo", stuck)
    build = Build("http://cache.invalid/builds")
    assert build.remote.document(KEY) is None
    assert build.remote.document(KEY) is None
    over.set()
    assert len(build.messages) == 1


def test_an_unknown_host_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    build = Build("https://cache.invalid/builds")
    assert build.remote.document(KEY) is None
    assert build.messages[0].startswith(
        "the remote cache https://cache.invalid/builds cannot be reached: Name or service not known"
    )
