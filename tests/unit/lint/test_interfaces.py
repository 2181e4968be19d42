"""Rules about IDL files: what is found, and what beside it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.lint.linted import lint_texts, rules_of

TYPES = """\
typedef sequence<octet> bytes; struct point { float x; float y; }; typedef long code;
enum state { off, on };
"""


def found(methods: str, folder: Path) -> list[str]:
    """The rules that find something in an interface with these methods."""
    result = lint_texts(folder, a_idl=f"{TYPES}interface a {{ {methods} }};")
    assert not result.skipped
    return [rule for rule, _ in rules_of(result)]


@pytest.mark.parametrize(
    "parameter",
    [
        "in sequence<uint8> dst",
        "in sequence<float> out_buf",
        "in bytes outputData",
        "in sequence<float> y_out",
        "in sequence<float> out0",
        "in sequence<octet> inputs, in sequence<octet> outputs",
        "in sequence<float> results",
        # The names of outputs in the templates of `init`.
        "in sequence<float> x, in sequence<float> y",
        "in int16 factor, in sequence<int16> a, in sequence<int16> b, in sequence<int16> result",
    ],
)
def test_an_output_declared_in(parameter: str, tmp_path: Path) -> None:
    assert found(f"long f({parameter});", tmp_path) == ["idl-output-in"]


@pytest.mark.parametrize(
    "parameter",
    [
        "rout sequence<uint8> dst, in long n",
        "inrout sequence<uint8> dst",
        "in sequence<long> out_shape",
        "in sequence<float> without",
        "in sequence<float> x",
        "in long dst",
        "in string output",
        "in sequence<string> outputs",
        "in sequence<point> output",
        "in sequence<point> inputs, in sequence<point> outputs",
        "in sequence<uint32> inputs, in sequence<uint32> outputs",
        "in sequence<uint32> output_dims, in sequence<int32> out_offsets",
        "in sequence<octet> dst_config",
        "in point output",
        "in sequence<float> x, in sequence<float> y, rout float distance",
        "in sequence<float> result, rout float error",
        "in dmahandle dst",
    ],
)
def test_other_parameters(parameter: str, tmp_path: Path) -> None:
    assert found(f"long f({parameter});", tmp_path) == []


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("rout sequence<octet> data", ["idl-capacity"]),
        ("rout bytes a, rout sequence<float> b", ["idl-capacity"]),
        ("rout sequence<octet> data, rout long count", []),
        ("in long n, rout sequence<octet> data", []),
        ("in sequence<float> x, rout sequence<float> y", []),
        ("rout string name", []),
        ("rout long count", []),
        ("", []),
    ],
)
def test_a_capacity(parameters: str, expected: list[str], tmp_path: Path) -> None:
    assert found(f"long f({parameters});", tmp_path) == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("long", []),
        ("code", []),
        ("void", []),
        ("int32", []),
        ("uint32_t", []),
        ("short", ["idl-result"]),
        ("boolean", ["idl-result"]),
        ("state", ["idl-result"]),
        ("long long", ["idl-result"]),
        ("float", ["idl-result"]),
    ],
)
def test_a_result(result: str, expected: list[str], tmp_path: Path) -> None:
    assert found(f"{result} f(in long a);", tmp_path) == expected


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("in sequence<octet, 2147483647> a", []),
        ("in sequence<point, 536870911> a", []),
        ("in sequence<point, 536870912> a", ["idl-sequence-size"]),
        (
            "in sequence<octet, 2147483647> a, rout sequence<short, 1073741825> b",
            ["idl-sequence-size"],
        ),
        ("in sequence<octet> a, in string<100> b", []),
        ("in sequence<string, 1000> a", []),
    ],
)
def test_a_sequence_size(parameters: str, expected: list[str], tmp_path: Path) -> None:
    assert found(f"long f({parameters});", tmp_path) == expected


def test_the_reason_has_the_sum(tmp_path: Path) -> None:
    one = "interface a { long f(in sequence<double, 2000000000> a); };"
    more = "in sequence<octet, 2000000000> a, in sequence<short, 2000000000> b"
    two = f"interface b {{ long f({more}); }};"

    result = lint_texts(tmp_path, a_idl=one, b_idl=two)

    assert [finding.why for finding in result.findings] == [
        "a call has at most 2^32 - 1 bytes of arguments",
        "with the parameters before it 6,000,000,000, more than 2^32 - 1",
    ]


def test_methods_of_an_included_file_are_not_found_twice(tmp_path: Path) -> None:
    base = "interface base { short f(in long a); };"
    own = '#include "base.idl"\ninterface own : base { long g(in long a); };'

    result = lint_texts(tmp_path, base_idl=base, own_idl=own)

    assert [(f.place.path, f.rule) for f in result.findings] == [("base.idl", "idl-result")]


def test_an_invalid_interface_is_named_with_its_reason(tmp_path: Path) -> None:
    result = lint_texts(tmp_path, a_idl="interface a { lng f(); };")

    assert result.findings == ()
    assert "lng" in result.skipped["a.idl"]
