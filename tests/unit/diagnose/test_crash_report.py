"""Reports of crashes are read as untrusted input."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buildtool.diagnose.crash_report import MARK, parse_crash_report, read_crash_reports
from buildtool.diagnose.explain_crash import describe_region, explain_crashes
from buildtool.diagnose.method_names import MethodNames, SkelMethods, called_method, method_names
from buildtool.diagnose.module_files import DebugFiles
from buildtool.project.model import Project
from buildtool.project.read import find_project
from tests.conftest import LONG

PROJECT = """\
[project]
name = "p"
[skel.k]
source = "."
idl = "k.idl"
[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]
"""
IDL = """\
#include "AEEStdDef.idl"
#include "remote.idl"
interface k : remote_handle64 {
    AEEResult one(in long n, in sequence<octet> a, rout sequence<octet> b, rout long c);
};
"""
BUILD_ID = "12" * 20
REGION = {"kind": "in", "size": 1024, "gone": False, "index": 1, "method": 2, "distance": 4}
REPORT = {
    "kind": "memory",
    "text": "bad memory access",
    "skel": "libk_skel.so",
    "method": 2,
    "region": REGION,
    "pc": {"module": "libk_skel.so", "offset": 64, "build_id": BUILD_ID},
    "frames": [],
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*REPORT, *REGION]), inner),
)


@pytest.fixture
def project_root(tmp_path: Path) -> Path:
    (tmp_path / "buildtool.toml").write_text(PROJECT)
    (tmp_path / "k.idl").write_text(IDL)
    (tmp_path / "CMakeLists.txt").touch()
    return tmp_path


def write_skel(project: Project, name: str, *exports: str) -> None:
    """Write a skel with these symbols into the release of `sim`."""
    names = b"\0" + b"".join(export.encode() + b"\0" for export in exports)
    starts = [names.index(export.encode() + b"\0") for export in exports]
    begin = 52 + 2 * 32 + 4 * 8  # after header, segments and dynamic entries
    symbols = bytes(16) + b"".join(struct.pack("<IIIBBH", at, 0, 0, 0x12, 0, 7) for at in starts)
    tags = {5: begin + len(symbols), 6: begin, 10: len(names), 0: 0}  # STRTAB, SYMTAB, STRSZ
    size = begin + len(symbols) + len(names)
    segments = ((1, 0, 0, 0, size, size, 5, 1), (2, 116, 116, 116, 32, 32, 6, 4))
    header = struct.pack("<HHIIIIIHHHHHH", 3, 164, 1, 0, 52, 0, 0x68, 52, 32, 2, 40, 0, 0)
    data = b"\x7fELF\x01\x01\x01".ljust(16, b"\0") + header
    data += b"".join(struct.pack("<8I", *segment) for segment in segments)
    data += b"".join(struct.pack("<II", tag, value) for tag, value in tags.items())
    file = project.state / "release" / "sim" / "dsp" / "v68" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data + symbols + names)


def explained(root: Path, *lines: str) -> tuple[str, ...]:
    (root / "crashes").write_text("".join(f"{line}\n" for line in lines))
    return explain_crashes(find_project(root), root / "debug", root / "crashes")


def test_parameter_and_method_have_the_names_of_the_idl(project_root: Path) -> None:
    (text,) = explained(project_root, MARK + json.dumps(REPORT))
    assert text.splitlines() == [
        "the DSP process crashed: bad memory access",
        "  4 bytes past the end of parameter 'a' of k_one (in, 1,024 bytes)",
        "  at libk_skel.so+0x40",
        "  in k_one, method 2 of libk_skel.so",
        "  the skel has no debug information for lines: compile it with -g, and link it without -s",
    ]


def test_buffers_of_a_call_in_wire_order(project_root: Path) -> None:
    names = method_names(find_project(project_root), "libk_skel.so", 2)
    assert names == MethodNames("k_one", ("primIn", "a", "primROut", "b"))
    assert method_names(find_project(project_root), "libk_skel.so", 3) is None
    assert method_names(find_project(project_root), "libother_skel.so", 2) is None


def test_many_names_are_of_one_reading_of_the_idl(project_root: Path) -> None:
    """Each test of a suite has counts of the same methods."""
    project = find_project(project_root)
    find = SkelMethods(project)
    known = find("libk_skel.so", 2)
    (project_root / "k.idl").unlink()
    assert known is not None
    assert find("libk_skel.so", 2) == known
    assert find("libk_skel.so", 3) is None
    assert method_names(project, "libk_skel.so", 2) is None


def test_a_skel_of_another_name_has_the_names_of_the_entry_that_it_exports(
    project_root: Path,
) -> None:
    two = IDL.replace("interface k ", "interface other ") + IDL.partition('remote.idl"')[2]
    (project_root / "k.idl").write_text(two)
    project = find_project(project_root)
    skel = "libk-htp-v68.so"

    assert method_names(project, skel, 2) is None  # nothing was built
    write_skel(project, skel, "k_skel_handle_invoke", "k_skel_handle_invoke_uri")
    names = method_names(project, skel, 2)
    assert names == MethodNames("k_one", ("primIn", "a", "primROut", "b"))
    assert called_method(project, skel, ["helper", "k_one"]) == 2
    write_skel(project, skel, "unknown_skel_invoke")
    assert method_names(project, skel, 2) is None
    write_skel(project, skel, "k_skel_handle_invoke", "other_skel_handle_invoke")
    assert method_names(project, skel, 2) is None  # of either


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"distance": 1}, "1 byte past the end of buffer 1 of method 2 (in, 1,024 bytes)"),
        ({"distance": -128, "kind": "out"}, "128 bytes before the start of buffer 1 of method 2"),
        ({"distance": 0, "inside": 5, "gone": True}, "whose call has returned"),
        ({"distance": 0, "kind": "heap", "gone": True}, "byte 0 of a freed heap block of 1,024"),
    ],
)
def test_distance(change: dict[str, object], text: str) -> None:
    report = parse_crash_report(json.dumps({**REPORT, "region": {**REGION, **change}}))
    assert report
    assert report.region
    assert text in describe_region(report.region, None)


@settings(max_examples=2000 if LONG else 30)
@given(JSON)
def test_any_document_is_read(document: object) -> None:
    report = parse_crash_report(json.dumps(document))
    assert report is None or isinstance(document, dict)


@given(st.binary())
def test_any_line_is_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any-crash"
    file.write_bytes(b"@crash " + data)
    read_crash_reports(file)


def test_control_characters_and_paths_are_refused(project_root: Path) -> None:
    evil = {
        **REPORT,
        "text": "\x1b[2J",
        "pc": {"module": "../../etc/passwd", "offset": 1, "build_id": "../../x"},
    }
    (text,) = explained(project_root, MARK + json.dumps(evil))
    assert "\x1b" not in text
    assert "passwd" not in text


def test_number_and_size_of_reports_are_limited(project_root: Path) -> None:
    line = MARK + json.dumps(REPORT)
    assert len(explained(project_root, *[line] * 50)) == 8
    assert explained(project_root, MARK + "[" * 100_000) == ()
    assert explained(project_root, "no report", MARK + "{") == ()


def test_a_damaged_debug_file_gives_no_places(tmp_path: Path) -> None:
    file = tmp_path / ".build-id" / BUILD_ID[:2] / f"{BUILD_ID[2:]}.debug"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\x7fELF" + bytes(200))
    report = parse_crash_report(json.dumps(REPORT))
    assert report
    assert report.pc
    assert DebugFiles(tmp_path).places(report.pc, call=False) == ()
