"""Excerpts of the output of failed tools; the outputs are modelled on real ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.drivers.cmake.error_excerpt import MAX_LINES, error_excerpt, short_command

COMPILE = (
    "/opt/zig/zig cc -target aarch64-linux-gnu.2.35 -I/home/u/project/.buildtool/build/demo/1/idl"
    " -O3 -DNDEBUG -std=gnu11 -Wall -Wextra -Wconversion -MD -MT a.c.o -MF a.c.o.d -o a.c.o"
    " -c '/home/u/my project/host/a.c'"
)


def ninja(*edges: str) -> str:
    return (
        "ninja: Entering directory `/tree'\n"
        "ninja: Jobserver mode detected:  -- --jobserver-auth=fifo:/proc/1/fd/3\n"
        "[1/9] Building C object good.c.o\n"
        "good.c:1:1: warning: nothing to do with it\n"
        + "".join(edges)
        + "[3/9] Building C object late.c.o\n"
        "late.c:1:1: warning: nothing to do with it either\n"
        "ninja: build stopped: subcommand failed.\n"
    )


def edge(output: str, command: str = COMPILE, messages: str = "") -> str:
    return f"[2/9] Building {output}\nFAILED: [code=1] {output} \n{command}\n{messages}"


def test_a_compile_error_is_shown_without_the_noise_of_other_commands() -> None:
    messages = (
        "a.c:3:5: warning: unused variable 'x'\n    3 | int x;\n      |     ^\n"
        "a.c:7:22: error: use of undeclared identifier 'y'\n    7 | return y;\n      |        ^\n"
        "1 warning and 1 error generated.\n"
    )

    assert error_excerpt(ninja(edge("a.c.o", messages=messages))) == (
        "FAILED: [code=1] a.c.o\n"
        "zig … -c /home/u/my project/host/a.c\n"
        "a.c:7:22: error: use of undeclared identifier 'y'\n"
        "    7 | return y;\n"
        "      |        ^\n"
        "1 warning and 1 error generated."
    )


def test_of_a_template_error_the_place_in_the_user_s_source_is_shown() -> None:
    clang = (
        "In file included from mine.cpp:1:\nIn file included from /c/algorithm:18:\n"
        "In file included from /c/sort.h:1:\n/c/heap.h:37:31: error: invalid operands\n"
        "   37 | __last - __first\n      |  ^\n"
        + "".join(
            f"/c/{n}.h:1:1: note: in instantiation of f<{n}> requested here\n" for n in range(90)
        )
        + "mine.cpp:8:10: note: in instantiation of sort<S> requested here\n    8 | sort();\n"
        "/c/fpos.h:6:1: note: candidate template ignored\n" * 3
    )

    assert error_excerpt(ninja(edge("a.o", messages=clang))).splitlines()[2:9] == [
        "In file included from mine.cpp:1:",
        "In file included from /c/sort.h:1:",
        "/c/heap.h:37:31: error: invalid operands",
        "   37 | __last - __first",
        "      |  ^",
        "mine.cpp:8:10: note: in instantiation of sort<S> requested here",
        "    8 | sort();",
    ]

    gcc = (
        "In file included from /c/algorithm:61,\n                 from mine.cpp:1:\n"
        "/c/algo.h: In instantiation of 'sort(I) [with I = It<S>]':\n"
        "/c/algo.h:48:18:   required from 'sort(I)'\nmine.cpp:8:14:   required from here\n"
        "/c/algo.h:19:50: error: no match for 'operator-'\n 19 | a - b\n"
    )
    assert error_excerpt(ninja(edge("a.o", messages=gcc))).splitlines()[2:] == [
        "mine.cpp:8:14:   required from here",
        "/c/algo.h:19:50: error: no match for 'operator-'",
        " 19 | a - b",
    ]


def test_the_first_of_many_errors_are_shown() -> None:
    messages = "".join(f"a.c:{n}:1: error: e{n}\n  | x\n  | ^\n" for n in range(50))

    lines = error_excerpt(ninja(edge("a.o", messages=messages))).splitlines()

    assert len(lines) <= MAX_LINES
    assert lines[2] == "a.c:0:1: error: e0"
    assert lines[-1] == "… and 38 more errors"


def test_each_of_some_failed_commands_gets_room() -> None:
    messages = "".join(f"a.c:{n}:1: error: e{n}\n" for n in range(50))
    text = error_excerpt(ninja(*(edge(f"{n}.o", messages=messages) for n in range(7))))

    assert len(text.splitlines()) <= MAX_LINES
    assert "FAILED: [code=1] 2.o" in text
    assert text.endswith("… and 4 more commands failed: 3.o, 4.o, 5.o, 6.o")


def test_a_command_that_names_no_error_is_shown_with_its_beginning_and_its_end() -> None:
    messages = "".join(f"line {n}\n" for n in range(200))
    lines = error_excerpt(ninja(edge("gen", "sh -c gen", messages))).splitlines()

    assert lines[:3] == ["FAILED: [code=1] gen", "sh -c gen", "line 0"]
    assert lines[-1] == "line 199"
    assert any(line.startswith("… 16") for line in lines)
    assert len(lines) <= MAX_LINES


def test_a_linker_s_errors() -> None:
    messages = (
        "ld.lld: error: undefined symbol: f\n>>> referenced by main.c:1\n"
        "/usr/bin/ld: main.c:(.text+0x14): undefined reference to `g'\n"
    )
    text = error_excerpt(ninja(edge("prog", ": && /usr/bin/gcc main.o -o prog && :", messages)))

    assert text.splitlines()[1:] == ["/usr/bin/gcc main.o -o prog", *messages.splitlines()]


def test_an_error_of_cmake_is_shown_from_where_it_begins() -> None:
    messages = (
        "-- The C compiler identification is Clang\n-- Detecting\n"
        "CMake Error at CMakeLists.txt:5 (find_package):\n  Could not find X\n\n"
        "Call Stack:\n  a.cmake:1\n\n\n-- Configuring incomplete, errors occurred!\n"
    )

    assert error_excerpt(messages).splitlines() == [
        "CMake Error at CMakeLists.txt:5 (find_package):",
        "  Could not find X",
        "",
        "Call Stack:",
        "  a.cmake:1",
    ]


def test_an_error_of_ninja_itself() -> None:
    messages = "ninja: Entering directory `/t'\nninja: error: 'x.c', needed by 'x.o', missing\n"

    assert error_excerpt(messages) == "ninja: error: 'x.c', needed by 'x.o', missing"


@pytest.mark.parametrize(
    ("command", "short"),
    [
        ("cc -c a.c", "cc -c a.c"),
        (f"/usr/bin/cc {'-Wl,x ' * 40}-o out/prog", "cc … -o out/prog"),
        ("x" * 400, f"{'x' * 75} … {'x' * 75}"),
        (f"cd /a && cc {'-DX ' * 50}-o b", f"cd /a && cc {'-DX ' * 50}"[:75].rstrip()),
        ("unbalanced ' " + "x" * 400, "unbalanced ' "),
    ],
)
def test_a_long_command_is_cut_to_what_it_is_and_what_it_makes(command: str, short: str) -> None:
    assert short_command(command).startswith(short)
    assert len(short_command(command)) <= 160


@given(
    st.lists(st.sampled_from([*ninja(edge("a", messages="x: error: y\nz: note: n")).splitlines()]))
)
def test_an_excerpt_of_any_output_is_short(lines: list[str]) -> None:
    assert len(error_excerpt("\n".join(lines)).splitlines()) <= MAX_LINES
