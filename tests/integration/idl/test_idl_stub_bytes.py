"""The bytes that the stub sends, and the results that it reads from the wire.

The rows of FastRPC's wire format are stated as numbers; those marked qaic are what the code of
the SDK's IDL compiler sends for the same method and values.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

Stub = Callable[..., list[str]]

THREE = "010000000200000003000000"
NO_SCALARS = "invoke 5 "


def sent(lines: list[str]) -> list[str]:
    """The invocation: scalars, in buffers, sizes of rout buffers, handles."""
    return [
        line.removeprefix(NO_SCALARS)
        for line in lines
        if line.startswith((NO_SCALARS, "in=", "out=", "handle="))
    ]


def results(lines: list[str]) -> dict[str, str]:
    """The values that the caller has after the call, by name."""
    return dict(line.split("=", 1) for line in lines if "=" in line)


@pytest.mark.parametrize(
    ("method", "invocation"),
    [
        ("scalar", ["02010000", "in=feffffff"]),
        ("sequence_in", ["03020100", "in=03000000", f"in={THREE}", "out=8"]),
        (
            "aligned",
            ["04010100", "in=02010000000000000a090807060504030b00000000000000", "out=16"],
        ),
        (
            "inrout_both",
            ["05020200", "in=2a0000000300000003000000", "in=070809", "out=4", "out=3"],
        ),
        (
            "texts",
            [
                "06030200",
                "in=04000000040000000300000002000000",
                "in=68657900",
                "in=3a2678000000",
                "out=4",
                "out=4",
            ],
        ),
        (
            "inrout_wide",
            ["07020100", "in=0300000004000000ffffffffffffffff", "in=610062000000", "out=8"],
        ),
        ("sequence_rout", ["08010100", "in=02000000", "out=8"]),
        ("sequence_rout empty", ["08010100", "in=00000000", "out=0"]),
        ("dma", ["09000011", "handle=11+4096", "handle=12+64"]),
        ("nothing", ["0a000000"]),
        ("pair_in", ["0b030100", "in=0300000003000000", f"in={THREE}", "in=426f00", "out=4"]),
        pytest.param(
            "strings_in",
            ["0c040000", "in=02000000", "in=0300000005000000", "in=616200", "in=7778797a00"],
            id="strings_in-qaic",
        ),
        (
            "strings_in empty",
            ["0c040000", "in=02000000", "in=0000000003000000", "in=-", "in=426f00"],
        ),
        pytest.param(
            "strings_rout",
            ["0d020200", "in=02000000", "in=0400000006000000", "out=4", "out=6"],
            id="strings_rout-qaic",
        ),
        pytest.param(
            "pair_rout",
            ["0e010300", "in=0300000008000000", "out=4", "out=12", "out=8"],
            id="pair_rout-qaic",
        ),
        pytest.param(
            "pairs_in",
            [
                "0f060000",
                "in=0200000009000000",
                "in=03000000030000000100000004000000",
                f"in={THREE}",
                "in=426f00",
                "in=04000000",
                "in=416e6e00",
            ],
            id="pairs_in-qaic",
        ),
        pytest.param(
            "pairs_rout",
            [
                "10020400",
                "in=02000000",
                "in=03000000080000000100000004000000",
                "out=12",
                "out=8",
                "out=4",
                "out=4",
            ],
            id="pairs_rout-qaic",
        ),
        pytest.param("kinds", ["11010000", "in=0200000001000000"], id="kinds-qaic"),
        pytest.param(
            "inrout_then_octet",
            [
                "12020200",
                "in=2a000000030000000300000008000000",
                "in=070809",
                "out=4",
                "out=3",
            ],
            id="inrout_then_octet-qaic",
        ),
        (
            "reports_rout",
            [
                "13020500",
                "in=02000000",
                "in=01000000020000000100000002000000",
                "out=32",
                "out=4",
                "out=2",
                "out=4",
                "out=2",
            ],
        ),
        (
            "flats",
            [
                "14010100",
                "in=aa00000000000000ffffffffffffffff01000000000000000102030405060100",
                "out=32",
            ],
        ),
        ("inrout_text", ["15020100", "in=0200000004000000", "in=6100", "out=4"]),
        ("inrout_text empty", ["15020100", "in=0000000000000000", "in=-", "out=0"]),
        (
            "lists_in",
            [
                "16050000",
                "in=03000000",
                "in=030000000000000001000000",
                f"in={THREE}",
                "in=-",
                "in=04000000",
            ],
        ),
        (
            "mixed",
            [
                "17050410",
                "in=0200000002000000030000000100000001000000020000002a000000",
                "in=7300",
                "in=7a00",
                "in=03000000",
                "in=426f00",
                "out=24",
                "out=3",
                "out=4",
                "out=2",
                "handle=11+4096",
            ],
        ),
        ("dmas 0 0", ["19010010", "in=0000000000000000", "handle=11+64"]),
        (
            "dmas 2 1",
            [
                "19010031",
                "in=0200000001000000",
                "handle=20+0",
                "handle=21+4096",
                "handle=11+64",
                "handle=50+0",
            ],
        ),
        (
            "dmas_mixed",
            [
                "1a030121",
                "in=0200000001000000",
                "in=03000000",
                "in=426f00",
                "out=4",
                "handle=20+0",
                "handle=21+4096",
                "handle=50+64",
            ],
        ),
        ("escaped", ["1f010000", "in=1f00000000000000ffffffffffffffff"]),
        ("escaped_nothing", ["1f010000", "in=20000000"]),
    ],
)
def test_bytes_on_the_wire(stub: Stub, method: str, invocation: list[str]) -> None:
    lines = stub(method)
    assert sent(lines) == invocation
    assert lines[-1] == "status=0 leaked=0"


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("sequence_in", {"wide": "0102030405060708"}),
        ("aligned", {"d": "0102", "e": "090a0b0c0d0e0f10"}),
        ("inrout_both", {"x": "01020304", "b": "010203"}),
        # A rout text ends with a terminator, whatever was received.
        ("texts", {"o": "01020300", "wo": "01020000"}),
        ("inrout_wide", {"w": "0102030405060000"}),
        ("sequence_rout", {"f": "0102030405060708"}),
        ("pair_in", {"r": "01020304"}),
        ("strings_rout", {"first": "01020300", "second": "010203040500"}),
        ("pair_rout", {"a": "0102030405060708090a0b0c", "n": "0102030405060700"}),
        ("pairs_rout", {"b": "01020304", "m": "01020300"}),
        (
            "reports_rout",
            {"s[0].code": "0102", "s[1].code": "1112", "s[1].mean": "191a1b1c1d1e1f20"},
        ),
        # The rout boolean was received as 0x1f, which is true: 1 in C.
        ("flats", {"g.q": "090a0b0c0d0e0f10", "j": "191a1b1c1d1e", "b": "01"}),
        ("dmas_mixed", {"r": "01020304"}),
        ("mixed", {"z": "010200", "s.code": "0102", "text": "0100", "x": "11121314"}),
    ],
)
def test_results_reach_the_caller(stub: Stub, method: str, expected: dict[str, str]) -> None:
    got = results(stub(method))
    assert {name: got[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("method", "untouched"),
    [
        ("sequence_in", {"wide": "ffffffffffffffff"}),
        ("aligned", {"d": "ffff"}),
        ("inrout_both", {"x": "2a000000"}),
        ("pair_in", {"r": "ffffffff"}),
        ("pair_rout", {"r": "ffffffff"}),
        ("reports_rout", {"s[0].code": "0500", "s[1].code": "0600"}),
        ("flats", {"g.q": "0000000000000000", "j": "000000000000", "b": "01"}),
        ("mixed", {"s.code": "0500", "x": "2a000000"}),
    ],
)
def test_a_failed_call_copies_nothing_back(
    stub: Stub, method: str, untouched: dict[str, str]
) -> None:
    lines = stub(method, "39")
    got = results(lines)
    assert {name: got[name] for name in untouched} == untouched
    assert lines[-1] == "status=39 leaked=0"


def test_open_and_close_go_to_the_library(stub: Stub) -> None:
    uri = "file:///libwire_skel.so?wire_skel_handle_invoke&_modver=1.0&_idlver=1.2.3&_dom=cdsp"
    assert stub("open") == [f"open {uri}", "opened=0700000000000000", "status=0 leaked=0"]
    assert stub("open", "39")[-1] == "status=39 leaked=0"
    assert stub("close") == ["close 5", "status=0 leaked=0"]


def test_shared_buffers_are_registered_before_the_call(stub: Stub) -> None:
    assert stub("dma")[:2] == ["register 11 8192", "register 12 128"]
    registered = ["register 20 8192", "register 21 8192", "register 50 256", "register 11 128"]
    assert stub("dmas 2 1")[:4] == registered


BAD_PARAMETER = {"status=14 leaked=0", f"status={0x8000040E - 2**32} leaked=0"}
UNSUPPORTED = {"status=20 leaked=0", f"status={0x80000414 - 2**32} leaked=0"}
NO_MEMORY = {"status=2 leaked=0", f"status={0x80000402 - 2**32} leaked=0"}


@pytest.mark.parametrize(
    "method",
    [
        "sequence_rout null",
        "sequence_in negative",
        "sequence_in null result",
        "texts null",
        "inrout_wide unterminated",
        "strings_in null",
        "pair_rout null",
        "pair_rout negative",
        "dma refused",
        "dmas null",
        "dmas -1 0",
        "dmas 0 -1",
        "dmas 3 0 99",
    ],
)
def test_what_the_caller_got_wrong_is_not_sent(stub: Stub, method: str) -> None:
    lines = stub(method)
    assert sent(lines) == []
    assert lines[-1] in BAD_PARAMETER


def test_as_many_buffers_as_a_call_carries(stub: Stub) -> None:
    assert sent(stub("strings_in 252"))[0] == "0cfe0000"
    lines = stub("strings_in 254")
    assert sent(lines) == []
    assert lines[-1] in UNSUPPORTED


def test_as_many_handles_as_a_call_carries(stub: Stub) -> None:
    """The single handle counts too; what is too many is what the code of qaic answers."""
    most = sent(stub("dmas 14 15"))
    assert most[0] == "190100ff"
    assert most[-1] == "handle=64+0"
    assert most[2 + 14] == "handle=11+64"
    for method in ("dmas 15 0", "dmas 16 0", "dmas 0 16"):
        lines = stub(method)
        assert sent(lines) == []
        assert lines[-1] in BAD_PARAMETER


@pytest.mark.parametrize(
    "method", ["pairs_in", "pairs_rout", "reports_rout", "mixed", "dmas_mixed"]
)
def test_running_out_of_memory_is_an_error_that_leaves_nothing_behind(
    stub: Stub, method: str
) -> None:
    for good in range(20):
        lines = stub(method, "0", str(good))
        if lines[-1] == "status=0 leaked=0":
            assert good > 1
            return
        assert sent(lines) == []
        assert lines[-1] in NO_MEMORY
    pytest.fail("every allocation failed")
