"""Headers with any byte in their path are inputs, even if dependency files are misread."""

from __future__ import annotations

import json
import os
import shutil
import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import LONG
from tests.project import OLD, Project

# An `#include` cannot contain a zero byte or an end of line; backslashes have separate tests.
BYTES = [bytes([number]) for number in range(1, 256) if number not in b"\n\r\\/"]
FORMS = (b"inc/a%sb/d.h", b"inc/a%sb.h", b"inc/%sx.h", b"inc/t%s", b"inc/a %s%s.h")
PLAIN = b"09AZaz\x80\x85\xa0\xad\xc3\xe9\xfe\xff"
"""Some of the letters, digits and bytes from 0x80."""
NOT_GENERATED = b';<>"|[]'  # CMake or Ninja refuse to generate files with these in their names


@dataclass
class Headers(Project):
    """A project of a library; source N includes the headers of row N, and contains their levels.

    The headers are in the component's directory, or generated if their name begins with `gen/`.
    """

    rows: Sequence[Sequence[bytes]] = ()
    toolchain: str = "gcc"

    def write_level(self, level: str) -> None:
        generated = [name for row in self.rows for name in row if name.startswith(b"gen/")]
        rules = b"".join(
            b'add_custom_command(OUTPUT "%s" DEPENDS gen.txt VERBATIM\n'
            b' COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/gen.txt "%s")\n'
            b'target_sources(app PRIVATE "%s")\n' % (name, name, name)
            for name in (name.replace(b"$", b"\\$") for name in generated)
        )
        self.put(
            "buildtool.toml",
            b'[project]\nname = "bytes"\n[host.app]\nsource = "app"\n[target.sim]\n'
            b'platform = "ubuntu-aarch64"\ntoolchain = "%s"\n' % self.toolchain.encode(),
        )
        sources = " ".join(f"s{number}.c" for number in range(len(self.rows)))
        self.put(
            "app/CMakeLists.txt",
            b"cmake_minimum_required(VERSION 3.25)\nproject(app C)\n"
            b"add_library(app SHARED %s)\n"
            b"target_include_directories(app PRIVATE . ${CMAKE_BINARY_DIR})\n"
            b"install(TARGETS app LIBRARY DESTINATION lib)\n" % sources.encode() + rules,
        )
        for number, row in enumerate(self.rows):
            self.put(f"app/s{number}.c", source(f"s{number}", row))
            for name in row:
                if name not in generated:
                    self.put(b"app/" + name, header(level), old=True)
        self.put("app/gen.txt", header(level))

    def put(self, name: str | bytes, data: bytes, *, old: bool = False) -> None:
        path = self.root / os.fsdecode(name)
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            if old:
                os.utime(path, (OLD, OLD))

    def outcome(self) -> str:
        """Build; returns the outcome of the only step."""
        (outcome,) = self.build_here().values()
        return outcome

    def all_at(self, level: str) -> bool:
        """Whether every source was compiled with this level of every header."""
        data = self.release_files()["lib/libapp.so"]
        marks = {mark.split(b".")[0].decode() for mark in data.split(b"mark: ")[1:]}
        return marks == {
            " ".join([f"s{number}", *[level] * len(row)]) for number, row in enumerate(self.rows)
        }

    def inputs(self) -> set[bytes]:
        """The inputs of the step, in the component."""
        (record,) = (self.root / ".buildtool/state/steps").iterdir()
        content = json.loads(record.read_bytes().split(b"\n", 1)[1])
        begin = "{project}/app/"
        return {
            os.fsencode(name.removeprefix(begin))
            for name in content["inputs"]["files"]
            if name.startswith(begin)
        }


def header(level: str) -> bytes:
    return f'" {level}"\n'.encode()


def source(symbol: str, names: Sequence[bytes]) -> bytes:
    lines = (
        b"#include <%s>\n" % name if b'"' in name else b'#include "%s"\n' % name for name in names
    )
    return b'const char %s[] = "mark: %s"\n%s".";\n' % (
        symbol.encode(),
        symbol.encode(),
        b"".join(lines),
    )


def in_groups(others: int = 1) -> list[list[bytes]]:
    """The bytes of `PLAIN` in groups of eight, all other bytes in groups of `others`: it takes less
    time to compile fewer sources."""
    rest = [byte for byte in BYTES if not byte.isalnum() and byte[0] < 0x80]
    plain = [bytes([number]) for number in PLAIN]
    sizes = ((rest, others), (plain, 8))
    return [row[at : at + size] for row, size in sizes for at in range(0, len(row), size)]


def rows_of(groups: Sequence[Sequence[bytes]]) -> list[list[bytes]]:
    rows = [[form.replace(b"%s", byte) for byte in group for form in FORMS] for group in groups]
    # Each in its own directory, as the shell interprets some names as patterns.
    generated = (
        [b"gen/%d/a%sb.h" % (byte[0], byte) for byte in group if byte not in NOT_GENERATED]
        for group in groups
    )
    return rows + [row for row in generated if row]


@pytest.mark.long
@pytest.mark.parametrize("toolchain", ["gcc", pytest.param("clang", marks=pytest.mark.long)])
def test_headers_with_any_byte_in_their_path(toolchain: str, tmp_path: Path) -> None:
    # Both compilers write the same files for Ninja, which misreads some bytes if they are alone.
    groups = in_groups() if toolchain == "gcc" else in_groups(8)
    rows = rows_of([[byte] for byte in BYTES] if LONG else groups)
    app = Headers(tmp_path / "one", rows=rows, toolchain=toolchain)
    app.write_level("one")
    # The files as which Ninja misreads some of these paths exist too.
    app.put("app/inc/a", b"")
    app.put("app/inc/t", b"")
    assert app.outcome() == "built"
    assert app.all_at("one")
    assert {name for row in rows for name in row if name.startswith(b"inc/")} <= app.inputs()
    assert app.outcome() == "up-to-date"

    app.write_level("two")
    assert app.outcome() == "built"
    assert app.all_at("two")

    if toolchain != "gcc":  # the rest takes a while
        return
    other = Headers(tmp_path / "other", rows=rows, toolchain=toolchain)
    other.write_level("three")
    assert other.explain_here()["host/app"].outcome == "built"
    other.write_level("two")
    assert other.outcome() == "restored"
    assert other.all_at("two")


@pytest.mark.parametrize(
    ("toolchain", "twins"),
    [
        pytest.param("gcc", True, marks=pytest.mark.long),
        pytest.param("clang", False, marks=pytest.mark.long),
        pytest.param("clang", True, marks=pytest.mark.long),
    ],
)
def test_a_step_that_reads_a_header_with_a_backslash_is_built_each_time(
    toolchain: str, twins: bool, tmp_path: Path
) -> None:
    """Clang reports that it read `a/b.h`, which may exist as well."""
    app = Headers(tmp_path / "one", rows=[[b"d/a\\b.h"], [b"d/x/y\\z/h.h"]], toolchain=toolchain)
    if twins:
        for name in ("d/a/b.h", "d/x/y/z/h.h"):
            app.put(f"app/{name}", b"")
    for level in ("one", "two"):
        app.write_level(level)
        assert app.build() == {"host/app": "built"}
        assert "Rename the header or directory" in app.messages
        assert app.all_at(level)
    assert app.outcome() == "built"
    assert "it is uncertain what was read" in app.why("--last")
    if toolchain == "clang" and not twins:
        return  # the rest is the same
    other = Headers(tmp_path / "other", rows=app.rows, toolchain=toolchain)
    other.write_level("three")
    assert other.outcome() == "built"
    assert other.all_at("three")

    for path in (app.root / "app/d", app.root / "app/inc"):
        shutil.rmtree(path, ignore_errors=True)
    app.rows = [[b"d/plain.h"], [b"d/x/plain.h"]]
    app.write_level("four")
    assert [app.outcome(), app.outcome()] == ["built", "up-to-date"]


def test_a_directory_that_ninja_could_not_read_is_refused(tmp_path: Path) -> None:
    app = Headers(tmp_path / "a^b", rows=[[b"inc/a.h"]])
    app.write_level("one")
    done = app.run("build")
    assert (done.returncode, done.stdout) == (2, "")
    assert "has '^' in it" in done.stderr
    assert not (app.root / ".buildtool/build").exists()


@pytest.mark.long
def test_a_generator_that_reads_files_with_any_byte_in_their_path(tmp_path: Path) -> None:
    """The generator writes a dependency file, which CMake reads before Ninja does."""
    groups = [byte for byte, *_ in in_groups() if byte != b"\t"]
    names = [form.replace(b"%s", byte) for byte in groups for form in FORMS[:3]]
    app = Headers(tmp_path / "one", rows=[[b"gen/out.h"]])
    app.write_level("one")
    listed = [
        (os.fsencode(app.root) + b"/app/" + name)
        .replace(b" ", b"\\ ")
        .replace(b"#", b"\\#")
        .replace(b"$", b"$$")
        for name in names
    ]
    app.put("app/out.d", b"gen/out.h: \\\n " + b" \\\n ".join(listed) + b"\n")
    app.put("app/inc/a", b"")
    with (app.root / "app/CMakeLists.txt").open() as lists:
        text = lists.read()
    head, _, _ = text.partition("add_custom_command")
    copy = "COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}"
    app.put(
        "app/CMakeLists.txt",
        f"{head}add_custom_command(OUTPUT gen/out.h DEPFILE out.d {copy}/gen.txt gen/out.h\n"
        f" {copy}/out.d out.d)\ntarget_sources(app PRIVATE gen/out.h)\n".encode(),
    )
    for name in names:
        app.put(b"app/" + name, b"")
    assert app.outcome() == "built"
    assert {*names} <= app.inputs()
    assert app.outcome() == "up-to-date"

    app.put("app/gen.txt", header("two"))  # no tool reports this file
    assert app.outcome() == "up-to-date"
    app.put(b"app/inc/a^b.h", b"edited", old=True)
    assert app.outcome() == "built"
    assert app.all_at("two")


@pytest.mark.long
@pytest.mark.parametrize("place", ["project", "source"])
@pytest.mark.parametrize("number", [*range(1, 0x2F), *range(0x30, 0x81), 0xC3, 0xE9, 0xFF])
def test_any_byte_in_the_path_of_a_project(number: int, place: str, tmp_path: Path) -> None:
    """The path is refused, or edits are noticed and a clone is built from its own files."""
    strange = os.fsdecode(b"a" + bytes([number]) + b"b")
    outcomes = []
    for clone in ("one", "other"):
        app = Headers(
            tmp_path / clone / strange if place == "project" else tmp_path / clone,
            rows=[[b"inc/a.h"]],
        )
        app.write_level(clone)
        if place == "source":
            (app.root / "app").rename(app.root / strange)
            quoted = strange.replace("\\", "\\\\").replace('"', '\\"')
            if not quoted.isprintable():
                quoted = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in quoted)
            text = (app.root / "buildtool.toml").read_text()
            with (app.root / "buildtool.toml").open("w", errors="surrogateescape") as file:
                file.write(text.replace('source = "app"', f'source = "{quoted}"'))
        done = app.run("build", "sim")
        if done.returncode:
            assert "error: " in done.stderr
            outcomes.append(done.returncode)
            continue
        assert app.all_at(clone)
        assert app.outcome() == "up-to-date"
        source = app.root / (strange if place == "source" else "app")
        (source / "inc/a.h").write_bytes(header("edited"))
        os.utime(source / "inc/a.h", (OLD, OLD))
        assert app.outcome() == ("built" if clone == "one" else "restored")
        assert app.all_at("edited")
        outcomes.append(0)
    assert len({*outcomes}) == 1
    assert outcomes[0] == 0 or chr(number) not in string.ascii_letters + string.digits + " _-.+@~!#"
