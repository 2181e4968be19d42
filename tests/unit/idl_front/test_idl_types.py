"""Types and declarations, and their models."""

from __future__ import annotations

import pytest

from buildtool.idl.model import (
    Alias,
    Array,
    DmaHandle,
    Enum,
    Member,
    Primitive,
    Sequence,
    String,
    Struct,
)
from tests.unit.idl_front.idl_files import IdlFiles


@pytest.mark.parametrize(
    ("text", "primitive"),
    [
        ("octet", Primitive.OCTET),
        ("char", Primitive.CHAR),
        ("wchar", Primitive.WCHAR),
        ("boolean", Primitive.BOOLEAN),
        ("short", Primitive.SHORT),
        ("unsigned short", Primitive.USHORT),
        ("long", Primitive.LONG),
        ("unsigned long", Primitive.ULONG),
        ("long long", Primitive.LONGLONG),
        ("unsigned long long", Primitive.ULONGLONG),
        ("float", Primitive.FLOAT),
        ("double", Primitive.DOUBLE),
        ("int8", Primitive.INT8),
        ("uint8", Primitive.UINT8),
        ("int16", Primitive.INT16),
        ("uint16", Primitive.UINT16),
        ("int32", Primitive.INT32),
        ("uint32", Primitive.UINT32),
        ("int64", Primitive.INT64),
        ("uint64", Primitive.UINT64),
        ("int8_t", Primitive.INT8_T),
        ("uint8_t", Primitive.UINT8_T),
        ("int16_t", Primitive.INT16_T),
        ("uint16_t", Primitive.UINT16_T),
        ("int32_t", Primitive.INT32_T),
        ("uint32_t", Primitive.UINT32_T),
        ("int64_t", Primitive.INT64_T),
        ("uint64_t", Primitive.UINT64_T),
    ],
)
def test_basic_types(idl: IdlFiles, text: str, primitive: Primitive) -> None:
    assert idl.method(f"long f(in {text} a);").parameters[0].type is primitive


def test_the_kind_of_a_basic_type_has_the_same_size_and_belongs_to_the_default_mode() -> None:
    for each in Primitive:
        assert each.kind.size == each.size
        assert each.kind.kind is each.kind
        assert not each.kind.c_name.endswith("64_t")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("sequence<long>", Sequence(Primitive.LONG)),
        ("sequence<long, 3>", Sequence(Primitive.LONG, 3)),
        ("sequence<long, (16 >> 2)>", Sequence(Primitive.LONG, 4)),
        ("sequence<long, 0>", Sequence(Primitive.LONG)),
        ("string", String()),
        ("string<7>", String(bound=7)),
        ("wstring", String(wide=True)),
        ("wstring<1 << 3>", String(wide=True, bound=8)),
        ("sequence<string>", Sequence(String())),
        ("sequence<string<8>>", Sequence(String(bound=8))),
        ("sequence< wstring<8> , 2>", Sequence(String(wide=True, bound=8), 2)),
        ("dmahandle", DmaHandle()),
        ("sequence<dmahandle>", Sequence(DmaHandle())),
        ("sequence<dmahandle, 15>", Sequence(DmaHandle(), 15)),
        ("longs", Alias("longs", Sequence(Primitive.LONG))),
        ("sequence<longs>", Sequence(Alias("longs", Sequence(Primitive.LONG)))),
        ("ten", Alias("ten", Array(Primitive.SHORT, 10))),
        ("::ten", Alias("ten", Array(Primitive.SHORT, 10))),
    ],
)
def test_composed_types(idl: IdlFiles, text: str, kind: object) -> None:
    before = "typedef sequence<long> longs; typedef short ten[10];"
    assert idl.method(f"long f(in {text} a);", before).parameters[0].type == kind


def test_struct_members_keep_their_order_and_arrays(idl: IdlFiles) -> None:
    unit = idl.load("struct s { long a, b[2]; sequence<float> data; string name; };")
    assert unit.declarations == (
        Struct(
            "s",
            (
                Member("a", Primitive.LONG),
                Member("b", Array(Primitive.LONG, 2)),
                Member("data", Sequence(Primitive.FLOAT)),
                Member("name", String()),
            ),
        ),
    )


def test_enum_counts_from_zero_and_keeps_its_comments(idl: IdlFiles) -> None:
    unit = idl.load("enum colour { RED, ///< like blood\n GREEN, /**< grass */ BLUE };")
    enum = unit.declarations[0]
    assert enum == Enum("colour", ("RED", "GREEN", "BLUE"))
    assert isinstance(enum, Enum)
    assert enum.enumerator_docs == ("like blood", "grass", "")


def test_typedef_of_several_names(idl: IdlFiles) -> None:
    unit = idl.load("typedef long a, b[3];")
    assert unit.declarations == (
        Alias("a", Primitive.LONG),
        Alias("b", Array(Primitive.LONG, 3)),
    )


def test_typedef_of_a_new_struct_makes_both_names(idl: IdlFiles) -> None:
    point = Struct("point_s", (Member("x", Primitive.FLOAT),))
    unit = idl.load("typedef struct point_s { float x; } point;")
    assert unit.declarations == (point, Alias("point", point))


def test_typedef_of_a_new_enum_makes_both_names(idl: IdlFiles) -> None:
    unit = idl.load("typedef enum mode_e { OFF, ON } mode;")
    assert unit.declarations == (
        Enum("mode_e", ("OFF", "ON")),
        Alias("mode", Enum("mode_e", ("OFF", "ON"))),
    )


def test_typedef_chain_is_kept(idl: IdlFiles) -> None:
    method = idl.method("long f(in b x);", "typedef long a; typedef a b;")
    assert method.parameters[0].type == Alias("b", Alias("a", Primitive.LONG))


def test_nested_structs_and_sequences_of_structs(idl: IdlFiles) -> None:
    unit = idl.load(
        "struct in1 { sequence<long> l; }; struct out1 { in1 one; sequence<in1> many; };"
    )
    inner = Struct("in1", (Member("l", Sequence(Primitive.LONG)),))
    assert unit.declarations[1] == Struct(
        "out1", (Member("one", inner), Member("many", Sequence(inner)))
    )


@pytest.mark.parametrize(
    "text",
    [
        "struct s { long restrict; };",
        "typedef long restrict;",
        "struct restrict { long a; };",
        "const long restrict = 1;",
    ],
)
def test_reserved_words_of_c_get_a_prefix(idl: IdlFiles, text: str) -> None:
    assert "_cxx_restrict" in repr(idl.load(text).declarations[0])


def test_reserved_words_as_parameters_methods_and_enumerators(idl: IdlFiles) -> None:
    method = idl.method("long volatile(in long for);")
    assert (method.name, method.parameters[0].name) == ("_cxx_volatile", "_cxx_for")
    enum = idl.load("enum e { auto };").declarations[0]
    assert isinstance(enum, Enum)
    assert enum.enumerators == ("_cxx_auto",)


def test_a_scoped_name_needs_no_prefix(idl: IdlFiles) -> None:
    struct = idl.load("module M { struct register { long a; }; };").declarations[0]
    assert isinstance(struct, Struct)
    assert struct.c_name == "M_register"
