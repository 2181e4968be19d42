"""Files that linkers, assemblers and options of compilers read, and that no tool reports, are
inputs: on both sides, with every compiler.  What a needed component installs counts as files of the
project do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.caches import share
from tests.project import Project
from tests.standins.fixtures import MakeSdk

PROJECT = """
[project]
name = "pair"
[host.app]
source = "app"
[target.sim]
platform = "ubuntu-aarch64"
toolchain = "{toolchain}"
archs = []
"""
SKEL = """
[project]
name = "pair"
[skel.app]
source = "app"
[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]
"""
ENTRY = """
int b_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; (void)s; (void)p; return 0; }
int b_skel_invoke(unsigned s, void *p) { (void)s; (void)p; return 0; }
"""
FILES = {
    "app/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(app C ASM)
configure_file(generated.map.in generated.map COPYONLY)
add_library(b_skel SHARED entry.c data.c macro.c table.S plain.s)
target_include_directories(b_skel PRIVATE first second)
target_compile_definitions(b_skel PRIVATE BLOB="${CMAKE_SOURCE_DIR}/blob.bin")
target_compile_options(b_skel PRIVATE "$<$<COMPILE_LANGUAGE:C>:@${CMAKE_SOURCE_DIR}/flags.rsp>")
set_source_files_properties(plain.s PROPERTIES COMPILE_OPTIONS "-I${CMAKE_SOURCE_DIR}/second")
target_link_options(b_skel PRIVATE "-Wl,--version-script=${CMAKE_SOURCE_DIR}/exports.map")
add_library(other SHARED other.c)
set_target_properties(other PROPERTIES NO_SONAME ON)
target_link_options(other PRIVATE "@${CMAKE_SOURCE_DIR}/link.rsp")
target_link_options(other PRIVATE "LINKER:--version-script=${CMAKE_BINARY_DIR}/generated.map")
install(TARGETS b_skel other LIBRARY DESTINATION .)
""",
    "app/entry.c": f"{ENTRY}const char *flag = FLAG; int extra_symbol(void) {{ return 1; }}\n",
    "app/data.c": '__asm__(".section .rodata\\n.globl data\\ndata: .incbin \\"data.bin\\"\\n'
    '.previous");\n',
    "app/macro.c": '#include "incbin.h"\nINCBIN(blob, BLOB);\n',
    "app/table.S": '#define NAME "table.inc"\n.section .rodata\n.include NAME\n',
    "app/plain.s": '.section .rodata\n.globl plain\nplain:\n.include "plain.inc"\n',
    "app/other.c": "int shown(void) { return 1; }\nint hidden_one(void) { return 2; }\n",
    "app/first/incbin.h": '#define INCBIN(name, file) __asm__(".section .rodata\\n.globl " #name '
    '"\\n" #name ": .incbin \\"" file "\\"\\n.previous")\n',
    "app/second/data.bin": "data-one",
    "app/blob.bin": "blob-one",
    "app/first/table.inc": '.globl table\ntable: .include "deep.inc"\n',
    "app/second/deep.inc": '.ascii "deep-one"\n',
    "app/second/plain.inc": '.ascii "plain-one"\n',
    "app/flags.rsp": "-DFIRST @nested.rsp",
    "app/exports.map": "{ global: b_skel_*; flag; data; blob; table; plain; local: *; };\n",
    "app/link.rsp": "-Wl,-soname,libother.so.1",
    "app/generated.map.in": "{ global: shown; local: *; };\n",
}
EDITS = {
    "data in a directory": ("app/second/data.bin", "data-two", b"data-two"),
    "data that hides other data": ("app/first/data.bin", "data-six", b"data-six"),
    "data that a macro names": ("app/blob.bin", "blob-two", b"blob-two"),
    "an include of an include": ("app/second/deep.inc", '.ascii "deep-two"\n', b"deep-two"),
    "a source that is not preprocessed": (
        "app/second/plain.inc",
        '.ascii "plain-two"\n',
        b"plain-two",
    ),
    "an option": ("nested.rsp", '-DFLAG=\\"flag-two\\"', b"flag-two"),
    "an option of the linker": ("app/link.rsp", "-Wl,-soname,libother.so.2", b"libother.so.2"),
    "a version script": (
        "app/exports.map",
        "{ global: b_skel_*; flag; data; blob; table; plain; extra_symbol; local: *; };\n",
        b"extra_symbol",
    ),
    "a version script that CMake copies": (
        "app/generated.map.in",
        "{ global: shown; hidden_one; local: *; };\n",
        b"hidden_one",
    ),
}
SIDES = [
    "gcc",
    pytest.param("clang", marks=pytest.mark.long),
    pytest.param("zig", marks=pytest.mark.long),
    "skel",
    pytest.param("sdk", marks=pytest.mark.long),
]


def shipped(project: Project) -> bytes:
    files = project.release_files()
    return b"".join(files[name] for name in sorted(files) if name.endswith(".so"))


def laid_out(place: Path, side: str, cache: str = "cache") -> Project:
    """The project in its first state."""
    project = Project(place, share(place.parent / cache))
    nested = place / "nested.rsp"
    files = {name: text.replace("@nested.rsp", f"@{nested}") for name, text in FILES.items()}
    if side not in ("skel", "sdk"):
        files["app/CMakeLists.txt"] = files["app/CMakeLists.txt"].replace(
            "DESTINATION .", "DESTINATION lib"
        )
    toml = PROJECT.format(toolchain=side)
    if side in ("skel", "sdk"):
        toml = SKEL + f'dsp-toolchain = "{"llvm" if side == "skel" else "sdk"}"\n'
    project.lay_out({**files, "nested.rsp": '-DFLAG=\\"flag-one\\"', "buildtool.toml": toml})
    return project


@pytest.mark.parametrize("side", SIDES)
def test_a_file_that_only_assembler_linker_or_driver_reads(
    tmp_path: Path,
    side: str,
    stand_in_sdk: MakeSdk,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if side == "sdk":
        monkeypatch.setenv("HEXAGON_SDK_ROOT", str(stand_in_sdk("6.4.0.2")))
    project = laid_out(tmp_path / "here", side)
    (step,) = project.build_here()
    assert "uncertain" not in str(project.warnings)
    assert project.build_here() == {step: "up-to-date"}
    for old, (what, (name, text, mark)) in enumerate(EDITS.items()):
        assert mark not in shipped(project), what
        project.write(name, text, old=old % 2 == 1)
        assert project.build_here() == {step: "built"}, what
        assert mark in shipped(project), what
        assert project.build_here() == {step: "up-to-date"}, what

    # In another tree, without what was found here before, and with the cache: the same.
    clone = Project(project.root.rename(tmp_path / "after"), project.cache)
    shutil.copytree(clone.root, project.root, ignore=shutil.ignore_patterns(".buildtool"))
    assert project.build_here() == {step: "restored"}
    assert shipped(project) == shipped(clone)
    project.forget("state", "out", "release", "build")
    shutil.rmtree(project.cache / "actions")
    assert project.build_here() == {step: "built"}
    assert shipped(project) == shipped(clone)

    # What is gone is found elsewhere again.
    (project.root / "app/first/data.bin").unlink()
    assert project.build_here() == {step: "built"}
    assert b"data-two" in shipped(project)


def test_a_name_that_a_macro_of_the_assembler_makes_is_uncertain(tmp_path: Path) -> None:
    project = laid_out(tmp_path / "here", "gcc")
    by_argument = '.macro load file\n.incbin "\\file"\n.endm\n.section .rodata\nload "data.bin"\n'
    project.write("app/table.S", by_argument)
    project.build_here()
    assert "uncertain" not in str(project.warnings)
    project.write("app/second/data.bin", "data-two")
    assert project.build_here() == {"host/app": "built"}
    assert b"data-two" in shipped(project)

    made = '.macro load name\n.incbin "\\name\\().bin"\n.endm\n.section .rodata\nload data\n'
    project.write("app/table.S", made)
    project.build_here()
    (warning,) = project.warnings
    assert "A macro of the assembler makes the name" in warning
    assert "table.S.o" in warning
    project.write("app/second/data.bin", "data-six")
    assert project.build_here() == {"host/app": "built"}
    assert b"data-six" in shipped(project)
    assert project.build_here() == {"host/app": "built"}


LINKED = """
cmake_minimum_required(VERSION 3.22)
project(app C)
add_library(b_skel SHARED entry.c)
target_link_directories(b_skel PRIVATE first second)
target_link_libraries(b_skel PRIVATE -lpart -l:named.a ${CMAKE_SOURCE_DIR}/libscript.so
    ${CMAKE_SOURCE_DIR}/libthin.a)
install(TARGETS b_skel LIBRARY DESTINATION lib)
"""


def test_libraries_by_name_scripts_and_thin_archives(tmp_path: Path) -> None:
    project = Project(tmp_path / "here", share(tmp_path / "cache"))
    app = project.root / "app"
    names = ("part", "named", "script", "thin")
    uses = "".join(
        f"extern const char *{n}(void); const char *use_{n}(void) {{ return {n}(); }}\n"
        for n in names
    )
    project.lay_out(
        {
            "buildtool.toml": PROJECT.format(toolchain="gcc"),
            "app/CMakeLists.txt": LINKED,
            "app/entry.c": uses,
            "app/first/keep": "",
            "app/libscript.so": "/* GNU ld script */ GROUP ( AS_NEEDED ( -lscripted ) )\n",
        }
    )

    def archive(path: str, name: str, text: str, options: str = "rcsD") -> None:
        source, target = app / f"{name}.src.c", app / f"{name}.o"
        source.write_text(f'const char *{name}(void) {{ return "{text}"; }}\n')
        subprocess.run(["aarch64-linux-gnu-gcc", "-fPIC", "-c", source, "-o", target], check=True)
        source.unlink()
        (app / path).parent.mkdir(exist_ok=True)
        (app / path).unlink(missing_ok=True)
        subprocess.run(["aarch64-linux-gnu-ar", options, app / path, target], check=True)
        if "T" not in options:
            target.unlink()

    places = ("second/libpart.a", "second/named.a", "second/libscripted.a", "libthin.a")
    for name, place in zip(names, places, strict=True):
        archive(place, name, f"{name}-one", "rcsDT" if name == "thin" else "rcsD")
    assert project.build_here() == {"host/app": "built"}
    assert project.build_here() == {"host/app": "up-to-date"}
    for name, place in zip(names, places, strict=True):
        assert f"{name}-two".encode() not in shipped(project)
        archive(place, name, f"{name}-two", "rcsDT" if name == "thin" else "rcsD")
        assert project.build_here() == {"host/app": "built"}, name
        assert f"{name}-two".encode() in shipped(project)
    for name, place in zip(names[:3], places, strict=False):
        archive(place.replace("second", "first"), name, f"{name}-six")
        assert project.build_here() == {"host/app": "built"}, name
        assert f"{name}-six".encode() in shipped(project)
        (app / place.replace("second", "first")).unlink()
        assert project.build_here() == {"host/app": "restored"}, name
        assert f"{name}-two".encode() in shipped(project)


BASE = """
cmake_minimum_required(VERSION 3.22)
project({name} C)
add_library(part_{name} STATIC part.c)
set_target_properties(part_{name} PROPERTIES OUTPUT_NAME part{suffix})
install(TARGETS part_{name} ARCHIVE DESTINATION lib)
install(DIRECTORY api/ DESTINATION include)
if(CMAKE_SYSTEM_NAME STREQUAL QURT)
  add_library({name}_skel SHARED skel.c)
  install(TARGETS {name}_skel LIBRARY DESTINATION .)
endif()
"""
NEEDING = """
cmake_minimum_required(VERSION 3.22)
project(app C)
add_library(b_skel SHARED entry.c)
foreach(prefix ${CMAKE_PREFIX_PATH})
  target_include_directories(b_skel PRIVATE ${prefix}/include)
  target_link_directories(b_skel PRIVATE ${prefix}/lib)
endforeach()
target_link_libraries(b_skel PRIVATE -lpart)
install(TARGETS b_skel LIBRARY DESTINATION %s)
"""
USES = """
#include <level.h>
#if __has_include(<more.h>)
#include <more.h>
#else
#define MORE "more-none"
#endif
extern const char *part(void);
const char *level = LEVEL, *more = MORE;
const char *use(void) { return part(); }
"""


@pytest.mark.parametrize("kind", ["host", "skel"])
def test_a_needed_component_begins_to_install_a_file(tmp_path: Path, kind: str) -> None:
    project = Project(tmp_path / "here", share(tmp_path / "cache"))
    toml = '[project]\nname = "pair"\n' + "".join(
        f'[{kind}.{name}]\nsource = "{name}"\n{rest}\n'
        for name, rest in (
            ("one", "install = false"),
            ("two", "install = false"),
            ("app", 'needs = ["one", "two"]'),
        )
    )
    archs = '["v68"]' if kind == "skel" else '[]\ntoolchain = "gcc"'
    part = 'const char *part(void) {{ return "part-{}"; }}\n'
    project.lay_out(
        {
            "buildtool.toml": f'{toml}[target.sim]\nplatform = "ubuntu-aarch64"\narchs = {archs}\n',
            "app/CMakeLists.txt": NEEDING % ("lib" if kind == "host" else "."),
            "app/entry.c": ENTRY + USES,
            "one/CMakeLists.txt": BASE.format(name="one", suffix="_of_one"),
            "one/part.c": part.format("one"),
            "one/skel.c": ENTRY.replace("b_skel", "one_skel"),
            "two/skel.c": ENTRY.replace("b_skel", "two_skel"),
            "one/api/one.h": "",
            "two/CMakeLists.txt": BASE.format(name="two", suffix=""),
            "two/part.c": part.format("two"),
            "two/api/level.h": '#define LEVEL "level-two"\n',
        }
    )
    app = "host/app" if kind == "host" else "skel/app/v68"
    assert project.build_here()[app] == "built"

    def after(name: str, text: str, mark: bytes) -> None:
        assert mark not in shipped(project)
        project.write(name, text)
        assert project.build_here()[app] == "built"
        assert mark in shipped(project)
        assert set(project.build_here().values()) == {"up-to-date"}

    after("one/api/more.h", '#define MORE "more-one"\n', b"more-one")
    after("one/api/level.h", '#define LEVEL "level-one"\n', b"level-one")
    after("two/part.c", part.format("six"), b"part-six")
    after("one/CMakeLists.txt", BASE.format(name="one", suffix=""), b"part-one")
    before = shipped(project)
    project.edit("buildtool.toml", '["one", "two"]', '["two", "one"]')
    assert project.build_here()[app] == "built"  # another order is another key
    assert b"level-two" in shipped(project)
    assert b"part-six" in shipped(project)
    project.edit("buildtool.toml", '["two", "one"]', '["one", "two"]')
    assert project.build_here()[app] == "restored"
    assert shipped(project) == before
    (project.root / "one/api/level.h").unlink()
    project.build_here()
    assert b"level-two" in shipped(project)
