"""Compiling: which files are written, and when they are not touched."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from buildtool.idl.compile import compile_idl, compiler_files, output_names
from buildtool.idl.errors import IdlError
from tests.unit.idl_front.idl_files import IdlFiles

TEXT = '#include "remote.idl"\ninterface calc : remote_handle64 { long f(in long a); };\n'


def test_files_are_named_after_the_file_and_its_interfaces(idl: IdlFiles) -> None:
    path = idl.write("v.idl", "interface a { long f(); }; interface b { long g(); };")
    out = idl.directory / "out dir"
    written = compile_idl(path, (), (), out)
    names = ["v.h", "a_stub.c", "a_skel.c", "b_stub.c", "b_skel.c"]
    assert sorted(file.name for file in written) == sorted(names)
    assert sorted(file.name for file in out.iterdir()) == sorted(names)
    assert sorted(output_names(path)) == sorted(names)


def test_names_can_be_asked_for_without_writing(idl: IdlFiles) -> None:
    path = idl.write("v.idl", TEXT)
    assert set(output_names(path)) == {"v.h", "calc_stub.c", "calc_skel.c"}
    assert [file.name for file in idl.directory.iterdir()] == ["v.idl"]


def test_a_file_that_stays_the_same_keeps_its_time(idl: IdlFiles) -> None:
    out = idl.directory / "out"
    path = idl.write("v.idl", TEXT)
    for file in compile_idl(path, (), (), out):
        os.utime(file, (1, 1))
    idl.write("v.idl", "// a comment\n" + TEXT)
    assert {file.stat().st_mtime for file in compile_idl(path, (), (), out)} == {1}
    idl.write("v.idl", TEXT.replace("a)", "b)"))
    assert all(file.stat().st_mtime > 1 for file in compile_idl(path, (), (), out))


def test_a_mistake_leaves_nothing_behind(idl: IdlFiles) -> None:
    out = idl.directory / "out"
    with pytest.raises(IdlError):
        compile_idl(idl.write("v.idl", TEXT + "oops"), (), (), out, depfile=out / "v.d")
    assert not out.exists()


def test_a_directory_that_cannot_be_written(idl: IdlFiles) -> None:
    blocked = idl.write("file", "")
    with pytest.raises(IdlError) as caught:
        compile_idl(idl.write("v.idl", TEXT), (), (), blocked)
    assert caught.value.code == "idl-write"


def test_the_depfile_names_all_that_was_read(idl: IdlFiles) -> None:
    included = idl.write("in $c #/types.idl", "typedef long t;")
    path = idl.write("v.idl", '#include "types.idl"\n' + TEXT)
    out, depfile = idl.directory / "out", idl.directory / "out" / "v.d"
    written = compile_idl(path, [included.parent], (), out, depfile=depfile)
    targets, dependencies = parse_depfile(depfile.read_text())
    assert targets == [str(file) for file in written]
    assert depfile not in written
    assert {str(path), str(included)} <= set(dependencies)
    assert {str(file) for file in compiler_files()} <= set(dependencies)
    assert all(Path(name).is_file() for name in dependencies)


@pytest.mark.parametrize("name", ["a\\b/v.idl", "a\tb/v.idl", "a\nb/v.idl"])
def test_what_a_depfile_cannot_name_is_refused(name: str, idl: IdlFiles) -> None:
    path, out = idl.write(name, TEXT), idl.directory / "out"
    with pytest.raises(IdlError) as caught:
        compile_idl(path, (), (), out, depfile=out / "v.d")
    assert caught.value.code == "idl-depfile"
    assert not out.exists()


def test_a_depfile_names_the_file_that_dots_after_a_link_lead_to(idl: IdlFiles) -> None:
    types = idl.write("there/types.idl", "typedef long t;")
    idl.write("there/deep/keep", "")
    idl.write("types.idl", "typedef short t;")
    (idl.directory / "link").symlink_to("there/deep")
    path = idl.write("v.idl", '#include "link/../types.idl"\n' + TEXT)
    depfile = idl.directory / "v.d"
    compile_idl(path, (), (), idl.directory / "out", depfile=depfile)
    assert os.path.realpath(types) in parse_depfile(depfile.read_text())[1]


def parse_depfile(text: str) -> tuple[list[str], list[str]]:
    """Read a depfile as Ninja does."""
    text = text.replace("\\\n", " ")
    left, _, right = text.partition(": ")
    word = re.compile(r"(?:\\[ #]|\$\$|[^\s\\$])+")

    def names(part: str) -> list[str]:
        return [re.sub(r"\\([ #])", r"\1", name).replace("$$", "$") for name in word.findall(part)]

    return names(left), names(right)


def test_the_compiler_knows_its_own_files() -> None:
    names = {file.name for file in compiler_files()}
    assert {"compile.py", "fastrpc.lark", "header.py", "method_layout.py"} <= names


def test_a_directory_whose_name_is_not_utf8(idl: IdlFiles) -> None:
    directory = Path(os.fsdecode(os.fsencode(idl.directory) + b"/\xff"))
    directory.mkdir()
    path = directory / "v.idl"
    path.write_text(TEXT)
    assert compile_idl(path, (), (), directory)
    compile_idl(path, (), (), directory, depfile=directory / "v.d")
    assert os.fsencode(path) in (directory / "v.d").read_bytes()
    path.write_text("oops")
    with pytest.raises(IdlError) as caught:
        compile_idl(path, (), (), directory)
    assert str(caught.value).encode()
