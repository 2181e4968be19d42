"""Secrets are found by the names of variables and removed from text, wherever it was cut off."""

from __future__ import annotations

import base64
import json
import os
import re
import shlex
import tomllib
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.core.processes.kept_output import KeptOutput
from buildtool.project.model import Run
from buildtool.run.bundle.redact import (
    Redactor,
    is_secret,
    redactor,
    secrets_in,
)
from tests.conftest import LONG

SECRET = b"hunter2-hunter"
OMITTED = b"bytes are omitted here"


@pytest.mark.parametrize(
    "name",
    [
        *("API_TOKEN", "token", "npm_config__authToken", "DB_PASSWORD", "SUDO_PASSWD", "MYSQL_PWD"),
        *("AWS_SECRET_ACCESS_KEY", "SSH_KEY", "CREDENTIALS", "HTTP_COOKIE", "SSH_AUTH_SOCK"),
        *("GPG_PASSPHRASE", "--api-key", "private-id", "FURTHER"),
        *("GITHUB_PAT", "GH_PAT_2", "CI_JOB_JWT", "CI_JOB_JWT_V2", "SMTP_PASS", "DBPASS", "PASS_1"),
        *("AUTHORIZATION", "HTTP_AUTHORIZATION", "--authorization", "authorisation", "Proxy-Auth"),
        *("DB_PWD_PROD", "PWD_DB", "db.pwd", "dbPwd", "--pwd-2", "PWD2_X", "githubPat", "PASS2"),
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name, ["FURTHER"])


@pytest.mark.parametrize(
    "name",
    [
        *("PWD", "OLDPWD_", "PATH", "GIT_AUTHOR_NAME", "KEYBOARD", "N", "", "PATCH", "PASSED"),
        *("AUTHORS", "CO_AUTHORED_BY", "AUTHORITY", "PWDX"),
    ],
)
def test_names_of_other_variables(name: str) -> None:
    assert not is_secret(name, ["FURTHER"])


def found(value: Any, *further: str) -> list[str]:
    return [*dict.fromkeys(filter(None, secrets_in(value, further)))]


def test_where_secrets_are_found() -> None:
    variables = {"A_TOKEN": "one", "B": "two", "C": "see https://u:th'r@ee@h/ and x://u@h"}
    assert found(variables, "B") == ["one", "two", "th'r@ee"]
    arguments = ["--api-key", "one", "--password=two", "TOKEN=three", "tokens", "four", "--key"]
    assert found(arguments) == ["one", "two", "three"]
    assert found([]) == []
    text = (
        """
    project.secrets = ["A_TOKEN"]
    env = { API_KEY = "one", "B_TOKEN" = 'two', N = "three", PIN_KEY = 4444 }
    my-password="fo\\"ur" # TOKEN = unquoted
    my_secret = """
        + '"""\nfive \\\n   \\u00e9"""'
        + """
    args = ["sh", "-c", "curl --password six"]
    [run.keygen]
    program = "bin/keygen"
    args = ["--password", "seven"]
    defines = { FLAGS = "-O2 -DTOKEN=eight" }
    """
    )
    assert found(tomllib.loads(text)) == [
        *("one", "two", "4444", 'fo"ur', "five é", "six", "seven", "eight")
    ]
    assert found(Run(program="bin/x", args=("--token", "one"), env={"KEY": "two"})) == [
        "one",
        "two",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        *(
            ["--header", "X-Api-Key: s3cret"],
            ["-HX-Api-Key: s3cret"],
            ["--header=X-Api-Key:s3cret"],
        ),
        *(["X-Api-Key:", "s3cret"], ["sh", "-c", "curl -H 'X-Api-Key: s3cret' http://host/"]),
        *(['{"a": [{"apiKey": "s3cret"}]}'], ["--config", "--json={'db_pwd': 's3cret'}"]),
        *(['{"token": "s3cret", "cut'], ["http://host/?api_key=s3cret&page=2"], ["--pwd 's3cret"]),
        *(
            ["a=1;password=s3cret"],
            ["--authorization", "s3cret"],
            ["sh", "-c", "x --token='s3cret'"],
        ),
    ],
)
def test_secrets_of_arguments(arguments: list[str]) -> None:
    assert "s3cret" in found(arguments)


def test_json_has_secrets_with_spaces() -> None:
    text = json.dumps({"list": [{"password": "two words", "other": "three words"}]})
    assert "two words" in found([f"--config={text}"])
    assert "three words" not in found([text])
    for text in ("{" * 100_000, "a:" * 100_000, "a " * 100_000, "a" * 100_000, "key=" * 10_000):
        assert len(found([text])) < 100_000


def test_text_without_end_takes_no_time() -> None:
    redact = redactor(["hunter2-hunter"])
    size = 1_000_000 if LONG else 250_000
    for text in (
        b"\\" * size,
        b"\\ " * (size // 2),
        b"%" * size,
        b" " * size,
        b"://" * (size // 3),
        b"://" + b"a" * size,
        b"authorization" * (size // 13),
        b"authorization:" + b"a" * size,
    ):
        assert len(redact.clean(text)) <= len(text)


SERIALISERS: dict[str, Callable[[str], str]] = {
    "json": json.dumps,
    "json in json": lambda text: json.dumps(json.dumps(text)),
    "json without ascii": lambda text: json.dumps(text, ensure_ascii=False),
    "shell": shlex.quote,
    "printf %q": lambda text: re.sub(r"([^\w])", r"\\\1", text),
    "toml": lambda text: '"""\n' + re.sub(r'(["\\])', r"\\\1", text) + '"""',
    "toml's escapes": lambda text: "".join(f"\\U{ord(c):08x}" for c in text),
    "json's escapes": lambda text: "".join(f"\\u{ord(c):04x}" for c in text),
    "cmake": lambda text: re.sub(r'([\\"$;])', r"\\\1", text),
    "cmake's lines": lambda text: text.replace(" ", "\n  "),
    "url": lambda text: quote(text, safe=""),
    "url in lower case": lambda text: re.sub("%..", lambda x: x[0].lower(), quote(text)),
    "continued": lambda text: text[:1] + "\\\n   " + text[1:],
}
SECRETS = [
    "hunter2-hunter",
    'it\'s a "se$ret"; yes',
    "C:\\new\\users",
    "p%41ss\\u0041 word",
    "pä\tss",
]


@pytest.mark.parametrize("how", SERIALISERS)
@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_as_serialisers_write_them(how: str, secret: str) -> None:
    for before, after in (("", ""), ("key: ", "\n"), ('{"key": "', '"}'), ("é%41\\\\", "\\\\é")):
        text = before + SERIALISERS[how](secret) + after

        cleaned = redactor([secret]).text(text)

        assert "***" in cleaned
        assert not re.search(r"hunter|ret|yes|new|users|ss|pä|[0-9a-f]{3}", cleaned), cleaned


@pytest.mark.parametrize("secret", ["1234", "hunter2-hunter", "pä\tss?>~~~", "long" * 40])
def test_secrets_in_base64(secret: str) -> None:
    data, redact = os.fsencode(secret), redactor([secret])
    for before in (b"", b"u", b"me", b"me:"):
        plain = base64.b64encode(before + data + b"\n")
        for text in (
            plain,
            base64.urlsafe_b64encode(before + data),
            base64.encodebytes(before + data),
        ):
            cleaned = redact.clean(b"Basic " + text)

            left = re.sub(rb"Basic |\s", b"", cleaned).split(b"***")
            assert len(left) > 1, cleaned
            assert len(b"".join(left)) <= len(base64.b64encode(before)) + 7, cleaned


@pytest.mark.parametrize(
    "text",
    [
        *("Authorization: Bearer s3cret", '"Authorization": "Bearer s3cret",'),
        *(r"{\"authorization\": \"token s3cret\"}", "Proxy-Authorization: Basic s3cret="),
        *("AUTHORIZATION=s3cret", "sent bearer s3cret", "h=Bearer%20s3cret"),
    ],
)
def test_headers_of_http(text: str) -> None:
    cleaned = redactor([]).text(text)

    assert cleaned == re.sub("s3cret=?", "***", text)


@pytest.mark.parametrize(
    "arguments",
    [
        *(["echo Authorization: Bearer s3cret; exit 1"], ["-H", "Authorization: token s3cret"]),
        *(
            ['{"authorization": "Basic s3cret"}'],
            ["--auth", "Digest s3cret"],
            ["X-Auth: DPoP s3cret"],
        ),
        ["HTTP_AUTHORIZATION='Bearer s3cret' program"],
    ],
)
def test_what_follows_a_scheme_is_the_secret(arguments: list[str]) -> None:
    redact = redactor(secrets_in(arguments, ()))

    assert redact.text("with s3cret") == "with ***"
    assert "s3cret" not in redact.text("\n".join(arguments))
    assert redact.text("a bearer, basic token or digest") == "a bearer, basic token or digest"


def test_a_program_after_a_scheme_is_no_secret() -> None:
    assert redactor(secrets_in("AUTH=basic program", ())).secrets == ()


@pytest.mark.parametrize("scheme", ["Bearer", "AWS4-HMAC-SHA256"])
def test_a_scheme_that_is_the_value_of_a_secret(scheme: str) -> None:
    cleaned = redactor([scheme]).text(f"Authorization: {scheme} s3cret")

    assert cleaned.startswith("Authorization: ")
    assert cleaned.endswith(" ***")


@given(st.text(min_size=4), st.text(), st.text(), st.sampled_from([json.dumps, shlex.quote, str]))
def test_random_secrets(
    secret: str, before: str, after: str, serialise: Callable[[str], str]
) -> None:
    text = before + serialise(secret) + after
    data = text.encode(errors="surrogatepass")
    redact = redactor([secret] if secret.isprintable() else [])

    assert not redact.secrets or b"***" in redact.clean(data)


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
        (b"https://me:p'a@ss@host/x", b"https://***@host/x"),
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
