"""Interfaces without handles, unsigned results and async methods, in a real program."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.idl.compile import compile_idl
from tests.integration.idl.idl_rig import HERE, build, run

PLAIN = """
module lib { interface base { long low(in long a, rout short r); }; };
interface plain : lib::base { long text(in string s); unsigned long fails(rout long r); };
"""
TASKS = """
#include "remote.idl"
interface tasks : remote_handle64 {
    async long later(in sequence<long> v, rout sequence<long> r);
};
"""
# The names of a stub and an implementation collide: the generator's hooks rename them.
RENAMED = "".join(f"#define __QAIC_{side}(ff) implementation_##ff\n" for side in ("HEADER", "IMPL"))


def program(tmp_path: Path, *flags: str) -> list[str]:
    sources = [HERE / "loop" / "plain_main.c"]
    for name, text in (("plain", PLAIN), ("tasks", TASKS)):
        (tmp_path / f"{name}.idl").write_text(text)
        compile_idl(tmp_path / f"{name}.idl", (), (), tmp_path)
        skel = tmp_path / f"renamed_{name}.c"
        skel.write_text(f'{RENAMED}#include "{name}_skel.c"\n')
        sources += [tmp_path / f"{name}_stub.c", skel]
    renamed = "-D__QAIC_IMPL(ff)=implementation_##ff"
    return build("native", tmp_path / "program", sources, [renamed, *flags])


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The output of the program with a library that supports asynchronous calls."""
    return run(program(tmp_path_factory.mktemp("with"), "-DWITH_ASYNC")).splitlines()


def test_a_handle_that_cannot_be_opened_is_an_error_and_tried_again(lines: list[str]) -> None:
    assert lines[:3] == ["open plain", "status 2c", "open plain"]


def test_the_handle_is_opened_once(lines: list[str]) -> None:
    assert lines.count("open plain") == 2
    assert lines[3:7] == [
        "invoke 2 00010100",
        "status 0 low 2",
        "invoke 2 01020000",
        "text hey",
    ]


def test_an_unsigned_result_is_the_code_and_no_value_comes_back(lines: list[str]) -> None:
    assert "status 80000442 kept 7" in lines


def test_an_async_method_uses_the_asynchronous_call(lines: list[str]) -> None:
    assert lines[-3:] == ["async 5 1", "later 5 1", "status 0 r 3 4"]


def test_a_library_without_asynchronous_calls_leaves_them_unsupported(tmp_path: Path) -> None:
    assert run(program(tmp_path)).splitlines()[-1] == "status 14 r 0 0"
