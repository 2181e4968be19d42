"""Error codes in any spelling."""

from __future__ import annotations

import pytest

from buildtool.diagnose.knowledge import Code, parse_code, read_knowledge

KNOWLEDGE = read_knowledge()


def codes(text: str) -> tuple[Code, ...]:
    return parse_code(text, KNOWLEDGE.content)


@pytest.mark.parametrize(
    ("text", "value", "side", "name"),
    [
        *(
            (text, 0x80000406, "dsp", "AEE_EUNABLETOLOAD")
            for text in ("0x80000406", "0X80000406", "80000406", "-2147482618", "2147484678")
        ),
        ("1030", 0x80000406, "dsp", "AEE_EUNABLETOLOAD"),
        ("0x406", 0x80000406, "dsp", "AEE_EUNABLETOLOAD"),
        ("8000044e", 0x8000044E, "dsp", "AEE_EBADPERMS"),
        ("0x72", 0x72, "host", "AEE_ECONNREFUSED"),
        ("0x00000072", 0x72, "host", "AEE_ECONNREFUSED"),
        ("114", 0x72, "host", "AEE_ECONNREFUSED"),
        ("2e", 0x2E, "host", "AEE_EINTERRUPTED"),
        ("0x200", 0x200, "host", "AEE_ERPC"),
        ("0x80000600", 0x80000600, "dsp", "AEE_ERPC"),
        ("14001", 14001, "qnn", "QNN_DEVICE_ERROR_INVALID_CONFIG"),
        ("1008", 1008, "qnn", "QNN_COMMON_ERROR_INCOMPATIBLE_BINARIES"),
        ("QNN_DEVICE_ERROR_INVALID_CONFIG", 14001, "qnn", "QNN_DEVICE_ERROR_INVALID_CONFIG"),
        ("-110", 2**32 - 110, "kernel", "ETIMEDOUT"),
        ("0xfffffffb", 2**32 - 5, "kernel", "EIO"),
        ("-1", 2**32 - 1, "host", "AEE_EUNKNOWN"),
    ],
)
def test_spellings(text: str, value: int, side: str, name: str) -> None:
    (code,) = codes(text)

    assert (code.value, code.side) == (value, side)
    assert name in code.names


@pytest.mark.parametrize("text", ["AEE_EUNABLETOLOAD", "EUNABLETOLOAD", "eunabletoload"])
def test_a_name_is_a_code_of_both_sides(text: str) -> None:
    assert [(code.value, code.side) for code in codes(text)] == [(0x80000406, "dsp"), (6, "host")]


@pytest.mark.parametrize("text", ["0x68", "104", "ECONNRESET", "AEE_ENORPCMEMORY"])
def test_two_names_have_one_value(text: str) -> None:
    code = codes(text)[-1]

    assert code.names == ("AEE_ECONNRESET", "AEE_ENORPCMEMORY")
    assert code.text == "0x68 (104)"
    assert "two-names-of-104" in [c.name for c in KNOWLEDGE.with_code(code.value)]


@pytest.mark.parametrize(
    "text", ["", "-", "bad", "feed", "0x", "0x123456789", "99999999999", "-2147483649", "app.log"]
)
def test_words_that_are_no_codes(text: str) -> None:
    assert codes(text) == ()


def test_a_number_that_nobody_uses() -> None:
    (code,) = codes("0x7fff0000")

    assert (code.side, code.names) == ("", ())
