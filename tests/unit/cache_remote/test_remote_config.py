"""The configuration of the remote cache, from the environment and the project."""

from __future__ import annotations

import pytest

from buildtool.cache.remote.config import RemoteConfig, remote_config
from buildtool.core.errors import UsageError

URL = "BUILDTOOL_REMOTE_CACHE"
HTTPS = "https://cache.example.com/builds"


def test_without_settings_there_is_no_remote_cache() -> None:
    assert remote_config({}) is None
    assert remote_config({URL: ""}) is None
    assert remote_config({URL: HTTPS, f"{URL}_MODE": "off"}) is None
    assert remote_config({f"{URL}_MODE": "off"}, url=HTTPS, mode="read-write") is None


def test_the_environment_overrides_the_project() -> None:
    assert remote_config({}, url=HTTPS) == RemoteConfig(HTTPS, mode="read")
    assert remote_config({URL: ""}, url=HTTPS, mode="read-write") == RemoteConfig(
        HTTPS, mode="read-write"
    )
    assert remote_config(
        {URL: "http://other/", f"{URL}_MODE": "read-write"}, url=HTTPS, mode="read"
    ) == RemoteConfig("http://other", mode="read-write")


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("HTTPS://cache.example.com/builds//", HTTPS),
        ("http://cache:8080", "http://cache:8080"),
        ("http://[::1]:8080/a/b/", "http://[::1]:8080/a/b"),
        ("grpcs://cache:9092/main", "grpcs://cache:9092/main"),
        ("https://me:secret@cache.example.com/builds", HTTPS),
    ],
)
def test_the_address_is_bare(address: str, url: str) -> None:
    config = remote_config({URL: address})
    assert config is not None
    assert config.url == url


def test_credentials() -> None:
    token = remote_config({URL: HTTPS, f"{URL}_TOKEN": "t0ken"})
    assert token == RemoteConfig(HTTPS, token="t0ken")
    basic = RemoteConfig(HTTPS, user="me", password="s3:cr@t ü")
    assert basic == remote_config({URL: "https://me:s3%3Acr%40t%20%C3%BC@cache.example.com/builds"})
    assert basic == remote_config({URL: HTTPS, f"{URL}_USER": "me", f"{URL}_PASSWORD": "s3:cr@t ü"})
    for config in (token, basic):
        assert "t0ken" not in f"{config!r} {config}"
        assert "s3" not in f"{config!r} {config}"
    assert remote_config({f"{URL}_TOKEN": "t0ken"}, url=HTTPS) == token


@pytest.mark.parametrize(
    ("environment", "project"),
    [
        ({URL: "s3cret"}, ""),
        ({URL: "ftp://me:s3cret@cache:9092"}, ""),
        ({URL: "http://"}, ""),
        ({URL: "http://me:s3cret@"}, ""),
        ({URL: "http://cache:0"}, ""),
        ({URL: "http://me:s3cret@cache:99999"}, ""),
        ({URL: "http://me:s3cret@cache:port"}, ""),
        ({URL: "http://me:s3cret@[::1"}, ""),
        ({URL: "http://cache/?sig=s3cret"}, ""),
        ({URL: "http://cache/#s3cret"}, ""),
        ({URL: "http://cache/s3cret with space"}, ""),
        ({URL: "http://cache/s3cret\n"}, ""),
        ({URL: "http://cäche/s3cret"}, ""),
        ({URL: "http://me@cache"}, ""),
        ({URL: "http://:s3cret@cache"}, ""),
        ({}, "https://me:s3cret@cache.example.com"),
        ({}, "s3cret"),
        ({URL: HTTPS, f"{URL}_USER": "me"}, ""),
        ({URL: HTTPS, f"{URL}_PASSWORD": "s3cret"}, ""),
        ({URL: HTTPS, f"{URL}_USER": "m:e", f"{URL}_PASSWORD": "s3cret"}, ""),
        ({URL: HTTPS, f"{URL}_USER": "me", f"{URL}_PASSWORD": "s3cret\r\nHost: x"}, ""),
        ({URL: HTTPS, f"{URL}_USER": "me", f"{URL}_PASSWORD": "s3cret", f"{URL}_TOKEN": "t"}, ""),
        ({URL: "http://me:s3cret@cache", f"{URL}_TOKEN": "s3cret"}, ""),
        ({URL: HTTPS, f"{URL}_TOKEN": "s3cret\n"}, ""),
        ({URL: HTTPS, f"{URL}_TOKEN": "Bearer s3cret"}, ""),
        ({URL: HTTPS, f"{URL}_TOKEN": "s3crét"}, ""),
        ({URL: HTTPS, f"{URL}_MODE": "write"}, ""),
    ],
)
def test_what_cannot_be_is_refused_and_not_repeated(
    environment: dict[str, str], project: str
) -> None:
    with pytest.raises(UsageError) as refused:
        remote_config(environment, url=project)
    assert refused.value.why
    assert "BUILDTOOL_REMOTE_CACHE" in refused.value.remedy
    assert "s3cr" not in str(refused.value)
    chain = refused.value.__cause__ or (
        None if refused.value.__suppress_context__ else refused.value.__context__
    )
    assert chain is None


@pytest.mark.parametrize(
    ("url", "token", "warned"),
    [
        ("http://cache.example.com", "t", True),
        ("http://192.168.1.2", "t", True),
        ("grpc://192.168.1.2", "t", True),
        ("grpcs://192.168.1.2", "t", False),
        ("http://cache.example.com", "", False),
        ("https://cache.example.com", "t", False),
        ("http://127.0.0.1:80", "t", False),
        ("http://127.9.9.9", "t", False),
        ("http://[::1]:80", "t", False),
        ("http://localhost", "t", False),
        ("http://localhost.example.com", "t", True),
        ("http://127.0.0.1.example.com", "t", True),
    ],
)
def test_credentials_in_the_open(url: str, token: str, warned: bool) -> None:
    assert RemoteConfig(url, token=token).in_the_open is warned


@pytest.mark.parametrize(
    ("environment", "proxy"),
    [
        ({}, ""),
        ({"https_proxy": "http://p:1"}, "http://p:1"),
        ({"HTTPS_PROXY": "p:1"}, "http://p:1"),
        ({"HTTPS_PROXY": "http://big:1", "https_proxy": "http://small:1"}, "http://small:1"),
        ({"http_proxy": "http://p:1"}, ""),
        ({"all_proxy": "http://p:1"}, "http://p:1"),
        ({"https_proxy": "http://p:1", "no_proxy": "example.com"}, ""),
        ({"https_proxy": "http://p:1", "NO_PROXY": "*"}, ""),
        ({"https_proxy": "http://p:1", "no_proxy": "other.com"}, "http://p:1"),
    ],
)
def test_the_proxy(environment: dict[str, str], proxy: str) -> None:
    config = remote_config({URL: HTTPS, **environment})
    assert config is not None
    assert config.proxy == proxy
    assert "http://" not in repr(config)


def test_a_header_is_no_proxy() -> None:
    cgi = {"REQUEST_METHOD": "GET", "HTTP_PROXY": "http://who-asks:1"}
    config = remote_config({URL: "http://cache", **cgi})
    assert config is not None
    assert config.proxy == ""
