"""Archives of a release: the same bytes wherever they are made, and made only when needed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from buildtool.project.model import FORMAT_PLATFORMS, FORMATS
from tests.caches import share
from tests.project import Project

TIME = 1_700_000_000  # of the commit, in seconds since 1970
FILES = {
    "buildtool.toml": """
[project]
name = "pack"
version = "1.2"

[host.app]
source = "host"

[skel.dsp]
source = "dsp"

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68", "v73"]
""",
    ".gitignore": "dist/\n",
    "host/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(app C)
add_library(part SHARED part.c)
add_executable(app main.c)
target_link_libraries(app PRIVATE part)
install(TARGETS app part RUNTIME DESTINATION bin LIBRARY DESTINATION lib)
install(FILES main.c DESTINATION share/app)
""",
    "host/main.c": "int part(void);\nint main(void) { return part(); }\n",
    "host/part.c": "int part(void) { return 7; }\n",
    "dsp/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(dsp C)
add_library(b_skel SHARED entry.c)
install(TARGETS b_skel LIBRARY DESTINATION .)
""",
    "dsp/entry.c": """
int b_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; (void)p; return (int)s; }
""",
}
SHIPPED = {
    *("bin/app", "lib/libpart.so", "share/app/main.c", "run.sh"),
    *("dsp/v68/libb_skel.so", "dsp/v73/libb_skel.so"),
}
HERE = [name for name in FORMATS if FORMAT_PLATFORMS.get(name) in (None, "ubuntu-aarch64")]
ALL = [word for name in HERE for word in ("--format", name)]


def git(root: Path, *arguments: str, time: int = TIME) -> None:
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "a"), ("EMAIL", "a@b"), ("DATE", f"@{time} +0000"))
    }
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "-C", root, *arguments], check=True, env=environment, timeout=60)


def clone(folder: Path, **variables: str) -> Project:
    """A clone of the project on a machine of its own."""
    project = Project(folder, share(folder.parent / f"cache of {folder.name}"), variables)
    project.lay_out(FILES)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        git(folder, *arguments)
    return project


def package(project: Project, *options: str) -> dict[str, str]:
    """Make archives; returns name → sha256."""
    printed = json.loads(project.succeeds("package", "--json", *options))
    return {Path(one["path"]).name: one["sha256"] for one in printed["archives"]}


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, dict[str, str]]:
    """A clone, and its archives in all formats."""
    project = clone(tmp_path_factory.mktemp("one") / "clone")
    return project, package(project, *ALL)


def test_another_clone_makes_the_same_bytes(
    packed: tuple[Project, dict[str, str]], tmp_path: Path
) -> None:
    _, wanted = packed
    other = clone(
        tmp_path / "a longer path with spaces/and more" / "project",
        TZ="Asia/Kolkata",
        LANG="tr_TR.UTF-8",
        LC_ALL="C",
        USER="somebody",
        HOSTNAME="elsewhere",
        HOME=str(tmp_path),
    )
    other.prefix = ["sh", "-c", 'umask 077; exec "$@"', "sh"]

    assert package(other, "--jobs", "1", *ALL) == wanted
    assert len(wanted) == len(HERE)


@pytest.mark.long
def test_the_release_says_what_it_is_made_of(packed: tuple[Project, dict[str, str]]) -> None:
    project, wanted = packed
    with zipfile.ZipFile(project.root / "dist/pack-1.2-sim.zip") as archive:
        names = {info.filename: info for info in archive.infolist()}
        document = json.loads(archive.read("pack-1.2-sim/release.json"))

    licences = {row["path"] for row in document["licenses"]}
    assert {name.removeprefix("pack-1.2-sim/") for name in names} == {
        *(*SHIPPED, "release.json"),
        *licences,
    }
    assert "licenses/ziglang/LICENSE" in licences
    assert "licenses/ziglang/lib/libcxx/LICENSE.TXT" not in licences  # nothing is C++
    assert {info.date_time for info in names.values()} == {(2023, 11, 14, 22, 13, 20)}
    assert document["source"]["dirty"] is False
    assert len(document["source"]["revision"]) == 40
    assert document["source_date_epoch"] == TIME
    assert [*document["slices"]] == ["host", "v68", "v73"]
    (skel,) = document["slices"]["v73"]["files"]
    assert (skel["path"], skel["elf"]["arch"], skel["step"]) == (
        *("dsp/v73/libb_skel.so", "v73", "skel/dsp/v73"),
    )
    assert f"{document['id']}" in project.succeeds("build", "--json")
    assert wanted.keys() > {"pack-1.2-sim.tar.zst", "pack-1.2-sim.zip"}


def test_debug_information_is_kept_beside(packed: tuple[Project, dict[str, str]]) -> None:
    project, _ = packed
    debug = project.root / ".buildtool/debug/sim"
    for name in ("bin/app", "lib/libpart.so", "dsp/v68/libb_skel.so"):
        place = debug / f"{name}.debug"
        assert b"DW_" in readelf(place, "--debug-dump=info")
        assert place.resolve().parent.parent.name == ".build-id"
        assert b".debug" not in readelf(project.release() / name, "-SW")


def readelf(file: Path, *options: str) -> bytes:
    done = subprocess.run(["readelf", *options, file], check=True, capture_output=True, timeout=60)
    return done.stdout


def contents(project: Project) -> dict[str, bytes]:
    with zipfile.ZipFile(project.root / "dist/pack-1.2-sim.zip") as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


CHANGES: list[tuple[str, str, str, set[str]]] = [
    ("host/part.c", "7", "8", {"lib/libpart.so"}),
    ("dsp/entry.c", "(int)s", "(int)h", {"dsp/v68/libb_skel.so", "dsp/v73/libb_skel.so"}),
    ("host/main.c", "part(); }", "part(); } ", {"share/app/main.c"}),
]


def test_one_changed_byte_changes_what_depends_on_it_only(tmp_path: Path) -> None:
    project = clone(tmp_path / "clone")
    package(project, "--format", "zip")
    for file, old, new, differ in CHANGES:
        before = contents(project)
        slices = json.loads(before["release.json"])["slices"]
        project.edit(file, old, new)
        package(project, "--format", "zip")
        after = contents(project)

        changed = {name for name in before if before[name] != after[name]}
        assert changed == {*differ, "release.json"}, file
        document = json.loads(after["release.json"])
        parts = {
            name for name, part in document["slices"].items() if part["id"] != slices[name]["id"]
        }
        assert parts == ({"v68", "v73"} if file.startswith("dsp") else {"host"}), file
        assert document["source"]["dirty"] is True, file


def test_archives_are_made_only_when_something_changed(
    packed: tuple[Project, dict[str, str]], tmp_path: Path
) -> None:
    project, first = packed
    archive = project.root / "dist/pack-1.2-sim.zip"
    written = archive.stat().st_mtime_ns
    assert package(project, *ALL) == first
    assert archive.stat().st_mtime_ns == written

    archive.write_bytes(archive.read_bytes()[:-1])
    assert package(project, *ALL) == first  # a damaged archive is made again
    elsewhere = package(project, "--format", "zip", "--output", str(tmp_path / "out"))
    assert elsewhere == {archive.name: first[archive.name]}
    assert (tmp_path / "out" / archive.name).is_file()
    archive.unlink()
    assert package(project, "--format", "zip") == {archive.name: first[archive.name]}
    assert package(project, *ALL) == first  # as the other tests find it


def test_documents_and_signatures_are_of_the_archive_beside_them(tmp_path: Path) -> None:
    project, key = clone(tmp_path / "clone"), tmp_path / "key"
    project.edit("buildtool.toml", '[skel.dsp]\nsource = "dsp"\n', "")
    project.edit("buildtool.toml", 'archs = ["v68", "v73"]', "archs = []")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    signers = tmp_path / "signers"
    signers.write_text(f"me@example.org {key.with_suffix('.pub').read_text()}")
    project.succeeds("package", "--sign", str(key))
    archive = str(project.root / "dist/pack-1.2-sim.tar.zst")
    verified = project.succeeds("verify", archive, "--signers", str(signers))
    # For the archive, the SBOM, the provenance, and in the line at the end.
    assert verified.count("me@example.org") == 4

    project.edit("host/part.c", "7", "8")
    project.succeeds("package")
    assert [file.name for file in (project.root / "dist").iterdir()] == [Path(archive).name]
    assert ".sig cannot be read" in project.fails("verify", archive, "--signers", str(signers))


def test_wheels_of_two_targets_lie_beside_each_other(tmp_path: Path) -> None:
    project = clone(tmp_path / "clone")
    project.edit("buildtool.toml", '[skel.dsp]\nsource = "dsp"\n', "")
    project.edit("buildtool.toml", 'archs = ["v68", "v73"]', "archs = []")
    board = '[target.A-Board]\nplatform = "ubuntu-aarch64"\nbuild-type = "Debug"\n'
    project.edit("buildtool.toml", "[target.sim]", f"{board}[target.sim]")

    of_sim = package(project, "sim", "--format", "wheel,zip")
    of_board = package(project, "A-Board", "-f", "zip,wheel,zip")

    (wheel, _), (_, other) = of_sim, of_board
    assert wheel == "pack-1.2-py3-none-manylinux_2_35_aarch64.whl"
    assert other == "pack-1.2-1_a_board-py3-none-manylinux_2_35_aarch64.whl"
    made = {file.name for file in (project.root / "dist").iterdir()}
    assert made == {*of_sim, *of_board}
    for name, build in ((wheel, []), (other, ["Build: 1_a_board"])):
        with zipfile.ZipFile(project.root / "dist" / name) as archive:
            lines = archive.read("pack-1.2.dist-info/WHEEL").decode().splitlines()
        assert [line for line in lines if line.startswith("Build")] == build


@pytest.mark.parametrize("value", ["soon", "-1", "1.5", "99999999999", "１２"])
def test_a_malformed_time_is_an_error(value: str, tmp_path: Path) -> None:
    project = Project(tmp_path, variables={"SOURCE_DATE_EPOCH": value})
    project.lay_out(FILES)
    for command in ("package", "build"):
        done = project.run(command)
        assert done.returncode == 2
        assert f"SOURCE_DATE_EPOCH is not a time: {value!r}" in done.stderr
    assert not (tmp_path / "dist").exists()


def test_an_unknown_format_is_an_error_before_anything_is_built(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.lay_out(FILES)
    done = project.run("package", "--format", "rar")
    assert done.returncode == 2
    assert "'rar' is not a format of archives" in done.stderr
    assert not (tmp_path / ".buildtool").exists()


def test_a_target_without_formats_has_no_archives(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.lay_out(FILES)
    project.edit("buildtool.toml", "[target.sim]", "[target.sim]\nformats = []")
    done = project.run("package")
    assert done.returncode == 2
    assert "there is no archive to make" in done.stderr


@pytest.mark.parametrize("kind", ["file", "link to nothing"])
def test_an_output_that_is_no_directory_is_an_error_before_anything_is_built(
    kind: str, tmp_path: Path
) -> None:
    project = Project(tmp_path)
    project.lay_out(FILES)
    output = tmp_path / "out"
    output.touch() if kind == "file" else output.symlink_to("nowhere")
    done = project.run("package", "--output", "out")
    assert done.returncode == 2
    assert f"{output} is not a directory" in done.stderr
    assert not (tmp_path / ".buildtool").exists()


@pytest.mark.long
def test_the_time_is_the_given_one_or_that_of_the_commit_or_1980(tmp_path: Path) -> None:
    project = clone(tmp_path / "clone", SOURCE_DATE_EPOCH="1000000000")
    project.edit("buildtool.toml", '[skel.dsp]\nsource = "dsp"\n', "")
    project.edit("buildtool.toml", 'archs = ["v68", "v73"]', "archs = []")
    project.variables["GIT_CEILING_DIRECTORIES"] = str(tmp_path)

    def document() -> dict[str, Any]:
        package(project, "--format", "zip")
        read: dict[str, Any] = json.loads(contents(project)["release.json"])
        return read

    assert document()["source_date_epoch"] == 1_000_000_000
    project.variables["SOURCE_DATE_EPOCH"] = ""  # is none
    assert document()["source_date_epoch"] == TIME
    shutil.rmtree(project.root / ".git")
    of_no_revision = document()
    assert of_no_revision["source"] == {"revision": None, "dirty": None}
    assert of_no_revision["source_date_epoch"] == 315_532_800  # 1980-01-01


def test_a_rule_that_does_not_exist_is_an_error_that_names_the_closest_one(tmp_path: Path) -> None:
    project = clone(tmp_path / "clone")
    project.edit("buildtool.toml", '[skel.dsp]\nsource = "dsp"\n', "")
    project.edit(
        "buildtool.toml", 'archs = ["v68", "v73"]', 'archs = []\nallow = ["no-build-path"]'
    )
    done = project.run("package")
    assert done.returncode == 2
    assert "there is no rule 'no-build-path'\n  'allow' in [target.sim] names it" in done.stderr
    assert "Did you mean 'no-build-paths'?" in done.stderr
