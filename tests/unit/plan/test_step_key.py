"""Step keys are golden files, so that each change of a key is a diff to review.

BUILDTOOL_UPDATE_GOLDEN=1 updates them.
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pytest

from buildtool.plan import step_key as step_keys
from buildtool.plan.plan import CMakeStep, plan_target
from buildtool.plan.step_key import differences, step_fields, step_key
from buildtool.project.components import Host, Skel
from buildtool.project.model import Header, Project, Target
from buildtool.sdk.packaged_tools import CMake
from buildtool.toolchains.cdsprpc import Cdsprpc
from buildtool.toolchains.profile import Compiler, Profile
from buildtool.toolchains.system_libraries import DeviceShell

GOLDEN = Path(__file__).parents[2] / "golden" / "step_keys"
UPDATE = os.environ.get("BUILDTOOL_UPDATE_GOLDEN") == "1"
NEEDS = {"skel/base/v73": "b" * 64}


@dataclasses.dataclass(frozen=True)
class Machine:
    """A fictitious machine with the locations of its clone and of its tools."""

    clone: Path
    tools: Path

    def __post_init__(self) -> None:
        for folder in ("app", "dsp", "tuned/cmake"):
            (self.clone / folder).mkdir(parents=True)
        for folder in ("zig/lib", "sdk/tools", "gcc"):
            (self.tools / folder).mkdir(parents=True)
        (self.clone / "tuned/CMakePresets.json").write_text('{"version": 4}\n')
        (self.clone / "tuned/cmake/own.cmake").write_text("set(OWN ON)\n")

    def profile(self, name: str, platform: str, kind: str = "clang", **more: Any) -> Profile:
        zig = str(self.tools / "zig/zig")
        return Profile(
            name=name,
            platform=platform,
            template="ubuntu_aarch64.cmake.in",
            identity="a" * 64,
            compiler=Compiler(kind, "22", "", (zig, "cc"), (zig, "c++")),
            **{"places": {"ZIG": zig, "ZIG_LIB": str(self.tools / "zig/lib")}, **more},
        )

    def steps(self) -> dict[str, CMakeStep]:
        """The steps whose keys are golden, by the name of the file."""
        cdsprpc = Cdsprpc("libcdsprpc.so.1", frozenset({"remote_handle64_open"}))
        zig = self.profile(
            "ubuntu-aarch64-glibc2.35",
            "ubuntu-aarch64",
            settings={"GLIBC": "2.35"},
            cdsprpc=cdsprpc,
        )
        gcc = self.profile(
            "ubuntu-aarch64-gcc",
            "ubuntu-aarch64",
            "gcc",
            settings={"KIND": "gcc", "VERSION": "12.2.0", "GLIBC": "2.35", "C_ARGUMENTS": ""},
            places={"CC": str(self.tools / "gcc/cc"), "ROOT": str(self.tools / "gcc")},
            cdsprpc=cdsprpc,
        )
        llvm = self.profile("hexagon-v73", "hexagon", settings={"ARCH": "v73"})
        sdk = self.profile(
            "hexagon-v73-sdk6.4.0.2",
            "hexagon",
            settings={"ARCH": "v73", "INCLUDES": "incs incs/stddef"},
            places={"SDK": str(self.tools / "sdk"), "TOOLS": str(self.tools / "sdk/tools")},
            variables={"HEXAGON_SDK_ROOT": str(self.tools / "sdk"), "DSP_VERSION": "v73"},
            environment={"HEXAGON_TOOLS_ROOT": str(self.tools / "sdk/tools")},
            runtime={"libc++.so.1": self.tools / "sdk/tools/libc++.so.1"},
            shell=DeviceShell("board", frozenset({"printf", "qurt_sleep"})),
        )
        project = Project(
            root=self.clone,
            header=Header("demo", environment=("LET_THROUGH", "NOT_SET")),
            hosts={"app": Host("app", defines={"LEVEL": 2, "CHECKED": True})},
            skels={
                "base": Skel("dsp"),
                "tuned": Skel(
                    "tuned",
                    targets=("tuned-{arch}",),
                    preset="fast-{arch}",
                    toolchain_file="tuned/cmake/own.cmake",
                    artifacts=("lib*-{arch}.so",),
                    inputs=("tables/**/*.csv",),
                    needs=("base",),
                    defines={"TABLES": f"{self.clone}/tables;tables"},
                ),
            },
            targets={"sim": Target("ubuntu-aarch64", ("v73",), build_type="Debug")},
        )
        skels = {"v73": llvm}
        cmake = CMake(self.tools / "cmake", self.tools / "ninja", "4.4", "c" * 64)
        app, base, _ = plan_target(project, "sim", cmake, zig, skels).cmake_steps
        other, _, tuned = plan_target(project, "sim", cmake, gcc, {"v73": sdk}).cmake_steps
        return {"host-zig": app, "host-gcc": other, "skel-llvm": base, "skel-everything": tuned}

    def fields(self, name: str) -> dict[str, Any]:
        step = self.steps()[name]
        needs = NEEDS if step.needs else {}
        packages = "d" * 64 if name == "host-gcc" else ""
        fields = step_fields(step, needs, packages)
        # It covers the templates and CMake modules, which change more often than the keys' form.
        fields["profile"]["digest"] = "e" * 64
        return fields


@pytest.fixture(autouse=True)
def _made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The version of buildtool and the environment variables that the keys contain."""
    monkeypatch.setattr(step_keys, "__version__", "1.2.3")
    monkeypatch.setenv("LET_THROUGH", "yes")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setenv("NOT_ON_THE_LIST", "yes")
    monkeypatch.delenv("NOT_SET", raising=False)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "clone", tmp_path / "opt")


NAMES = ("host-zig", "host-gcc", "skel-llvm", "skel-everything")


@pytest.mark.parametrize("name", NAMES)
def test_keys_are_the_golden_ones(name: str, machine: Machine) -> None:
    fields = machine.fields(name)
    text = json.dumps({"key": step_key(fields), "fields": fields}, indent=2, sort_keys=True) + "\n"
    file = GOLDEN / f"{name}.json"
    if UPDATE:
        file.write_text(text)

    assert json.loads(text) == json.loads(file.read_text()), f"{name} has another key"
    assert text == file.read_text()


def test_there_are_no_other_golden_files() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_clone_elsewhere_has_the_same_key(
    name: str, machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Machine(tmp_path / "somebody's" / "checkout", tmp_path / "usr" / "tools")
    here = machine.fields(name)
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "another cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    there = other.fields(name)

    assert here == there
    assert step_key(here) == step_key(there)
    assert str(tmp_path) not in json.dumps(here)


def test_a_neighbour_of_the_clone_is_no_part_of_it(machine: Machine) -> None:
    step = machine.steps()["host-zig"]._replace(
        defines=(("A", f"{machine.clone}-2/a"), ("B", f"-I{machine.clone}")),
    )

    assert step_fields(step, {}, "")["cmake"]["defines"] == {
        "A": f"{machine.clone}-2/a",
        "B": "-I{project}",
    }


def test_variables_that_are_let_through_name_no_clone_either(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LET_THROUGH", f"{machine.clone}/settings")

    assert machine.fields("host-zig")["environment"]["LET_THROUGH"] == "{project}/settings"


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        ({"defines": (("LEVEL", "3"),)}, [("cmake.defines.CHECKED", "ON", ""),
                                          ("cmake.defines.LEVEL", "2", "3")]),
        ({"build_type": "Release"}, [("cmake.build type", "Debug", "Release")]),
        ({"targets": ("one", "two")}, [("cmake.targets", "", "one, two")]),
        ({"artifacts": ("*.so",)}, [("cmake.artifacts", "", "*.so")]),
        ({"install": False}, [("cmake.install", "True", "False")]),
        ({"inputs": ("a/**",)}, [("component.inputs", "", "a/**")]),
        ({"component": "b"}, [("component.name", "app", "b")]),
        ({"environment": ()}, [("environment.LET_THROUGH", "yes", "")]),
    ],
    ids=lambda row: next(iter(row), "") if isinstance(row, dict) else "",
)  # fmt: skip
def test_each_part_of_a_step_is_a_field_with_a_name(
    change: dict[str, Any], rows: list[tuple[str, str, str]], machine: Machine
) -> None:
    step = machine.steps()["host-zig"]
    before, after = (step_fields(one, {}, "") for one in (step, step._replace(**change)))

    assert differences(before, after) == rows
    assert step_key(before) != step_key(after)


def test_a_compiler_launcher_is_no_field(machine: Machine) -> None:
    step = machine.steps()["host-zig"]
    with_one = step._replace(compiler_launcher="ccache")

    assert step_fields(step, {}, "") == step_fields(with_one, {}, "")


def test_tools_needs_and_packages_are_fields(machine: Machine) -> None:
    before = machine.fields("skel-everything")
    after = json.loads(json.dumps(before))
    after["tools"]["cmake and ninja"] = "e" * 64
    after["profile"]["tools"] = "f" * 64
    after["needs"]["skel/base/v73"] = "0" * 64
    after["packages"] = "1" * 64
    after["cmake"]["preset files"] = {}

    assert [name for name, _, _ in differences(before, after)] == [
        "cmake.preset files.{project}/tuned/CMakePresets.json",
        "needs.skel/base/v73",
        "packages",
        "profile.tools",
        "tools.cmake and ninja",
    ]


def test_a_variable_that_is_empty_is_not_one_that_is_not_there() -> None:
    before: dict[str, Any] = {"environment": {}}
    after = {"environment": {"LET_THROUGH": ""}}

    assert differences(before, after) == [("environment.LET_THROUGH", "", '""')]
    assert differences(after, before) == [("environment.LET_THROUGH", '""', "")]


def test_the_order_of_fields_does_not_matter() -> None:
    assert step_key({"a": 1, "b": {"c": 2, "d": 3}}) == step_key({"b": {"d": 3, "c": 2}, "a": 1})
    assert step_key({"a": 1}) != step_key({"a": "1"})
