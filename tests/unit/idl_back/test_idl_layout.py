"""The wire layout of methods is that of qaic."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from buildtool.idl.method_layout import WireBuffer, WireHandle, WireMethod, WireRecord, wire_methods
from buildtool.idl.model import Unit

Wire = Callable[..., WireMethod]


def offsets(record: WireRecord) -> dict[str, int]:
    return {field.name: field.offset for field in record.fields}


@pytest.mark.parametrize(
    ("parameters", "counts", "prim_in", "prim_rout"),
    [
        pytest.param("in long a", (1, 0, 0, 0), {"a": 0}, {}, id="scalar"),
        pytest.param(
            "in sequence<long> v, rout long long r",
            (2, 1, 0, 0),
            {"vLen": 0},
            {"r": 0},
            id="sequence",
        ),
        pytest.param(
            "in short a, in long long b, in octet c, rout short d, rout double e",
            (1, 1, 0, 0),
            {"a": 0, "b": 8, "c": 16},
            {"d": 0, "e": 8},
            id="alignment",
        ),
        pytest.param(
            "inrout long x, inrout sequence<octet> b",
            (2, 2, 0, 0),
            {"x": 0, "bInLen": 4, "bRoutLen": 8},
            {"x": 0},
            id="inrout",
        ),
        pytest.param(
            "in string s, rout string o, in wstring w, rout wstring wo",
            (3, 2, 0, 0),
            {"sLen": 0, "oLen": 4, "wLen": 8, "woLen": 12},
            {},
            id="strings",
        ),
        pytest.param(
            "inrout wstring w, in long long q",
            (2, 1, 0, 0),
            {"wInLen": 0, "wRoutLen": 4, "q": 8},
            {},
            id="inrout-wstring",
        ),
        pytest.param("rout sequence<float> r", (1, 1, 0, 0), {"rLen": 0}, {}, id="rout-sequence"),
        pytest.param("in dmahandle d", (0, 0, 1, 0), {}, {}, id="dmahandle"),
        pytest.param("", (0, 0, 0, 0), {}, {}, id="no-parameters"),
        pytest.param(
            "in rec s, rout long r", (3, 1, 0, 0), {"s": 0}, {"r": 0}, id="struct-of-sequences"
        ),
        pytest.param("in sequence<string> s", (2, 0, 0, 0), {"sLen": 0}, {}, id="strings-of-n"),
        pytest.param(
            "in kind k, in boolean b", (1, 0, 0, 0), {"k": 0, "b": 4}, {}, id="enum-boolean"
        ),
        pytest.param(
            "inrout long x, inrout sequence<octet> b, in octet o",
            (2, 2, 0, 0),
            {"x": 0, "bInLen": 4, "bRoutLen": 8, "o": 12},
            {"x": 0},
            id="inrout-then-octet",
        ),
        pytest.param(
            "in octet o, in mixed f, in id i, rout id j",
            (1, 1, 0, 0),
            {"o": 0, "f": 8, "i": 24},
            {"j": 0},
            id="flat-struct-and-array",
        ),
        pytest.param(
            "in octet o, in holder h, rout holder g",
            (3, 3, 0, 0),
            {"o": 0, "h": 8, "g": 32},
            {"g": 0},
            id="nested-struct",
        ),
        pytest.param("rout dmahandle d", (0, 0, 0, 1), {}, {}, id="rout-dmahandle"),
        pytest.param(
            "in octet o, in sequence<dmahandle> a, rout sequence<dmahandle> b, in dmahandle c",
            (1, 0, 1, 0),
            {"o": 0, "aLen": 4, "bLen": 8},
            {},
            id="dmahandle-sequences",
        ),
    ],
)
def test_records_and_counts(
    wire: Wire,
    parameters: str,
    counts: tuple[int, int, int, int],
    prim_in: dict[str, int],
    prim_rout: dict[str, int],
) -> None:
    method = wire(parameters)
    assert method.counts == counts
    assert offsets(method.prim_in) == prim_in
    assert offsets(method.prim_rout) == prim_rout


@pytest.mark.parametrize(
    ("parameters", "size", "padded"),
    [
        ("in octet o", 1, 1),
        ("in long long q, in octet o", 9, 16),
        ("in kind k, in boolean b", 5, 8),
        ("in short a, in octet b", 3, 4),
        ("in mixed f", 16, 16),
        ("in holder h", 24, 24),
    ],
)
def test_the_stub_rounds_prim_in_up(wire: Wire, parameters: str, size: int, padded: int) -> None:
    record = wire(parameters).prim_in
    assert (record.size, record.padded) == (size, padded)


def test_a_sequence_of_handles_has_a_length_and_handles_in_the_order_of_the_parameters(
    wire: Wire,
) -> None:
    method = wire("in dmahandle a, in sequence<dmahandle> b, rout dmahandle c, in dmahandle d")
    assert method.inputs == (WireBuffer("primIn", 4),)
    assert method.outputs == ()
    assert method.in_handles == (WireHandle("a"), WireHandle("b", repeated=True), WireHandle("d"))
    assert method.out_handles == (WireHandle("c"),)


def test_lengths_in_a_struct_stand_in_prim_in_in_place_of_the_struct(wire: Wire) -> None:
    (field,) = wire("in rec s").prim_in.fields
    assert (field.size, field.alignment) == (8, 4)
    assert wire("in rec s").inputs == (
        WireBuffer("primIn", 8),
        WireBuffer("s.a", 4),
        WireBuffer("s.n", 1),
    )


def test_a_rout_struct_offers_room_in_prim_in_and_returns_values_in_prim_rout(wire: Wire) -> None:
    method = wire("rout holder h")
    assert method.inputs == (WireBuffer("primIn", 8),)
    assert method.outputs == (
        WireBuffer("primROut", 16),
        WireBuffer("h.inner.a", 4),
        WireBuffer("h.inner.n", 1),
    )


def test_elements_have_a_buffer_of_records_before_their_own_buffers(wire: Wire) -> None:
    method = wire("in sequence<rec> s, in octet o")
    assert method.inputs == (
        WireBuffer("primIn", 5),
        WireBuffer("s[]", 8),
        WireBuffer("s[].a", 4, repeated=True),
        WireBuffer("s[].n", 1, repeated=True),
    )


def test_rout_elements_offer_room_in_an_in_buffer_and_return_values_in_a_rout_one(
    wire: Wire,
) -> None:
    method = wire("rout sequence<holder> s")
    assert method.inputs == (WireBuffer("primIn", 4), WireBuffer("s[]", 8))
    assert method.outputs == (
        WireBuffer("s[]", 16),
        WireBuffer("s[].inner.a", 4, repeated=True),
        WireBuffer("s[].inner.n", 1, repeated=True),
    )


def test_rout_elements_without_values_have_no_rout_buffer_of_records(wire: Wire) -> None:
    method = wire("rout sequence<string> s")
    assert method.inputs == (WireBuffer("primIn", 4), WireBuffer("s[]", 4))
    assert method.outputs == (WireBuffer("s[].data", 1, repeated=True),)


def test_a_sequence_of_typedefd_sequences_counts_each_of_them(wire: Wire) -> None:
    assert wire("in sequence<longs> s").inputs == (
        WireBuffer("primIn", 4),
        WireBuffer("s[]", 4),
        WireBuffer("s[].data", 4, repeated=True),
    )


def test_open_has_a_uri_and_an_out_handle_close_has_an_in_handle(
    load_text: Callable[[str], Unit],
) -> None:
    unit = load_text('#include "remote.idl"\ninterface t : remote_handle64 { long m(); };')
    opening, closing, method = wire_methods(unit.interfaces[0])
    assert (opening.index, opening.counts) == (0, (2, 0, 0, 1))
    assert offsets(opening.prim_in) == {"uriLen": 0}
    assert (closing.index, closing.counts) == (1, (0, 0, 1, 0))
    assert method.index == 2


def test_a_plain_interface_starts_at_0(load_text: Callable[[str], Unit]) -> None:
    unit = load_text("interface t { long m(); };")
    assert wire_methods(unit.interfaces[0])[0].index == 0


def test_from_31_on_the_number_is_in_front_of_prim_in(load_text: Callable[[str], Unit]) -> None:
    methods = " ".join(f"long m{i}(in long long a);" for i in range(34))
    wires = wire_methods(load_text(f"interface t {{ {methods} }};").interfaces[0])
    assert [w.method_field for w in wires] == [*range(31), 31, 31, 31]
    assert offsets(wires[30].prim_in) == {"a": 0}
    assert offsets(wires[31].prim_in) == offsets(wires[33].prim_in) == {"_mid": 0, "a": 8}


def test_from_31_on_a_method_without_parameters_has_a_prim_in(
    load_text: Callable[[str], Unit],
) -> None:
    methods = " ".join(f"long m{i}();" for i in range(32))
    wires = wire_methods(load_text(f"interface t {{ {methods} }};").interfaces[0])
    assert wires[30].counts == (0, 0, 0, 0)
    assert wires[31].counts == (1, 0, 0, 0)


def test_colliding_names_in_prim_in_are_distinguished(wire: Wire) -> None:
    record = wire("inrout sequence<octet> b, in long bInLen").prim_in
    assert offsets(record) == {"bInLen": 0, "bRoutLen": 4, "bInLen_": 8}


def test_bounds_do_not_change_the_layout(wire: Wire) -> None:
    assert wire("in sequence<long, 4> v").prim_in == wire("in sequence<long> v").prim_in
