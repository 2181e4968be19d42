"""Interfaces, methods, modules and scopes."""

from __future__ import annotations

import pytest

from buildtool.idl.model import (
    Alias,
    Constant,
    Direction,
    Handle,
    Method,
    Parameter,
    Primitive,
    Sequence,
    String,
    Struct,
)
from tests.unit.idl_front.idl_files import IdlFiles


def names(methods: tuple[Method, ...]) -> list[str]:
    return [method.name for method in methods]


def test_a_plain_interface_has_its_own_methods_only(idl: IdlFiles) -> None:
    interface = idl.interface("interface calc { long sum(in long a, rout long r); };")
    assert not interface.multi_domain
    assert interface.base is None
    assert interface.methods == (
        Method(
            "sum",
            (
                Parameter("a", Direction.IN, Primitive.LONG),
                Parameter("r", Direction.ROUT, Primitive.LONG),
            ),
            Primitive.LONG,
        ),
    )


def test_a_remote_handle_brings_open_and_close(idl: IdlFiles) -> None:
    interface = idl.interface(
        '#include "remote.idl"\ninterface calc : remote_handle64 { long sum(); };'
    )
    assert interface.multi_domain
    assert interface.base == "remote_handle64"
    assert names(interface.methods) == ["open", "close", "sum"]
    opening, closing = interface.methods[:2]
    assert [each.type for each in opening.parameters] == [String(), Handle()]
    assert [each.direction for each in opening.parameters] == [Direction.IN, Direction.ROUT]
    assert [each.type for each in closing.parameters] == [Handle()]


def test_inheritance_puts_the_parents_methods_first(idl: IdlFiles) -> None:
    idl.write(
        "base.idl",
        '#include "remote.idl"\n'
        "interface base : remote_handle64 { struct s { long x; }; long one(in s a); };\n",
    )
    unit = idl.load(
        '#include "base.idl"\n'
        "interface middle : base { long two(in s a); };\n"
        "interface leaf : middle { long three(in base::s a, in middle::s b, in leaf::s c); };"
    )
    middle, leaf = unit.interfaces
    assert names(middle.methods) == ["open", "close", "one", "two"]
    assert names(leaf.methods) == ["open", "close", "one", "two", "three"]
    assert leaf.multi_domain
    assert leaf.base == "middle"
    struct = Struct("base_s", leaf.methods[2].parameters[0].type.members)  # type: ignore[union-attr]
    assert [each.type for each in leaf.methods[4].parameters] == [struct] * 3


def test_results(idl: IdlFiles) -> None:
    assert idl.method("void f();").result is None
    assert idl.method("int32 f();").result is Primitive.INT32
    assert idl.method("unsigned long f();").result is Primitive.ULONG
    assert idl.method("AEEResult f();", '#include "AEEStdDef.idl"').result == Alias(
        "AEEResult", Primitive.LONG
    )


@pytest.mark.parametrize("text", ["float", "octet", "long long", "short", "e"])
def test_numbers_and_enums_are_results_as_in_qaic(idl: IdlFiles, text: str) -> None:
    assert idl.method(f"{text} f();", "enum e { a };").result is not None


@pytest.mark.parametrize("text", ["string", "sequence<long>", "s", "dmahandle"])
def test_other_results_are_refused(idl: IdlFiles, text: str) -> None:
    error = idl.error(f"struct s {{ long a; }}; interface i {{ {text} f(); }};")
    assert error.code == "idl-type"
    assert "AEEResult" in error.remedy


def test_async_methods(idl: IdlFiles) -> None:
    method = idl.method("async long f(in long a, rout sequence<octet> b);")
    assert method.is_async
    assert idl.method("async long f(in dmahandle a, rout sequence<dmahandle> b);").is_async
    for parameter in ("rout long a", "inrout long a", "rout string a", "rout dmahandle a"):
        assert idl.error(f"interface i {{ async long f({parameter}); }};").code == (
            "idl-unsupported"
        )


def test_attributes_make_accessors(idl: IdlFiles) -> None:
    interface = idl.interface("interface i { readonly attribute long a; attribute string b, c; };")
    assert names(interface.methods) == ["Geta", "Getb", "Setb", "Getc", "Setc"]
    assert interface.methods[0] == Method(
        "Geta", (Parameter("value", Direction.ROUT, Primitive.LONG),), Primitive.LONG
    )
    assert interface.methods[2].parameters == (Parameter("value", Direction.IN, String()),)


def test_accessors_return_aeeresult_where_it_is_known(idl: IdlFiles) -> None:
    interface = idl.interface('#include "AEEStdDef.idl"\ninterface i { attribute long a; };')
    assert interface.methods[0].result == Alias("AEEResult", Primitive.LONG)


def test_inrout_of_one_level(idl: IdlFiles) -> None:
    method = idl.method(
        "long f(inrout long a, inrout flat b, inrout sequence<flat> c, inrout wstring d);",
        "struct flat { long x[3]; };",
    )
    assert {each.direction for each in method.parameters} == {Direction.INROUT}


@pytest.mark.parametrize(
    "kind", ["sequence<string>", "nested", "sequence<nested>", "sequence<seq>", "dmahandle", "dmas"]
)
def test_inrout_of_more_is_refused(idl: IdlFiles, kind: str) -> None:
    before = "struct nested { string s; }; typedef sequence<long> seq;"
    before += " typedef dmahandle dma; typedef sequence<dma> dmas;"
    assert idl.error(f"{before} interface i {{ long f(inrout {kind} a); }};").code == (
        "idl-unsupported"
    )


def test_an_interface_has_its_own_scope(idl: IdlFiles) -> None:
    unit = idl.load(
        "struct s { octet o; };\n"
        "interface i { struct s { long x; }; const long N = 2; long f(in s a, in ::s b); };\n"
    )
    outer, inner, constant, interface = unit.declarations
    assert isinstance(inner, Struct)
    assert inner.c_name == "i_s"
    assert constant == Constant("i_N", Primitive.LONG, 2)
    assert [each.type for each in unit.interfaces[0].methods[0].parameters] == [inner, outer]
    assert interface is unit.interfaces[0]


def test_modules_nest_and_reopen(idl: IdlFiles) -> None:
    unit = idl.load(
        "module A { typedef long t; module B { typedef t u; }; };\n"
        "module A { struct s { t a; B::u b; A::B::u c; ::A::t d; };\n"
        "  interface i { long f(in s a); }; };\n"
    )
    assert [each.c_name for each in unit.declarations] == ["A_t", "A_B_u", "A_s", "A_i"]
    assert unit.interfaces[0].name == "i"


def test_forward_declarations(idl: IdlFiles) -> None:
    unit = idl.load("interface i; interface i; interface i { long f(); }; interface i;")
    assert names(unit.interfaces[0].methods) == ["f"]
    assert idl.load("interface never;").declarations == ()


def test_inherited_types_may_be_declared_again(idl: IdlFiles) -> None:
    unit = idl.load(
        "interface a { typedef long t; }; interface b : a { typedef octet t; long f(in t x); };"
    )
    assert unit.interfaces[1].methods[0].parameters[0].type == Alias("b_t", Primitive.OCTET)


def test_many_methods(idl: IdlFiles) -> None:
    interface = idl.interface(
        "interface i {" + "".join(f"long m{index}(in long a);" for index in range(300)) + "};"
    )
    assert len(interface.methods) == 300


def test_idl_version(idl: IdlFiles) -> None:
    text = '#include "remote.idl"\nconst string IDL_VERSION = "1.20.300";\n'
    unit = idl.load(text + "interface i : remote_handle64 {};")
    assert unit.idl_version == "1.20.300"
    assert idl.load('const string other = "1.2.3";').idl_version is None
    for short in ("1.2", "1"):
        assert idl.load(f'const string IDL_VERSION = "{short}";').idl_version == short
    for bad in ("1.", "1.2.3.4", "1.2.x", "", "1.2.3456", "1..3"):
        error = idl.error(f'const string IDL_VERSION = "{bad}";')
        assert (error.code, error.location and error.location.column) == ("idl-version", 14)


def test_the_version_of_an_included_file_counts(idl: IdlFiles) -> None:
    idl.write("base.idl", 'const string IDL_VERSION = "3.2.1";')
    assert idl.load('#include "base.idl"').idl_version == "3.2.1"


def test_sequences_are_compared_by_what_they_hold(idl: IdlFiles) -> None:
    assert idl.method("long f(in sequence<octet> a);").parameters[0].type == Sequence(
        Primitive.OCTET
    )
