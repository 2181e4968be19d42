"""`init` in a directory of prebuilt files."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from buildtool.propose.prebuilt import propose_prebuilt
from buildtool.propose.proposal import toml_text
from tests.integration.contract.binaries import Linker, entry
from tests.project import Project


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    return Linker(tmp_path_factory.mktemp("binaries"))


def put(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, place)


def proposed(root: Path) -> dict[str, Any]:
    return tomllib.loads(toml_text(propose_prebuilt(root, "it")))


def test_a_proposed_project_builds(linker: Linker, tmp_path: Path) -> None:
    project = Project(tmp_path / "a release")
    put(linker.host("libx.so.1", "int x;"), project.root / "lib/libx.so.1")
    (project.root / "lib/libx.so").symlink_to("libx.so.1")
    for arch in ("v68", "v69"):
        put(linker.skel(entry(), arch=arch), project.root / f"dsp/{arch}/libd_skel.so")
    put(linker.skel("int old;"), project.root / "dsp/v69/libold.so")
    put(linker.skel("int old;"), project.root / "dsp/v68/libold.so")

    project.succeeds("init", "--name", "it")

    assert proposed(project.root)["host"]["it"] == {"files": ["lib/*.so*"]}
    assert proposed(project.root)["skel"]["it-dsp"] == {
        "files": ["dsp/{arch}/*.so*"],
        "archs": ["v68", "v69"],
    }
    project.build_here()
    assert {*project.release_files()} > {"lib/libx.so", "dsp/v69/libold.so"}


def test_archs_in_the_names_of_files_and_in_none(linker: Linker, tmp_path: Path) -> None:
    for arch in ("v68", "v69"):
        put(linker.skel(entry(), arch=arch), tmp_path / f"all/libd-{arch}.so")
    put(linker.skel(entry(), arch="v69"), tmp_path / "all/libodd_skel.so")

    assert proposed(tmp_path)["skel"]["it-dsp"] == {
        "files": ["all/libd-{arch}.so", "all/libodd_skel.so"],
        "archs": ["v69"],
    }
    put(linker.skel(entry()), tmp_path / "all/libolder_skel.so")
    proposal = propose_prebuilt(tmp_path, "it")
    assert tomllib.loads(toml_text(proposal))["skel"]["it-dsp"]["files"] == ["all/libd-{arch}.so"]
    assert {row.what for row in proposal.unknown} == {
        "all/libodd_skel.so is there for v69 only",
        "all/libolder_skel.so is there for v68 only",
    }


def test_a_library_for_android_makes_a_target_for_it(linker: Linker, tmp_path: Path) -> None:
    put(linker.host("liba.so", "int a;", *linker.needing("libc.so")), tmp_path / "liba.so")

    document = proposed(tmp_path)

    assert document["project"]["default-target"] == "phone"
    assert document["target"]["phone"]["platform"] == "android"


def test_other_files_make_no_project(linker: Linker, tmp_path: Path) -> None:
    (tmp_path / "notes.so").write_text("text")
    put(linker.link("int x;", ("--target=x86_64-linux-gnu",)), tmp_path / "libx86.so")
    damaged = linker.host("libx.so", "int x;").read_bytes()[:100]
    (tmp_path / "damaged.so").write_bytes(damaged)

    assert toml_text(propose_prebuilt(tmp_path, "it")) == ""
