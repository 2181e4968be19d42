"""Trees that are made to do harm, or just odd: there is always an end and a valid proposal."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from buildtool.project.propose import tree as bounds
from buildtool.project.propose.presets import configure_presets
from buildtool.project.propose.propose import propose
from buildtool.project.propose.text import text
from buildtool.project.propose.tree import read_tree
from buildtool.project.read import read_project
from tests.unit.propose.conftest import Propose

APP = "project(app C)\nadd_executable(app main.c)\ninstall(TARGETS app)\n"


def test_links_pipes_and_trees_of_others_are_left_alone(
    proposed: Propose, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "CMakeLists.txt").write_text("project(elsewhere C)\nadd_executable(e e.c)")
    for folder in (".git", "build", "build-v73", "third_party/z", "cmake-build-debug"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "CMakeLists.txt").write_text("project(z C)\nadd_executable(z z.c)")
    (tmp_path / "made").mkdir()
    (tmp_path / "made/CMakeCache.txt").touch()
    (tmp_path / "made/CMakeLists.txt").write_text("project(made C)\nadd_executable(m m.c)")
    (tmp_path / "round").symlink_to(".")
    (tmp_path / "away").symlink_to(elsewhere)
    for folder in ("linked", "looped", "pipe"):
        (tmp_path / folder).mkdir()
    (tmp_path / "linked/CMakeLists.txt").symlink_to(elsewhere / "CMakeLists.txt")
    (tmp_path / "looped/CMakeLists.txt").symlink_to("CMakeLists.txt")
    os.mkfifo(tmp_path / "pipe/CMakeLists.txt")

    found = proposed({"CMakeLists.txt": APP})

    assert set(found["host"]) == {"app"}
    assert len(found["?"]) == 3
    assert all("is no file of at most" in what for what in found["?"])


def test_names_that_are_not_printable_are_left_out(proposed: Propose, tmp_path: Path) -> None:
    for name in (b"line\nbreak", b"not \xff utf-8", b"\x1b[31mred"):
        folder = os.fsencode(tmp_path) + b"/" + name
        os.mkdir(folder)  # noqa: PTH102 - a name that is no text
        Path(os.fsdecode(folder), "CMakeLists.txt").write_text(APP)
    assert set(proposed({"CMakeLists.txt": APP})["host"]) == {"app"}


@pytest.mark.parametrize(
    "listing",
    [
        "function(f)\nf()\nf()\nendfunction()\nf()",
        "macro(f)\nf(${ARGN} a)\nendmacro()\nf()",
        "foreach(a 1 2 3 4 5 6 7 8 9)\n" * 12
        + "add_library(x${a} SHARED)\n"
        + "endforeach()\n" * 12,
        "set(a b)\n" + "set(a ${a}${a}${a}${a})\n" * 100 + "add_library(${a} SHARED x.c)",
        "set(a ${b})\nset(b ${a})\nadd_library(${a} SHARED x.c)",
        "include(CMakeLists.txt)\ninclude(x.cmake)\nadd_subdirectory(.)\nadd_subdirectory(..)",
        "if(a)\n" * 5000 + "set(x)\n" + "endif()\n" * 5000,
        "list(APPEND a ${a} ${a} x)\n" * 200
        + "foreach(x IN LISTS a)\nlist(APPEND a ${a})\nendforeach()",
        "ExternalProject_Add(x SOURCE_DIR .)\nExternalProject_Add(y SOURCE_DIR ../..)",
        "install()\nproject()\nadd_library()\nset()\nforeach()\nendforeach()\nfunction()\nelse()\n"
        "find_package()\noption()\nset_property(TARGET)\nset_target_properties(a PROPERTIES b)",
    ],
)
def test_a_listing_without_an_end_has_one(listing: str, proposed: Propose) -> None:
    started = time.monotonic()
    found = proposed({"CMakeLists.txt": APP + listing, "x.cmake": "include(x.cmake)\n" + listing})
    assert "app" in found["host"]
    assert time.monotonic() - started < 30


def test_a_tree_that_is_too_large_is_read_in_part(
    proposed: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MAX_FILES", 20)
    files = {f"part{n:03}/CMakeLists.txt": "project(p C)\nadd_executable(p p.c)" for n in range(40)}
    found = proposed({"CMakeLists.txt": APP, **files})
    assert len(found["host"]) == 20
    assert "not all of its directories were looked at" in found["?"][0]


def test_a_file_that_is_too_large_is_not_read(proposed: Propose) -> None:
    files = {"big/CMakeLists.txt": "project(b C)\n" + "#" * bounds.MAX_BYTES}
    found = proposed({"CMakeLists.txt": APP, **files})
    assert found["?"] == ["big/CMakeLists.txt is no file of at most 256 KiB below this directory"]


WORDS = st.sampled_from(
    ["a", "v73", "${a}", "${DSP_VERSION}", "SHARED", "a_skel.c", "x\x7f\x1b[1m", '"', "\\",
     "{arch}", "TARGETS", "NOT", "PROPERTIES", "OUTPUT_NAME", "SOURCE_DIR", "..", ".", "/", "sub",
     "-DA=v68",
     "ü", "\u2028", "[*]", "VERSION", "1.2", "cdsprpc", "PREFIX", "../../x", "a.idl", "a" * 70,
     "EXPORT", "aConfig.cmake", "CMAKE_ARGS", "\ud7ff", "ANDROID", "#", "]]", "$<X:y>", "x\ny"]
)  # fmt: skip
NAMES = st.sampled_from(
    ["project", "add_library", "add_executable", "install", "set", "if", "else", "endif", "foreach",
     "endforeach", "function", "endfunction", "a", "ExternalProject_Add", "set_target_properties",
     "find_package", "add_subdirectory", "include", "option", "list", "build_idl", "set_property"]
)  # fmt: skip
COMMANDS = st.lists(st.tuples(NAMES, st.lists(WORDS, max_size=6), st.booleans()), max_size=30)


def written(rows: list[tuple[str, list[str], bool]]) -> str:
    def argument(word: str, quoted: bool) -> str:
        return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' if quoted else word

    return "\n".join(f"{n}({' '.join(argument(w, q) for w in ws)})" for n, ws, q in rows)


@given(top=COMMANDS, sub=COMMANDS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_whatever_listings_say_the_proposal_is_a_project_file(
    top: list[tuple[str, list[str], bool]], sub: list[tuple[str, list[str], bool]], tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir(exist_ok=True)
    (tmp_path / "a.idl").write_text("interface a {};")
    (tmp_path / "CMakeLists.txt").write_text("project(top C)\n" + written(top))
    (tmp_path / "sub/CMakeLists.txt").write_text("project(sub C)\n" + written(sub))
    (tmp_path / "buildtool.toml").unlink(missing_ok=True)
    proposal = text(propose(read_tree(tmp_path), "demo"))
    assert all(line.isprintable() for line in proposal.splitlines())
    if proposal:
        (tmp_path / "buildtool.toml").write_text(proposal)
        read_project(tmp_path / "buildtool.toml")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[" * 100_000,
        "[]",
        "null",
        '{"configurePresets": 3}',
        '{"configurePresets": {"name": "a"}}',
        '{"configurePresets": [3, "a", null]}',
        '{"configurePresets": [{"name": 3}]}',
        '{"configurePresets": [{"name": "a", "inherits": 3}]}',
        '{"configurePresets": [{"name": "a", "inherits": ["b", 3, null], "cacheVariables": []},'
        ' {"name": "b", "inherits": "a", "cacheVariables": {"x": null, "y": {"value": []}}}]}',
    ],
)
def test_presets_that_are_none(content: str, proposed: Propose) -> None:
    assert all(not preset.cache for preset in configure_presets(content))
    assert set(proposed({"CMakeLists.txt": APP, "CMakePresets.json": content})["host"]) == {"app"}
