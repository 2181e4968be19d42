"""Damaged and malicious files are findings: no crash, no hang, no growth of memory."""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from buildtool.contract.inspection import check
from buildtool.contract.release_json import ReleaseFileError, read_promise
from buildtool.contract.subject import Subject, read_tree
from tests.command_line import REPOSITORY, Buildtool
from tests.conftest import LONG

from .binaries import entry, note
from .conftest import Make
from .releases import DIGEST

COUNT = 6000 if LONG else 300
SEED = random.randrange(1 << 32) if LONG else 1


def test_mutated_binaries_of_a_release(make: Make, tmp_path: Path) -> None:
    release = make()
    libc = release.linker.versioned("libc.so.6", "GLIBC_2.36", "arc4random")
    source = "void arc4random(void);\n_Thread_local int x; void part(void) { arc4random(); }"
    release.host("lib/libpart.so", source, *libc, "-Wl,-rpath,/opt", stripped=False)
    release.skel("dsp/v68/libmore_skel.so", entry() + note("Android", b"abcd"))
    files = sorted(str(path) for path in release.root.rglob("*") if path.is_file())

    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.integration.contract.hostile"),
            *(str(SEED), str(COUNT), str(tmp_path), *files),
        ],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, f"seed {SEED}: {done.stderr}"
    assert int(done.stdout) > COUNT // 2  # most mutations break a rule


def test_a_table_of_gigabytes(make: Make, tmp_path: Path) -> None:
    """The section table, and the notes, claim to be as long as a sparse file of 8 GB."""
    release = make()
    data = bytearray((release.root / "lib/libdemo.so").read_bytes())
    notes = next(
        at
        for at in range(64, 64 + 56 * 12, 56)
        if struct.unpack_from("<I", data, at)[0] == 4  # PT_NOTE
    )
    struct.pack_into("<Q", data, notes + 32, 8 << 30)
    struct.pack_into("<Q", data, 40, len(data))  # e_shoff
    struct.pack_into("<H", data, 60, 0xFFFF)  # e_shnum
    file = release.put("lib/libdemo.so", bytes(data))
    with file.open("r+b") as stream:
        stream.truncate(8 << 30)
    checked = Subject({"lib/libdemo.so": file})

    assert not checked.elves
    assert "lib/libdemo.so" in checked.damaged


def test_more_symbols_than_memory_are_not_read(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    release = make()
    monkeypatch.setattr("buildtool.contract.subject.MAX_SYMBOLS_BYTES", 10)

    found = [f for f in check(read_tree(release.root)) if f.rule == "valid-elf"]

    assert [finding.path for finding in found] == [
        *("bin/demo", "dsp/v68/libdemo_skel.so", "lib/libdemo.so")
    ]
    assert found[0].message == "demo is not checked"
    assert found[0].remedy == "Inspect fewer files at once."


def test_a_deep_tree_is_read(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    depth = 1500  # Python's limit of recursion is 1000
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("empty", os.O_CREAT, dir_fd=here))
    os.close(here)

    try:
        (finding,) = check(read_tree(tmp_path))
    finally:
        subprocess.run(["rm", "-r", tmp_path / "d"], check=True)  # pytest removes it recursively

    assert finding.path == "d/" * depth + "empty"


def test_a_thousand_releases_are_enough(buildtool: Buildtool, tmp_path: Path) -> None:
    for number in range(1001):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "release.json").write_text("{}")

    done = buildtool("inspect", ".", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith("error: 1001 releases are too many\n")


def document(make: Make) -> dict[str, Any]:
    release = make()
    release.declare()
    found: dict[str, Any] = json.loads((release.root / "release.json").read_text())
    return found


def listed(path: Any, **more: Any) -> dict[str, Any]:
    row = {"path": path, "mode": "0644", "size": 1, "sha256": "0" * 64, "step": None}
    return {"host": {"files": [{**row, **more}]}}


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"target": None},
        {"target": []},
        {"slices": []},
        {"slices": {"host": {"files": {}}}},
        {"slices": listed("../etc/passwd")},
        {"slices": listed("/etc/passwd")},
        {"slices": listed("a/./b")},
        {"slices": listed("")},
        {"slices": listed(7)},
        {"slices": listed("a", mode="4755")},
        {"slices": listed("a", size=-1)},
        {"slices": listed("a", size=True)},
        {"slices": listed("a", sha256="x")},
        {"slices": listed("a", step=7)},
        {"slices": {**listed("a"), "v68": listed("a")["host"]}},
        {"slices": listed("a", link=7)},
        {"steps": [{"name": "a", "component": "b", "arch": "v67"}]},
        {"steps": {}},
        {"steps": [[]]},
    ],
)
def test_a_malicious_release_json_is_refused(
    change: dict[str, Any], make: Make, tmp_path: Path
) -> None:
    (tmp_path / "release.json").write_text(json.dumps({**document(make), **change}))
    with pytest.raises(ReleaseFileError, match="is damaged, or of another version"):
        read_promise(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("platform", "windows"),
        ("platform", []),
        ("archs", "v68"),
        ("archs", ["v67"]),
        ("glibc", "2.x"),
        ("glibc", 2.35),
        ("api", "31"),
        ("system_libraries", [["a"]]),
        ("system_libraries", ["\ud800"]),
    ],
)
def test_a_malicious_target_is_refused(key: str, value: Any, make: Make, tmp_path: Path) -> None:
    changed = document(make)
    changed["target"][key] = value
    (tmp_path / "release.json").write_text(json.dumps(changed))
    with pytest.raises(ReleaseFileError):
        read_promise(tmp_path)


@pytest.mark.parametrize("text", ["", "[", "[" * 100_000, "null", "7", '{"schema": 1}'])
def test_a_release_json_that_is_not_a_document_is_an_error(
    text: str, buildtool: Buildtool, tmp_path: Path
) -> None:
    (tmp_path / "release.json").write_text(text)

    done = buildtool("inspect", ".", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith("error: ./release.json is damaged")
    assert "Traceback" not in done.stderr


def test_names_of_files_cannot_control_the_terminal(
    make: Make, buildtool: Buildtool, tmp_path: Path
) -> None:
    release = make()
    release.put("lib/\x1b[31mred", b"")
    release.put("lib/\udcff", b"")

    done = buildtool("inspect", "release", cwd=tmp_path)
    as_json = buildtool("inspect", "release", "--json", cwd=tmp_path)
    as_sarif = buildtool("inspect", "release", "--sarif", cwd=tmp_path)

    assert "\x1b" not in done.stdout
    assert r"lib/\x1b[31mred:" in done.stdout
    assert r"lib/\xff:" in done.stdout
    (row,) = json.loads(as_json.stdout)["inspected"]
    assert [finding["path"] for finding in row["findings"]] == ["lib/\x1b[31mred", "lib/\udcff"]
    results = json.loads(as_sarif.stdout)["runs"][0]["results"]
    uris = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results]
    assert uris == ["release/lib/%1B%5B31mred", "release/lib/%FF"]


def test_a_note_of_another_owner_is_no_digest(make: Make) -> None:
    release = make()
    release.skel("dsp/v68/libdemo_skel.so", entry() + note("buildtool", DIGEST + bytes(9)))
    release.declare()

    (finding,) = release.findings()

    assert finding.rule == "idl-digest"
