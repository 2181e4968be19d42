"""Licence files travel along, and what may not be distributed is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.engine.result import StepResult
from buildtool.inputs.path_sets import PathSet
from buildtool.release.supply_chain.licences import (
    MAX_SIZE,
    RedistributionError,
    check_redistribution,
    licence_files,
)
from buildtool.toolchains.profile import Profile
from tests.unit.release.conftest import DSP, HOST
from tests.unit.supply_chain.steps import file, node, project, step

ZIG = Path("lib/libcxx/LICENSE.TXT")


def paths(root: Path, *results: StepResult) -> dict[str, str]:
    """Path in the release → path of the file below `root`."""
    found = licence_files(project(root), results)
    return {row.path: row.source.relative_to(root).as_posix() for row in found}


def test_files_of_the_project_and_its_components(tmp_path: Path) -> None:
    for name in ("LICENSE", "NOTICE.txt", "app/COPYING.LIB", "LICENSES/MIT.txt", "app/src/LICENSE"):
        file(tmp_path / name)
    for name in ("license.c", "LICENSED", "app/licenses.cmake", "copy", "LICENSE\n2", "README"):
        file(tmp_path / name)
    (tmp_path / "COPYING").mkdir()
    file(tmp_path / "LICENSE.empty", "")
    (tmp_path / "LICENSE.large").write_bytes(bytes(MAX_SIZE + 1))
    (tmp_path / "app" / "LICENSE").symlink_to("../LICENSE")

    assert paths(tmp_path, step(tmp_path)) == {
        "licenses/demo/LICENSE": "LICENSE",
        "licenses/demo/NOTICE.txt": "NOTICE.txt",
        "licenses/demo/MIT.txt": "LICENSES/MIT.txt",
        "licenses/app/COPYING.LIB": "app/COPYING.LIB",
        "licenses/app/LICENSE": "app/LICENSE",
    }


def test_files_of_packages_and_toolchains(tmp_path: Path) -> None:
    file(tmp_path / "calc" / "licenses" / "sub" / "LICENSE")
    file(tmp_path / "calc" / "lib" / "LICENSE")
    file(tmp_path / "zig" / "LICENSE")
    file(tmp_path / "zig" / ZIG)
    file(tmp_path / "zig" / "lib" / "libc" / "mingw" / "COPYING")
    file(tmp_path / "ndk" / "NOTICE")
    zig = HOST._replace(places={"ZIG": str(tmp_path / "zig" / "zig")})
    ndk = HOST._replace(places={"NDK": str(tmp_path / "ndk")})
    packages = (node("calc", tmp_path / "calc"),)
    results = [
        step(tmp_path, "a", profile=zig, packages=packages),
        step(tmp_path, "b", profile=ndk),
    ]

    assert paths(tmp_path, *results) == {
        "licenses/calc/sub/LICENSE": "calc/licenses/sub/LICENSE",
        "licenses/ziglang/LICENSE": "zig/LICENSE",
        f"licenses/ziglang/{ZIG}": f"zig/{ZIG}",
        "licenses/android-ndk/NOTICE": "ndk/NOTICE",
    }


@pytest.mark.parametrize(("source", "linked"), [("a.c", False), ("b.cpp", True)])
def test_the_cxx_library_is_in_no_c(tmp_path: Path, source: str, linked: bool) -> None:
    file(tmp_path / "zig" / "LICENSE")
    file(tmp_path / "zig" / ZIG)
    result = step(tmp_path, profile=HOST._replace(places={"ZIG": str(tmp_path / "zig" / "zig")}))
    assert result.record
    read = PathSet.of(["{project}/app/CMakeLists.txt", f"{{project}}/app/{source}"])
    inputs = result.record.inputs._replace(paths=read)
    result = result._replace(record=result.record._replace(inputs=inputs))

    cxx = {f"licenses/ziglang/{ZIG}": f"zig/{ZIG}"} if linked else {}
    assert paths(tmp_path, result) == {"licenses/ziglang/LICENSE": "zig/LICENSE", **cxx}


def test_no_licence_files(tmp_path: Path) -> None:
    assert paths(tmp_path, step(tmp_path)) == {}


def sdk_profile(root: Path) -> Profile:
    library = file(root / "sdk" / "tools" / "libc++.so.1", "the SDK's library")
    return DSP._replace(
        variables={"HEXAGON_SDK_ROOT": str(root / "sdk")}, runtime={"libc++.so.1": library}
    )


@pytest.mark.parametrize("place", ["runtime", "copy", "link"])
def test_a_file_of_the_sdk(tmp_path: Path, place: str) -> None:
    profile = sdk_profile(tmp_path)
    library = profile.runtime["libc++.so.1"]
    copy = tmp_path / "copies" / "libc++.so.1"
    copy.parent.mkdir()
    if place == "copy":
        copy.write_bytes(library.read_bytes())
    elif place == "link":
        copy.symlink_to(library)
    shipped = library if place == "runtime" else copy
    result = step(tmp_path, arch="v73", profile=profile, runtime={"libc++.so.1": shipped})

    with pytest.raises(RedistributionError, match=r"ships libc\+\+\.so\.1") as error:
        check_redistribution(project(tmp_path), [result])

    assert 'redistributable = ["libc++.so.1"]' in error.value.remedy
    check_redistribution(project(tmp_path, redistributable=("libc++.so.1",)), [result])


def test_files_that_are_not_the_sdk_s(tmp_path: Path) -> None:
    profile = sdk_profile(tmp_path)
    own = file(tmp_path / "own" / "libc++.so.1", "another library of this name")
    result = step(tmp_path, arch="v73", profile=profile, runtime={"libc++.so.1": own})

    check_redistribution(project(tmp_path), [result])


def test_without_an_sdk_nothing_is_a_file_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = file(tmp_path / "libfoo.so")
    monkeypatch.chdir(tmp_path)

    check_redistribution(project(tmp_path), [step(tmp_path, runtime={"lib/libfoo.so": library})])


def test_an_sdk_in_the_environment_counts_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = file(tmp_path / "sdk" / "libfoo.so")
    result = step(tmp_path, runtime={"lib/libfoo.so": library})
    check_redistribution(project(tmp_path), [result])

    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(tmp_path / "sdk"))

    with pytest.raises(RedistributionError):
        check_redistribution(project(tmp_path), [result])


@pytest.mark.parametrize(
    "licence",
    ["Proprietary", "LicenseRef-proprietary", "Acme (non-redistributable)", "UNLICENSED",
     "not redistributable", ["MIT", "Acme Confidential"]],
)  # fmt: skip
def test_a_proprietary_package(tmp_path: Path, licence: object) -> None:
    result = step(tmp_path, packages=(node("codec", tmp_path / "codec", license=licence),))

    with pytest.raises(RedistributionError, match=r"codec/1\.0, which is proprietary") as error:
        check_redistribution(project(tmp_path), [result])

    assert 'redistributable = ["codec"]' in error.value.remedy
    check_redistribution(project(tmp_path, redistributable=("codec",)), [result])


@pytest.mark.parametrize(
    "licence", [None, "", "MIT", "LGPL-2.1-only OR LicenseRef-commercial", ["BSD-3-Clause", "Zlib"]]
)
def test_other_packages(tmp_path: Path, licence: object) -> None:
    result = step(tmp_path, packages=(node("codec", tmp_path / "codec", license=licence),))

    check_redistribution(project(tmp_path), [result])
