"""Which files a command reads according to its words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buildtool.drivers.cmake.scan.command_files import CommandFiles
from buildtool.drivers.cmake.scan.compiler_reads import AssembledFiles, UncertainNameError
from buildtool.drivers.cmake.scan.ninja import Command
from buildtool.drivers.cmake.scan.path_filter import PathFilter
from buildtool.inputs.roots import Roots


class Place:
    """A project with a build tree, in which commands run."""

    def __init__(self, root: Path) -> None:
        self.root = root / "p"
        self.tree = root / "p/.buildtool/build/t"
        self.tree.mkdir(parents=True)
        (root / "tool/lib").mkdir(parents=True)
        roots = Roots({"project": self.root, "tree": self.tree})
        self.filter = PathFilter(self.tree, roots, [root / "tool"])

    def write(self, name: str, content: str | bytes = "") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def named(self, found: tuple[str, ...]) -> set[str]:
        return {os.path.relpath(path, self.root) for path in found}

    def linked(self, words: str) -> set[str]:
        line = f": && /opt/cc -O2 a.o -o app {words.replace('@/', '@' + str(self.root) + '/')} && :"
        line = line.replace("P/", f"{self.root}/")
        return self.named(
            CommandFiles(self.filter).of(Command("C_EXECUTABLE_LINKER__a_R", line, "a.o"))
        )

    def compiled(self, words: str) -> set[str]:
        line = f"/opt/cc -DX=1 {words.replace('P/', f'{self.root}/')} -MD -MT a.o -o a.o -c a.c"
        return self.named(CommandFiles(self.filter).of(Command("C_COMPILER__a_R", line, "a.c")))

    def custom(self, line: str) -> set[str]:
        line = line.replace("P/", f"{self.root}/")
        return self.named(CommandFiles(self.filter).of(Command("CUSTOM_COMMAND", line, "")))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        "-Wl,--version-script=P/f",
        "-Wl,--version-script,P/f",
        "-Xlinker --version-script=P/f",
        "-Xlinker --version-script -Xlinker P/f",
        "-Wl,--dynamic-list=P/f",
        "-Wl,--retain-symbols-file,P/f",
        "-Wl,--symbol-ordering-file=P/f",
        "-Wl,--just-symbols=P/f",
        "-Wl,-R,P/f",
        "-Wl,-RP/f",
        "-T P/f",
        "-TP/f",
        "-Wl,-T,P/f",
        "-Wl,-TP/f",
        "-Wl,-dT,P/f",
        "-Wl,--script=P/f",
        "-Wl,@P/f",
        "@P/f",
        "-specs=P/f",
        "-fuse-ld=P/f",
        "-Wl,-plugin,P/f",
        "-Wl,--section-ordering-file=P/f",
        "P/f",
        "'P/f'",
        '-Wl,--version-script="P/f"',
        "-Wl,-b,binary,P/f",
    ],
)
def test_options_of_linkers(place: Place, words: str) -> None:
    place.write("f", "{ global: *; };")
    assert place.linked(words) == {"f"}


@pytest.mark.parametrize(
    "words",
    [
        "@P/f",
        "-specs=P/f",
        "--specs=P/f",
        "--config P/f",
        "--config=P/f",
        "-fplugin=P/f",
        "-Xclang -load -Xclang P/f",
        "-fpass-plugin=P/f",
        "-fprofile-use=P/f",
        "-fprofile-instr-use=P/f",
        "-fprofile-sample-use=P/f",
        "-fauto-profile=P/f",
        "-fsanitize-ignorelist=P/f",
        "-fsanitize-blacklist=P/f",
        "-fprofile-list=P/f",
        "-fxray-always-instrument=P/f",
        "-fbasic-block-sections=list=P/f",
        "-Wa,@P/f",
        "-ivfsoverlay P/f",
    ],
)
def test_options_of_compilers(place: Place, words: str) -> None:
    place.write("f")
    assert place.compiled(words) == {"f"}


def test_compilers_report_headers_and_write_their_outputs(place: Place) -> None:
    for name in ("h.h", "map", "app"):
        place.write(name)
    assert not place.compiled("-include P/h.h -imacros P/h.h -ffile-prefix-map=P/h.h=x")
    assert not place.linked("-Wl,-Map,P/map -o P/app")


def test_response_files_in_response_files(place: Place) -> None:
    place.write("a.rsp", f"-O2 @{place.root}/b.rsp")
    place.write("b.rsp", f"-Wl,--version-script={place.root}/x.map\n@{place.root}/a.rsp")
    place.write("x.map")
    assert place.linked("@/a.rsp") == {"a.rsp", "b.rsp", "x.map"}


def test_each_place_of_a_library_counts(place: Place) -> None:
    place.write("b/libx.a", b"!<arch>\n")
    every = {f"{folder}/libx.{kind}" for folder in "ab" for kind in ("so", "a")}
    assert place.linked("-LP/a -L P/b -lx") == every
    assert place.linked("-Wl,-L,P/a -Wl,-LP/b -Wl,-lx") == every
    assert place.linked("-Wl,--library-path=P/a -LP/b -Wl,--library=x") == every
    assert place.linked("-LP/a -LP/b -l x -l:y.o") == every | {"a/y.o", "b/y.o"}
    tool = place.root.parent / "tool/lib"
    assert not place.linked(f"-L{tool} -lx")


def test_linker_scripts(place: Place) -> None:
    place.write("lib/libx.so", "/* GROUP(none) */ GROUP ( libreal.so AS_NEEDED ( -ly sub/z.a ) )")
    place.write("lib/libreal.so", b"\x7fELF")
    found = place.linked("-LP/lib -lx")
    assert {"lib/libx.so", "lib/libreal.so", "lib/liby.so", "lib/liby.a", "lib/sub/z.a"} <= found
    assert "none" not in found
    place.write("a.ld", "INCLUDE b.ld\nSECTIONS { .text : { *(.text) } }")
    place.write("lib/b.ld", f'SEARCH_DIR("{place.root}/more")\nINPUT("-lw")')
    place.write("more/keep")
    found = place.linked("-T P/a.ld -LP/lib")
    assert {"a.ld", "b.ld", "lib/b.ld", "lib/libw.a", "more/libw.a"} <= found


def test_thin_archives(place: Place) -> None:
    def member(name: bytes, size: int) -> bytes:
        return name.ljust(16) + b"0".ljust(32) + str(size).encode().ljust(10) + b"`\n"

    names = b"a/rather/long/name.o/\nx.o/\n"
    names += b"\n" * (len(names) % 2)
    data = b"!<thin>\n" + member(b"//", len(names)) + names
    data += member(b"/0", 100) + member(b"/22", 7) + member(b"s.o/", 7)
    place.write("lib/t.a", data)
    found = place.linked("P/lib/t.a")
    assert found == {"lib/t.a", "lib/a/rather/long/name.o", "lib/x.o", "lib/s.o"}
    damaged = [data[:cut] for cut in range(8, len(data), 7)]
    damaged += [data.replace(b"100", b"-99"), data.replace(b"100", b"1x0"), data[:8] + b"x" * 99]
    for content in damaged:
        place.write("lib/t.a", content)
        place.linked("P/lib/t.a")


def test_lists_that_name_no_files(place: Place) -> None:
    place.write("a.rsp", "-fprofile-use=a\0b -T" + "x" * 9999 + " @ '")
    place.write("a.ld", "INPUT(a\0b " + "y" * 9999 + ") " + "/*" * 99999)
    place.linked("@/a.rsp P/a.ld")
    place.compiled("@P/a.rsp")


def test_a_profile_that_is_a_directory_or_missing(place: Place) -> None:
    place.write("prof/a.gcda")
    place.write("prof/sub/b.gcda")
    found = place.compiled("-fprofile-use=P/prof")
    assert {"prof/a.gcda", "prof/sub/b.gcda"} <= found
    assert place.compiled("-fprofile-use=P/none.prof") == {"none.prof"}


def test_custom_commands(place: Place) -> None:
    for name in ("data.bin", "tool.py", "out.h"):
        place.write(name)
    assert place.custom("cd P/ && ld -r -b binary -o P/out.h P/data.bin") == {"data.bin"}
    assert place.custom("/usr/bin/env python3 P/tool.py P/data.bin > P/out.h") == {
        "data.bin",
        "tool.py",
    }
    assert place.custom("cd P/sub && ../tool.py ../data.bin") == {"data.bin", "tool.py"}
    assert not place.custom("")


def test_commands_after_the_linker_s(place: Place) -> None:
    for name in (".buildtool/build/t/copy", ".buildtool/build/t/app", "sign.py", "x.map"):
        place.write(name)
    link = "-Wl,--version-script=P/x.map && cmake -E copy app copy && P/sign.py app"
    assert place.linked(link) == {"x.map", "sign.py"}


def assembled(place: Place, text: str, name: str = "a.S") -> set[str]:
    place.write(name, text)
    command = Command(
        "ASM_COMPILER__a_R", f"/opt/cc -I{place.root}/inc -o a.o -c a", str(place.root / name)
    )
    return place.named(AssembledFiles(lambda _: text, place.filter).of(command))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.S", '.incbin "d.bin"\n'),
        ("a.S", 'label: .incbin "d.bin", 4, 8\n'),
        ("a.S", '.section .x; .INCBIN "d.bin"\n'),
        ("a.s", '# none\n\t.incbin\t"d.bin"\n'),
        ("a.c", 'asm(".incbin \\"d.bin\\"");'),
        ("a.c", '__asm__ __volatile__("nop\\n" "x: .incbin " "\\"d" ".bin\\"\\n" : : "i"(1));'),
        ("a.cpp", 'asm volatile(R"(.incbin "d.bin")");'),
        ("a.cpp", 'asm(R"x(\n.incbin "d.bin"\n)x");'),
        ("a.S", '.macro load f\n.incbin "\\f"\n.endm\nload "d.bin"\n'),
    ],
)
def test_directives_that_read_a_file(place: Place, name: str, text: str) -> None:
    place.write("inc/d.bin")
    found = assembled(place, text, name)
    assert {"d.bin", "inc/d.bin"} <= found
    assert found <= {"d.bin", "inc/d.bin", ".buildtool/build/t/d.bin"}


def test_includes_of_includes(place: Place) -> None:
    place.write("inc/a.inc", '.include "b.inc"\n')
    place.write("inc/b.inc", '.incbin "d.bin"\n.include "a.inc"\n')
    found = assembled(place, '.include "a.inc"\n')
    assert {"inc/a.inc", "inc/b.inc", "inc/d.bin"} <= found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.c", 'const char *help = ".incbin \\"%s\\"";'),
        ("a.c", "struct s { int include; } x; int y = x.include;"),
        ("a.c", 'asm("nop");'),
        ("a.s", '# .incbin "d.bin"\n// .incbin "d.bin"\n/* .incbin "d.bin" */\n'),
    ],
)
def test_other_text(place: Place, name: str, text: str) -> None:
    place.write("d.bin")
    assert not assembled(place, text, name)


@pytest.mark.parametrize(
    "text", ['.incbin "\\name\\().bin"\n', ".incbin NAME\n", '.macro x n\n.include "\\n"\n.endm\n']
)
def test_names_that_cannot_be_found(place: Place, text: str) -> None:
    with pytest.raises(UncertainNameError):
        assembled(place, text)


def test_a_source_that_cannot_be_preprocessed(place: Place) -> None:
    command = Command("C_COMPILER__a_R", "/opt/cc -c a.c", "a.c")
    with pytest.raises(UncertainNameError):
        AssembledFiles(lambda _: None, place.filter).of(command)
