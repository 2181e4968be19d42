"""Passwords, tokens and TLS of a remote cache, with a real nginx."""

from __future__ import annotations

from pathlib import Path

import pytest

from .remote_machine import KEY, Machine, made, sha256
from .remote_nginx import Nginx, running

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
