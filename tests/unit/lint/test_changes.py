"""Interfaces compared with those of the last release."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.lint.changes import needed_version, version_numbers
from tests.unit.lint.linted import lint_texts

METHODS = "long sum(in sequence<long> v, rout long r); long get(rout string name); "


def interface(methods: str, version: str = "1.2.0", extra: str = "") -> str:
    constant = f'const string IDL_VERSION = "{version}";\n' if version else ""
    return f'#include "remote.idl"\n{constant}{extra}interface c : remote_handle64 {{ {methods} }};'


def messages(folder: Path, before: str, now: str) -> list[str]:
    return [f.message for f in lint_texts(folder, {"c.idl": before}, c_idl=now).findings]


@pytest.mark.parametrize(
    ("methods", "expected"),
    [
        (METHODS, []),
        (METHODS.replace("in sequence<long> v", "in sequence<long> values"), []),
        (METHODS.replace("sum", "total"), []),  # the number and the parameters are the same
        ("/** Text. */ " + METHODS, []),
        (METHODS.replace("rout long r", "rout unsigned long r"), []),  # the same bytes
        ("long get(rout string name); ", ["method sum is gone"]),
        ("long new(in long a); " + METHODS, ["the number of method sum, and of 1 more, changed"]),
        (METHODS.replace("<long> v", "<short> v"), ["the type of `v` of method sum changed"]),
        (METHODS.replace("rout long r", "rout float r"), ["the type of `r` of method sum changed"]),
        (METHODS.replace("in seq", "inrout seq"), ["the direction of `v` of method sum changed"]),
        (
            METHODS.replace("rout string name", "rout string name, in long n"),
            ["the number of parameters of method get changed"],
        ),
        (METHODS + "long new(in long a);", ["method new is new"]),
    ],
)
def test_changes(methods: str, expected: list[str], tmp_path: Path) -> None:
    before, now = interface(METHODS), interface(methods)
    if expected and "gone" in expected[0]:
        expected = [*expected, "the number of method get changed"]

    assert messages(tmp_path, before, now) == expected


def test_a_break_without_versions(tmp_path: Path) -> None:
    before, now = interface(METHODS, ""), interface("long get(rout string name);", "")

    found = lint_texts(tmp_path, {"c.idl": before}, c_idl=now).findings

    assert all("last release (no version) and" in finding.why for finding in found)
    assert {finding.remedy for finding in found} == {
        "Append methods and keep the others, or set IDL_VERSION to 1.0.0."
    }


def test_new_methods_are_not_named_beside_a_break(tmp_path: Path) -> None:
    now = METHODS.replace("rout long r", "rout float r") + "long new(in long a);"

    assert messages(tmp_path, interface(METHODS), interface(now)) == [
        "the type of `r` of method sum changed"
    ]


def test_a_struct_and_an_enum(tmp_path: Path) -> None:
    pair = "struct pair { long a; long b; };\n"
    triple = pair.replace("long b;", "long b; long c;")
    method = "long f(in pair p);"

    assert messages(tmp_path, interface(method, extra=pair), interface(method, extra=triple)) == [
        "the type of `p` of method f changed"
    ]
    states = "enum state { off, on };\n"
    more = states.replace("on }", "on, idle }")
    method = "long f(in state s);"
    assert messages(tmp_path, interface(method, extra=states), interface(method, extra=more)) == []


def test_an_interface_that_is_gone(tmp_path: Path) -> None:
    now = interface(METHODS).replace("interface c", "interface d")

    assert messages(tmp_path, interface(METHODS), now) == ["interface c is gone"]


@pytest.mark.parametrize(
    ("before", "now", "needs"),
    [
        ("1.2.0", "1.2.0", "2.0.0"),
        ("1.2.0", "1.3.0", "2.0.0"),
        ("1.2.0", "2.0.0", ""),
        ("1.2.0", "2", ""),
        ("1.2.0", "3.1", ""),
        ("1.2.0", "", "2.0.0"),
        ("", "", "1.0.0"),
        ("", "1.0.0", ""),
    ],
)
def test_the_version_that_a_break_needs(before: str, now: str, needs: str, tmp_path: Path) -> None:
    changed = METHODS.replace("<long> v", "<short> v")
    old, new = interface(METHODS, before), interface(changed, now)

    found = lint_texts(tmp_path, {"c.idl": old}, c_idl=new).findings

    assert [f"IDL_VERSION to {needs}." in f.remedy for f in found] == ([True] if needs else [])


def test_the_version_that_a_new_method_needs(tmp_path: Path) -> None:
    more = METHODS + "long new(in long a);"

    found = lint_texts(tmp_path, {"c.idl": interface(METHODS)}, c_idl=interface(more)).findings

    assert [f.remedy for f in found] == ["Set IDL_VERSION to 1.3.0."]
    assert messages(tmp_path, interface(METHODS), interface(more, "1.3.0")) == []


def test_versions() -> None:
    assert version_numbers("1.0.0") == version_numbers("1") < version_numbers("1.0.1")
    assert version_numbers(None) < version_numbers("0.1")
    assert needed_version("2", breaks=False) == "2.1.0"
    assert needed_version("2.1.7", breaks=True) == "3.0.0"
