"""A library that is neither in the release nor on the device is an error with a remedy."""

from __future__ import annotations

import pytest

from buildtool.release.contents import LibraryError
from buildtool.release.slices import ReleaseError
from tests.unit.release.conftest import Files, Project, elf

NEEDS = {"bin/app": elf(needed=["libx.so.1", "libm.so.6", "libstdc++.so.6"])}
LIBRARY = elf("libx.so.1", needed=["libc.so.6"])


def test_a_library_that_is_nowhere(made: Project) -> None:
    made.component("app", NEEDS)

    with pytest.raises(LibraryError) as caught:
        made.release()
    assert caught.value.message == (
        "bin/app needs libx.so.1, which is neither in the release nor on every device"
    )
    assert 'system-libraries = ["libx.so.1"] in [target.sim]' in caught.value.remedy
    assert [*caught.value.files] == [made.steps["app"].output / "bin/app"]
    assert not (made.root / "release/sim").exists()

    made.system_libraries = ("libx.so.1",)
    assert made.release_files() == {"bin/app": ""}


@pytest.mark.parametrize("library", ["libgomp.so.1", "libyaml-0.so.2"])
def test_what_only_some_devices_have_is_not_the_platform_s(made: Project, library: str) -> None:
    made.component("app", {"bin/app": elf(needed=[library])})

    with pytest.raises(LibraryError, match=f"bin/app needs {library}"):
        made.release()


def test_a_library_of_another_system_is_said_to_be_one(made: Project) -> None:
    made.component("app", {"lib/liba.so": elf(needed=["libc.so", "libadsprpc.so"])})

    with pytest.raises(LibraryError) as caught:
        made.release()
    assert caught.value.message == (
        "liba.so is built for Android or Linux with musl, not for Linux with glibc"
    )
    assert "it needs libc.so; it needs libadsprpc.so" in caught.value.why

    made.system_libraries = ("libc.so", "libadsprpc.so")
    made.release()


def test_a_library_that_lies_in_the_build_tree(made: Project) -> None:
    step = made.component("app", NEEDS)
    made.component("other", {"lib/liby.so": elf()})
    place = step.tree / "vendor/bin/libx.so.1"
    place.parent.mkdir(parents=True)
    place.write_bytes(LIBRARY)

    with pytest.raises(LibraryError) as caught:
        made.release()
    assert caught.value.why == f"it is in the build tree of app: {place}"
    assert 'artifacts = ["vendor/bin/libx.so.1"] in [host.app]' in caught.value.remedy


def test_a_library_that_lies_among_the_sources(made: Project) -> None:
    step = made.component("app", NEEDS)
    place = step.source / "prebuilt/libx.so.1"
    place.parent.mkdir(parents=True)
    place.write_bytes(LIBRARY)

    with pytest.raises(LibraryError) as caught:
        made.release()
    assert caught.value.why == f"it is in the sources of app: {place}"
    assert "install(FILES" in caught.value.remedy


def test_a_library_that_ships_where_no_loader_looks(made: Project) -> None:
    made.component("app", {**NEEDS, "lib/private/libx.so.1": LIBRARY})

    with pytest.raises(LibraryError) as caught:
        made.release()
    assert "it ships as lib/private/libx.so.1" in caught.value.why

    runpath = elf(needed=["libx.so.1"], runpath="$ORIGIN/../lib/private")
    made.component("app", {"bin/app": runpath, "lib/private/libx.so.1": LIBRARY})
    assert made.release_files() == {"bin/app": "", "lib/private/libx.so.1": ""}


def test_a_library_of_a_component_that_does_not_ship_comes_along(made: Project) -> None:
    """So does a library that it needs in turn, of a component that the program's does not name."""
    made.component("app", NEEDS)
    base = elf("libx.so.1", needed=["libdeep.so", "libc.so.6"])
    links: Files = {
        "lib/libx.so.1.0": base,
        "lib/libx.so.1": "libx.so.1.0",
        "lib/libx.so": "libx.so.1",
    }
    made.component("base", {**links, "lib/libunneeded.so": elf("libunneeded.so")}, ships=False)
    made.component("deep", {"lib64/libdeep.so": elf("libdeep.so")}, ships=False)

    assert made.release_files() == {"bin/app": "", "lib/libdeep.so": "", "lib/libx.so.1": ""}

    made.component(
        "deep", {"lib64/libdeep.so": elf("libdeep.so", needed=["libnone.so"])}, ships=False
    )
    with pytest.raises(LibraryError, match=r"lib/libdeep\.so needs libnone\.so"):
        made.release()


def test_of_a_component_whose_rules_are_for_others_its_artifacts_ship(made: Project) -> None:
    files = {"tool": elf(), "lib/libx.so.1": LIBRARY, "include/x.h": b"", "notes": b""}
    made.component("base", files, ships=False, artifacts=("out/to*",))
    assert made.release_files() == {"bin/tool": ""}

    made.component("app", NEEDS)
    assert made.release_files() == {"bin/tool": "", "bin/app": "", "lib/libx.so.1": ""}


def test_a_skel_gets_the_library_of_a_component_that_does_not_ship(made: Project) -> None:
    made.component("k", {"libk_skel.so": elf(needed=["libm.so", "libc.so"])}, arch="v68")
    made.component("m", {"lib/libm.so": elf("libm.so")}, arch="v68", ships=False)
    made.component("n", {"lib/libm.so": elf("libm.so")}, arch="v73", ships=False)

    assert made.release_files() == {"dsp/v68/libk_skel.so": "", "dsp/v68/libm.so": ""}


def test_a_libcdsprpc_does_not_come_along(made: Project) -> None:
    made.component("app", NEEDS)
    made.component("base", {"lib/libx.so.1": elf("libcdsprpc.so.1")}, ships=False)

    with pytest.raises(ReleaseError, match=r"which is libcdsprpc\.so\.1"):
        made.release()


def test_a_library_that_is_needed_by_its_path(made: Project) -> None:
    made.component("app", {"bin/app": elf(needed=["/build/libx.so"])})

    with pytest.raises(LibraryError, match=r"bin/app needs /build/libx\.so by its path") as caught:
        made.release()
    assert [*caught.value.files] == [made.steps["app"].output / "bin/app"]


@pytest.mark.parametrize(
    "runpath",
    [
        "/build/lib",
        "$ORIGIN/../../lib",
        "lib",
        "$ORIGINS/lib",
        "$ORIGIN/../lib:/usr/lib",
        ":$ORIGIN",
    ],
)
def test_a_runpath_that_leads_out_of_the_release(made: Project, runpath: str) -> None:
    made.component("app", {"bin/app": elf(runpath=runpath)})

    with pytest.raises(LibraryError, match="bin/app has a RUNPATH that points outside the release"):
        made.release()


@pytest.mark.parametrize(
    "runpath", ["$ORIGIN", "${ORIGIN}/../lib", "$ORIGIN/..", "$ORIGIN/../x/.."]
)
def test_a_runpath_within_the_release(made: Project, runpath: str) -> None:
    made.component("app", {"bin/app": elf(runpath=runpath)})

    assert made.release_files() == {"bin/app": ""}
