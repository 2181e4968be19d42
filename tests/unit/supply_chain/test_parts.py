"""What is in a release of other projects: packages, and libraries of toolchains."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.processes.process import ToolError
from buildtool.plan.plan import CMakeStep
from buildtool.release.supply_chain.attach import find_parts
from tests.unit.release.conftest import DSP, HOST
from tests.unit.supply_chain.steps import file, node, step


def test_packages_with_the_files_that_ship(tmp_path: Path) -> None:
    folder = tmp_path / "conan" / "calc"
    library = file(folder / "lib" / "libcalc.so.1.2")
    nodes = (
        node("calc", folder, license=["MIT", "Zlib"], user="me", channel="stable"),
        node("static+", tmp_path / "conan" / "static", license=None),
        node("cmake", tmp_path / "conan" / "cmake", context="build"),
        node("gtest", tmp_path / "conan" / "gtest", test=True),
        node("system", None),
    )
    result = step(tmp_path, runtime={"lib/libcalc.so.1": library}, packages=nodes)

    calc, static = find_parts([result], {"bin/app", "lib/libcalc.so.1"})

    assert calc.purl == "pkg:conan/calc@1.0?channel=stable&rrev=65c9&user=me"
    assert (calc.licences, calc.files) == (("MIT", "Zlib"), ("lib/libcalc.so.1",))
    assert (static.name, static.purl) == ("static+", "pkg:conan/static%2B@1.0?rrev=65c9")
    assert (static.licences, static.files) == ((), ())


def test_the_same_package_of_several_steps_is_one_part(tmp_path: Path) -> None:
    folder = tmp_path / "conan" / "calc"
    results = [
        step(tmp_path, name, runtime={f"lib/{name}.so": file(folder / f"{name}.so")},
             packages=(node("calc", folder),))
        for name in ("b", "a")
    ]  # fmt: skip

    (part,) = find_parts(results, {"lib/a.so", "lib/b.so"})

    assert part.files == ("lib/a.so", "lib/b.so")


def test_libraries_of_toolchains(tmp_path: Path) -> None:
    library = file(tmp_path / "sdk" / "libc++.so.1")
    sdk = DSP._replace(
        name="hexagon-v73-sdk6.4.0.2",
        places={"SDK": str(tmp_path / "sdk")},
        runtime={"libc++.so.1": library},
    )
    ndk = HOST._replace(places={"NDK": "/ndk"}, settings={"NDK_MAJOR": "27"})
    zig = HOST._replace(places={"ZIG": "/zig/zig"})
    results = [
        step(tmp_path, "k", arch="v73", profile=sdk, runtime={"libc++.so.1": library}),
        step(tmp_path, "a", profile=ndk),
        step(tmp_path, "z", profile=zig),
        step(tmp_path, "g"),
    ]

    found = {part.name: part for part in find_parts(results, {"dsp/v73/libc++.so.1"})}

    assert {*found} == {"hexagon-sdk", "android-ndk", "ziglang"}
    assert found["hexagon-sdk"].purl == "pkg:generic/hexagon-sdk@6.4.0.2"
    assert found["hexagon-sdk"].files == ("dsp/v73/libc++.so.1",)
    assert found["android-ndk"].version == "27"
    assert found["ziglang"].purl == "pkg:pypi/ziglang@0.17.1"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"graph": {"nodes": {}}}'])
def test_a_damaged_graph(tmp_path: Path, text: str) -> None:
    result = step(tmp_path, packages=(node("calc", tmp_path),))
    assert isinstance(result.step, CMakeStep)
    (result.step.packages / "graph.json").write_text(text)

    with pytest.raises(ToolError, match="which Conan wrote"):
        find_parts([result], set())
