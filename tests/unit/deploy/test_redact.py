"""Secrets are found by the names of variables and removed from text, wherever it was cut off."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.core.kept_output import KeptOutput
from buildtool.deploy.bundle.redact import (
    Redactor,
    argument_secrets,
    is_secret,
    redactor,
    toml_secrets,
    variable_secrets,
)

SECRET = b"hunter2-hunter"
OMITTED = b"bytes are omitted here"


@pytest.mark.parametrize(
    "name",
    [
        *("API_TOKEN", "token", "npm_config__authToken", "DB_PASSWORD", "SUDO_PASSWD", "MYSQL_PWD"),
        *("AWS_SECRET_ACCESS_KEY", "SSH_KEY", "CREDENTIALS", "HTTP_COOKIE", "SSH_AUTH_SOCK"),
        *("GPG_PASSPHRASE", "--api-key", "private-id", "FURTHER"),
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name, ["FURTHER"])


@pytest.mark.parametrize("name", ["PWD", "OLDPWD_", "PATH", "GIT_AUTHOR_NAME", "KEYBOARD", "N", ""])
def test_names_of_other_variables(name: str) -> None:
    assert not is_secret(name, ["FURTHER"])


def test_where_secrets_are_found() -> None:
    variables = {"A_TOKEN": "one", "B": "two", "C": "see https://u:three@h/ and x://u@h"}
    assert [*variable_secrets(variables, ["B"])] == ["one", "two", "three"]
    arguments = ["--api-key", "one", "--password=two", "TOKEN=three", "tokens", "four", "--key"]
    assert [*filter(None, argument_secrets(arguments, []))] == ["one", "two", "three"]
    assert [*argument_secrets([], [])] == []
    text = """
    env = { API_KEY = "one", "B_TOKEN" = 'two', N = "three" }
    my-password="fo\\"ur" # TOKEN = unquoted
    """
    assert [*toml_secrets(text, [])] == ["one", "two", 'fo\\"ur']


def test_toml_without_end_takes_no_time() -> None:
    for text in (
        "a" * 1_000_000,
        'KEY = "' + "\\\\" * 500_000,
        "KEY" + " " * 1_000_000,
        "k=" * 300_000,
    ):
        assert [*toml_secrets(text, [])] == []


def test_forms_of_secrets() -> None:
    secret = 'a "b"/é\nsecond line'
    redact = redactor([secret, "abc", "true", "", "  padded\n"])
    for form in (
        secret,
        json.dumps(secret),
        json.dumps(secret, ensure_ascii=False),
        "a%20%22b%22%2F%C3%A9%0Asecond%20line",
        "only the second line",
        "padded",
    ):
        cleaned = redact.text(form)
        assert "***" in cleaned
        assert not {"second line", "padded", "%20", "é"} & {*cleaned.split("***")}
    assert redact.text("abc is too short; true is common") == "abc is too short; true is common"
    assert redact.value({"k": [secret, 1, None]}) == {"k": ["***", 1, None]}


def test_the_longest_secret_goes_first() -> None:
    assert redactor(["secret", "secret-and-more"]).text("secret-and-more secret") == "*** ***"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (b"git clone https://me:pass@host/x", b"git clone https://***@host/x"),
        (b"https://ghp_token@host", b"https://***@host"),
        (b"https://host/@user", b"https://host/@user"),
        (b"me@host", b"me@host"),
    ],
)
def test_urls(text: bytes, cleaned: bytes) -> None:
    assert redactor([]).clean(text) == cleaned


@given(
    st.lists(st.sampled_from([SECRET, b"x", b"\n", b"some text "])),
    st.integers(1, 40),
    st.integers(1, 7),
)
def test_no_part_of_a_secret_is_left_where_output_was_cut(
    pieces: list[bytes], limit: int, chunk: int
) -> None:
    text = b"".join(pieces)
    ends = KeptOutput(head=limit, tail=limit)
    for start in range(0, len(text), chunk):
        ends.add(text[start : start + chunk])
    kept = ends.kept()
    assert len(kept.head) + len(kept.tail) + kept.omitted == len(text)
    assert text.startswith(kept.head)
    assert text.endswith(kept.tail)
    assert (kept.omitted > 0) == (len(text) > 2 * limit)
    cleaned = Redactor((SECRET,)).kept(kept)
    assert SECRET not in cleaned
    if OMITTED not in cleaned:
        assert cleaned == text.replace(SECRET, b"***")
        return
    head, _, tail = cleaned.partition(b"\n[... ")
    tail = tail.partition(b" ...]\n")[2]
    for size in range(1, len(SECRET)):
        assert not head.endswith(SECRET[:size])
        assert not tail.startswith(SECRET[-size:])
    assert SECRET not in head + tail


def test_urls_that_were_cut() -> None:
    redact = redactor([])
    assert redact.clean(b"see https://me:pa", ends=False) == b"see https://***"
    assert redact.clean(b"ss@host/x", begins=False) == b"***@host/x"
    assert redact.clean(b"see https://host/pa", ends=False) == b"see https://host/pa"
