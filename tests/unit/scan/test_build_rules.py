"""The build statements of build.ninja, as CMake writes them."""

from __future__ import annotations

from pathlib import Path

from buildtool.drivers.cmake.scan.ninja import REGENERATION, read_build_rules

TEXT = """\
ninja_required_version = 1.5
cmake_ninja_workdir = {tree}/
build cmake_object_order_depends_target_app: phony || .
build CMakeFiles/app.dir/a$ b.c.o: C_COMPILER__app_unscanned_Release {tree}/../a$ b.c || order
  DEP_FILE = CMakeFiles/app.dir/a$ b.c.o.d
build libapp.so.1 | lib$$x: C_SHARED_LIBRARY_LINKER__app_Release CMakeFiles/app.dir/a$ b.c.o | dep
  POST_BUILD = :
  PRE_LINK = :
build libb.so: C_SHARED_LIBRARY_LINKER__b_Release b.o
  POST_BUILD = cd {tree} && cp libb.so all/
  PRE_LINK = :
build libc.so: C_SHARED_LIBRARY_LINKER__c_Release c.o
  POST_BUILD = :
  PRE_LINK = echo x >> log
build gen.h | ${{cmake_ninja_workdir}}gen.h: CUSTOM_COMMAND in$:.txt
  COMMAND = cd {tree} && cat in >> gen.h && cmake -E cmake_transform_depfile Ninja gccdepfile \
{tree}/.. {tree}/.. {tree} {tree} "{tree}/a b.d" {tree}/CMakeFiles/d/1.d
build all: phony libapp.so.1
build build.ninja cmake_install.cmake: RERUN_CMAKE CMakeFiles/cmake.verify_globs | CMakeCache.txt
  pool = console
"""


def test_each_rule(tmp_path: Path) -> None:
    (tmp_path / "build.ninja").write_text(TEXT.format(tree=tmp_path))

    compiled, app, b, c, gen, cmake = read_build_rules(tmp_path)

    assert compiled.outputs == (f"{tmp_path}/CMakeFiles/app.dir/a b.c.o",)
    assert compiled.inputs == (f"{tmp_path}/../a b.c", f"{tmp_path}/order")
    assert app.outputs == (f"{tmp_path}/libapp.so.1", f"{tmp_path}/lib$x")
    assert gen.outputs == (f"{tmp_path}/gen.h",)
    assert gen.inputs == (f"{tmp_path}/in:.txt",)
    assert gen.depfile == f"{tmp_path}/a b.d"
    assert cmake.rule == REGENERATION
    rules = (compiled, app, b, c, gen, cmake)
    assert [rule.compiles for rule in rules] == [True, False, False, False, False, False]
    assert [rule.is_custom for rule in rules] == [False, False, True, True, True, False]
    assert [rule.appends for rule in rules] == [False, False, False, True, True, False]
