"""Projects of prebuilt files: no compiler of this tool runs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from buildtool.cache.emulator_cache import Emulator
from buildtool.core.elf.read import read_elf
from buildtool.device.emulated.device import EmulatedDevice, check_libraries
from buildtool.device.emulated.socs import find_soc
from buildtool.device.errors import DeviceError
from buildtool.drivers.cmake.products import ArtifactError
from buildtool.engine.options import Options
from buildtool.flow.targets import build_release
from buildtool.project.read import find_project
from buildtool.sdk import qemu
from buildtool.toolchains.survey import survey
from tests.integration.contract.binaries import Linker, entry
from tests.project import Project

TEXT = """\
[project]
name = "vendor"

[host.libs]
files = ["prebuilt/lib/*.so*"]

[skel.dsp]
files = ["prebuilt/htp-{arch}/*.so"]

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68", "v69"]

[target.newer]
platform = "ubuntu-aarch64"
archs = ["v69", "v73"]
"""
STEPS = ("host/libs", "skel/dsp/v68", "skel/dsp/v69")


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    return Linker(tmp_path_factory.mktemp("binaries"))


@pytest.fixture
def project(linker: Linker, tmp_path: Path) -> Project:
    """A project of one library with its link, and a skel for two archs."""
    project = Project(tmp_path / "vendor")
    project.write("buildtool.toml", TEXT)
    library = linker.host("libv.so.1", "int v(void) { return 1; }", stripped=False)
    put(library, project, "prebuilt/lib/libv.so.1")
    (project.root / "prebuilt/lib/libv.so").symlink_to("libv.so.1")
    for arch in ("v68", "v69"):
        put(linker.skel(entry(), arch=arch), project, f"prebuilt/htp-{arch}/libd_skel.so")
    return project


def put(file: Path, project: Project, name: str) -> None:
    (project.root / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, project.root / name)


def test_files_are_staged_by_side_and_arch(project: Project) -> None:
    assert project.build_here() == dict.fromkeys(STEPS, "built")

    release = project.release()
    assert sorted(project.release_files()) == [
        *("dsp/v68/libd_skel.so", "dsp/v69/libd_skel.so", "lib/libv.so", "lib/libv.so.1"),
        "run.sh",
    ]
    assert (release / "lib/libv.so").readlink() == Path("libv.so.1")
    assert read_elf(release / "dsp/v69/libd_skel.so").hexagon_arch == "v69"
    assert read_elf(project.root / "prebuilt/lib/libv.so.1").debug_sections
    assert not read_elf(release / "lib/libv.so.1").debug_sections
    assert (project.root / ".buildtool/debug/sim/lib/libv.so.1.debug").is_file()
    assert project.build_here() == dict.fromkeys(STEPS, "up-to-date")


def test_a_new_file_and_a_changed_one_are_reasons(linker: Linker, project: Project) -> None:
    project.build_here()
    put(linker.host("libw.so", "int w;"), project, "prebuilt/lib/libw.so")
    put(linker.skel(entry("x + 1")), project, "prebuilt/htp-v68/libd_skel.so")

    why = project.why_json()

    assert [row["kind"] for row in why["host/libs"]["reasons"]] == ["glob"]
    assert why["host/libs"]["reasons"][0]["name"] == "{project}/prebuilt/lib/libw.so"
    assert [row["kind"] for row in why["skel/dsp/v68"]["reasons"]] == ["input"]
    assert why["skel/dsp/v69"]["outcome"] == "up-to-date"
    assert project.build_here()["host/libs"] == "built"
    assert "lib/libw.so" in project.release_files()


def test_a_file_that_is_gone_leaves_the_release(project: Project) -> None:
    put(project.root / "prebuilt/lib/libv.so.1", project, "prebuilt/lib/libold.so")
    project.build_here()
    assert "lib/libold.so" in project.release_files()
    (project.root / "prebuilt/lib/libold.so").unlink()

    project.build_here()

    assert "lib/libold.so" not in project.release_files()


def test_missing_files_for_an_arch_name_those_that_there_are(project: Project) -> None:
    with pytest.raises(ArtifactError) as caught:
        project.build_here("newer")

    assert caught.value.message == "skel/dsp/v73 has no file 'prebuilt/htp-v73/*.so'"
    assert caught.value.why == "the component has files for v68, v69"
    assert 'archs = ["v68", "v69"] in [skel.dsp]' in caught.value.remedy


def test_a_file_for_another_arch_gets_no_advice_about_flags(
    linker: Linker, project: Project
) -> None:
    put(linker.skel(entry(), arch="v69"), project, "prebuilt/htp-v68/libd_skel.so")

    error = project.fails()

    assert "libd_skel.so is built for v69, not for v68" in error
    assert "-mcpu" not in error


def test_a_library_for_android_is_refused(linker: Linker, project: Project) -> None:
    flags = linker.needing("libadsprpc.so", "libc.so")
    put(linker.host("liba.so", "int a;", *flags), project, "prebuilt/lib/liba.so")

    error = project.fails()

    assert "liba.so is built for Android, not for Linux with glibc" in error
    assert "it needs libadsprpc.so; it needs libc.so" in error


def test_a_tree_keeps_its_layout_and_links(project: Project) -> None:
    project.edit("buildtool.toml", 'files = ["prebuilt/lib/*.so*"]', 'tree = "tree"')
    (project.root / "tree/share/data").mkdir(parents=True)
    project.write("tree/share/data/table", "1 2 3\n")
    shutil.move(project.root / "prebuilt/lib", project.root / "tree/lib")
    (project.root / "tree/lib64").symlink_to("lib")

    project.build_here()

    release = project.release()
    assert (release / "share/data/table").read_text() == "1 2 3\n"
    assert (release / "lib/libv.so").readlink() == Path("libv.so.1")
    assert (release / "lib64").readlink() == Path("lib")
    (project.root / "tree/lib64").unlink()
    (project.root / "tree/lib64").symlink_to("share")
    assert project.build_here()["host/libs"] == "built"
    assert (release / "lib64").readlink() == Path("share")


def test_a_tree_that_is_the_project_is_without_the_state(tmp_path: Path) -> None:
    project = Project(tmp_path / "plain")
    project.write("buildtool.toml", '[project]\nname = "plain"\n\n[host.all]\ntree = "."\n')
    project.write("share/table", "1 2 3\n")

    assert project.build() == {"host/all": "built"}

    assert not list((project.root / ".buildtool/out/all").glob("*/.buildtool"))
    assert project.build() == {"host/all": "up-to-date"}


def test_the_copies_of_a_killed_process_are_replaced(project: Project) -> None:
    project.build_here()
    (output,) = (project.root / ".buildtool/out/libs").iterdir()
    project.write(f".buildtool/out/libs/{output.name}.new/lib/old", "old")
    put(project.root / "prebuilt/lib/libv.so.1", project, "prebuilt/lib/libmore.so")

    project.build_here()

    assert [path.name for path in output.parent.iterdir()] == [output.name]
    assert not (output / "lib/old").exists()


def test_the_umask_does_not_matter(project: Project) -> None:
    before = os.umask(0o077)
    try:
        project.build_here()
    finally:
        os.umask(before)

    assert (project.release() / "lib").stat().st_mode & 0o777 == 0o755


def test_a_stand_in_for_a_signed_skel_ships_byte_for_byte(project: Project) -> None:
    """Its segments have a flag of signed ones."""
    file = project.root / "prebuilt/htp-v68/libd_skel.so"
    data = bytearray(file.read_bytes())
    at, size = int.from_bytes(data[28:32], "little"), int.from_bytes(data[42:44], "little")
    for number in range(int.from_bytes(data[44:46], "little")):
        data[at + number * size + 27] |= 0x07  # the highest byte of p_flags
    file.write_bytes(data)

    project.build_here()

    assert project.release_files()["dsp/v68/libd_skel.so"] == bytes(data)


def test_other_components_find_what_does_not_ship(linker: Linker, project: Project) -> None:
    flags = ["-Wl,--no-as-needed", str(linker.host("libused.so", "int used;"))]
    put(linker.host("libused.so", "int used;"), project, "spare/libused.so")
    put(linker.host("libunused.so", "int unused;"), project, "spare/libunused.so")
    put(linker.host("libx.so", "int x;", *flags), project, "prebuilt/lib/libx.so")
    spare = '[host.spare]\nfiles = ["spare/*.so"]\ninstall = false\n\n[skel.dsp]'
    project.edit("buildtool.toml", "[skel.dsp]", spare)

    project.build_here()

    files = project.release_files()
    assert "lib/libused.so" in files
    assert "lib/libunused.so" not in files


@pytest.mark.parametrize(
    ("name", "make", "message"),
    [
        ("libp.so", "pipe", "it is a device, a socket or a pipe"),
        ("libl.so", "link", "it is a link to nowhere.so, which is no file of the component"),
        ("libc.so", "cycle", "it is a link to libc.so, which is no file of the component"),
        ("libs.so", "secret", "with mode 0600, which is not readable for all users"),
    ],
)
def test_what_cannot_ship_is_refused(project: Project, name: str, make: str, message: str) -> None:
    file = project.root / "prebuilt/lib" / name
    if make == "pipe":
        os.mkfifo(file)
    elif make == "link":
        file.symlink_to("nowhere.so")
    elif make == "cycle":
        file.symlink_to(name)
    else:
        shutil.copy(project.root / "prebuilt/lib/libv.so.1", file)
        file.chmod(0o600)

    with pytest.raises(ArtifactError) as caught:
        project.build_here()

    assert message in f"{caught.value.message} {caught.value.why}"


def test_two_files_with_one_place(project: Project) -> None:
    project.edit("buildtool.toml", '"prebuilt/lib/*.so*"', '"prebuilt/lib/*.so*", "other/*"')
    put(project.root / "prebuilt/lib/libv.so.1", project, "other/libv.so.1")

    with pytest.raises(ArtifactError, match=r"two files called lib/libv\.so\.1"):
        project.build_here()


def test_clean_removes_the_copies_and_no_prebuilt_file(project: Project) -> None:
    project.build_here()
    project.succeeds("clean", "sim")

    assert not list((project.root / ".buildtool/out").glob("*/*/lib"))
    assert (project.root / "prebuilt/lib/libv.so.1").is_file()


def test_a_missing_cxx_library_of_the_emulated_device_is_named(
    linker: Linker, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(qemu.CROSS_LIBRARIES / "libc.so.6", tmp_path)
    monkeypatch.setattr(qemu, "CROSS_LIBRARIES", tmp_path)

    def faults() -> list[str]:
        rows = survey(find_project(project.root)).tools
        return [fault.what for row in rows if row.toolchain == "emulated" for fault in row.faults]

    assert faults() == []  # nothing needs it
    project.edit("buildtool.toml", '"prebuilt/lib/*.so*"', '"prebuilt/lib/*.so*", "none/**.so"')
    assert faults() == []  # a build says that this matches nothing
    project.edit("buildtool.toml", ', "none/**.so"', "")
    flags = linker.needing("libstdc++.so.6")
    put(linker.host("libcxx_user.so", "int u;", *flags), project, "prebuilt/lib/libu.so")
    text = "libu.so needs libstdc++.so.6, which the emulated device does not have"
    assert faults() == [f"prebuilt/lib/{text}"]
    project.build_here()
    _, release = build_release(find_project(project.root), "sim", lambda _: None, Options())
    device = EmulatedDevice(
        tmp_path,
        find_soc("qcs6490"),
        qemu.find_qemu(),
        qemu.find_cross_glibc(),
        Emulator(tmp_path, tmp_path),
        tmp_path,
    )
    with pytest.raises(DeviceError) as caught:
        check_libraries(device, release)
    assert caught.value.message.endswith("which the emulated device does not have")
    assert caught.value.remedy == "Install it: apt-get install libstdc++6-arm64-cross"
    for name in qemu.CXX_LIBRARIES:
        (tmp_path / name).touch()
    check_libraries(device, release)
