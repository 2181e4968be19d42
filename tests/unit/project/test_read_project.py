"""Project files: the values that are read, and the errors for invalid files."""

from __future__ import annotations

import typing
from pathlib import Path

import pytest

from buildtool.core.errors import UsageError
from buildtool.project.components import LOADER, RUNNER
from buildtool.project.keys import keys
from buildtool.project.model import SECTIONS, Header, Tool
from buildtool.project.read import ProjectError, find_project, read_project

from .conftest import GOOD, Write


def test_a_good_file_becomes_frozen_values(write: Write, tmp_path: Path) -> None:
    project = read_project(write(GOOD))

    assert project.name == "demo"
    assert project.root == tmp_path
    assert project.hosts["app"].defines == {"GREETING": "hi", "FAST": True, "LEVEL": 3}
    assert project.skels["kernels"].archs == ("v68", "v73")
    assert project.targets["sim"].glibc == "2.35"
    with pytest.raises(AttributeError):
        project.targets["sim"].glibc = "2.39"  # type: ignore[misc]


def test_a_project_is_found_from_a_directory_below(write: Write, tmp_path: Path) -> None:
    write(GOOD)
    deep = tmp_path / "host" / "src"
    deep.mkdir()

    assert find_project(deep).root == tmp_path


def test_without_a_project_the_way_to_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no buildtool\.toml") as caught:
        find_project(tmp_path)

    assert str(tmp_path) in caught.value.why
    assert "buildtool init" in caught.value.remedy


def test_the_target_sim_is_built_in(write: Write) -> None:
    project = read_project(write(GOOD[: GOOD.index("[target.sim]")]))

    assert project.targets["sim"].archs == ("v68",)


LONG_NAME = "é" * 128


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "says"),
    [
        ('version = "1.2.3"', 'versoin = "1"', 3, "project.versoin", "Did you mean 'version'?"),
        ('source = "host"', "source = 3", 6, "host.app.source", "must be a string"),
        ('source = "host"', 'source = "hots"', 6, "host.app.source", "no CMakeLists.txt"),
        (
            'source = "host"',
            'source = "../x"',
            6,
            "host.app.source",
            "not a path inside the project",
        ),
        ('source = "host"\n', "", 5, "host.app", "lacks the key 'source'"),
        ("LEVEL = 3", "LEVEL = [3]", 7, "host.app.defines.LEVEL", "must be a string, a number"),
        ("LEVEL = 3", 'LEVEL = "\\u0000"', 7, "host.app.defines.LEVEL", "NUL"),
        (
            '"host"\n',
            '"host"\nneeds = ["app"]\n',
            7,
            "host.app.needs",
            "dependency cycle: app ← app",
        ),
        ('"host"\n', '"host"\nneeds = ["ap"]\n', 7, "host.app.needs", "Did you mean 'app'?"),
        ('"host"\n', '"host"\ninputs = ["x/../y"]\n', 7, "host.app.inputs", "not a path inside"),
        ('["v68", "v73"]', '["V73"]', 11, "skel.kernels.archs", "Did you mean 'v73'?"),
        ('["v68", "v73"]', '"v68"', 11, "skel.kernels.archs", "must be a list of strings"),
        (
            '["v68", "v73"]',
            '["v67"]',
            11,
            "skel.kernels.archs",
            "unknown value 'v67'\nKnown: v68, v69",
        ),
        ('["v68", "v73"]', '["v68", "v68"]', 11, "skel.kernels.archs", "has duplicate values"),
        ('"ubuntu-aarch64"', '"ubuntu"', 14, "target.sim.platform", "Did you mean 'ubuntu-"),
        ('archs = ["v68"]', 'archs = ["v81"]', 15, "target.sim.archs", "not built for v81"),
        (
            "[skel.kernels]",
            '[skel.kernels]\nidl = "x.idl"',
            10,
            "skel.kernels.idl",
            "no file 'x.idl'",
        ),
        (
            "[host.app]",
            '[host.app]\ntoolchain-file = "x.cmake"',
            6,
            "host.app.toolchain-file",
            "no f",
        ),
        (
            "[project]",
            '[tool.hexagon]\nversion = "6.4"\n[project]',
            1,
            "tool.hexagon",
            "Did you mean 'hexagon-sdk'?",
        ),
        (
            "[project]",
            '[tool.hexagon-sdk]\nversion = "<7"\n[project]',
            2,
            "tool.hexagon-sdk.version",
            "is not a version",
        ),
        ('"1.2.3"', '"1/../../2"', 3, "project.version", "is not a version"),
        ('"1.2.3"', '""', 3, "project.version", "is not a version"),
        ('"1.2.3"', f'"{"1" * 101}"', 3, "project.version", "is not a version"),
        ('"1.2.3"', '"1"\nmaintainer = "Ada"', 4, "project.maintainer", "is not a name with an"),
        ('"1.2.3"', '"1"\ndescription = "a\\nb"', 4, "project.description", "a line break"),
        ("[target.sim]", '[target.sim]\nformats = ["rar"]', 14, "target.sim.formats", "Known:"),
        (
            'platform = "ubuntu-aarch64"',
            'platform = "android"\nformats = ["deb"]',
            15,
            "target.sim.formats",
            "'deb' is a format for ubuntu-aarch64",
        ),
        (
            "[target.sim]",
            '[target.sim]\ntoolchain = "gcc"\nstl = "c++_shared"',
            15,
            "target.sim.stl",
            "'c++_shared' is not a C++ library of toolchain 'gcc'",
        ),
        (
            "[target.sim]",
            '[target.sim]\nprograms = ["bin/a"]',
            14,
            "target.sim.programs",
            "'bin/a' is not the name of a program",
        ),
        (
            "[target.sim]",
            '[target.sim]\ndeb-depends = ["libfoo1", "libx1 >= 2"]',
            14,
            "target.sim.deb-depends",
            "'libx1 >= 2' is not a dependency",
        ),
        (
            "[target.sim]",
            '[target.sim]\ndeb-skels = "usr/share/../qcom"',
            14,
            "target.sim.deb-skels",
            "is not an absolute path of a directory",
        ),
        (
            'source = "host"',
            'source = "host"\nfiles = ["lib/*.so"]',
            7,
            "host.app.files",
            "a CMake project ('source') or prebuilt files, not both",
        ),
        ('source = "host"', 'files = ["lib/*"]', 7, "host.app.defines", "is for a CMake project"),
        ('source = "dsp"', 'files = ["/lib/*"]', 10, "skel.kernels.files", "is not a path inside"),
        ('source = "dsp"', 'tree = "dsp"', 10, "skel.kernels.tree", "unknown key"),
        ('source = "dsp"', "", 9, "skel.kernels", "or files = … (prebuilt files)"),
        ("[skel.kernels]", '[host.x]\ntree = "x"\n[skel.k]', 10, "host.x.tree", "no directory 'x'"),
        ("[skel.kernels]", "[skel.app]", 9, "skel.app", "is the name of a host and of a skel"),
        ("[host.app]", '[host."a b"]', 5, "host.a b", "is not a valid name"),
        (
            "[host.app]",
            f"[host.{'x' * 101}]",
            5,
            f"host.{'x' * 101}",
            "the name has 101 characters",
        ),
        (
            'source = "host"',
            f'source = "{LONG_NAME}/b"',
            6,
            "host.app.source",
            "more than 255 bytes",
        ),
        ('source = "dsp"', f'files = ["{LONG_NAME}"]', 10, "skel.kernels.files", "than 255 bytes"),
        ("[target.sim]", "[taget.sim]", 13, "taget", "Did you mean 'target'?"),
        ('name = "demo"', 'name = "demo', 2, "", "not TOML"),
        (GOOD, "target = 3\n" + GOOD.partition("version")[0], 1, "target", "must be tables"),
        (GOOD, "", 1, "", "has no [project] table"),
    ],
)
def test_what_is_wrong_is_shown_with_line_key_and_remedy(
    write: Write, *, old: str, new: str, line: int, key: str, says: str
) -> None:
    file = write(GOOD.replace(old, new, 1))

    with pytest.raises(ProjectError) as caught:
        read_project(file)

    error = caught.value
    assert (error.line, error.key) == (line, key)
    assert says in str(error)
    assert str(error).startswith(f"{file}:{line}")
    assert error.remedy
    assert error.exit_status == 2


@pytest.mark.parametrize(
    ("key", "value", "remedy"),
    [
        ("archs", '"v68"', 'archs = ["v68"]'),
        ("archs", '"v68, v73"', 'archs = ["v68", "v73"]'),
        ("archs", '"v67"', 'archs = ["v68", "v69"]. Known: v68, v69, v73, v75, v79, v81.'),
        ("archs", "68", 'archs = ["v68", "v69"]. Known: v68, v69, v73, v75, v79, v81.'),
        ("targets", '"one two"', 'targets = ["one two"]'),
        ("artifacts", '"lib\\"*.so"', 'artifacts = ["lib\\"*.so"]'),
        ("inputs", "[1, 2]", 'inputs = ["1", "2"]'),
        ("needs", "{ a = 1 }", 'needs = ["a", "b"]'),
        ("install", '"false"', "install = false"),
        ("idl", '["k.idl"]', 'idl = "k.idl"'),
        ("preset", "3", 'preset = "3"'),
    ],
)
def test_a_value_of_the_wrong_type_is_shown_as_it_is_to_be_written(
    write: Write, key: str, value: str, remedy: str
) -> None:
    line = 'archs = ["v68", "v73"]'
    file = write(GOOD.replace(line, f"{key} = {value}", 1))

    with pytest.raises(ProjectError) as caught:
        read_project(file)

    assert caught.value.remedy == f"Write: {remedy}"


def test_errors_of_list_keys_show_the_syntax_of_a_list(write: Write) -> None:
    lists = [
        (kind, name.replace("_", "-"))
        for kind, record in {"project": Header, **SECTIONS}.items()
        for name, (hint, _) in keys(record).items()
        if typing.get_origin(hint) is tuple
    ]
    assert len(lists) > 10
    for kind, name in lists:
        table = kind if kind == "project" else f"{kind}.x"
        head = '[project]\nname = "demo"\n' if kind != "project" else ""
        required = {
            "project": 'name = "demo"\n',
            "target": 'platform = "android"\n',
            "run": 'program = "bin/x"\n',
            "bench": 'program = "bin/x"\n',
            "check": "",
            "compare": "",
            "test": "",
            "expected-failure": 'reason = "slow"\n'
            + ("" if name == "tests" else 'tests = ["x"]\n'),
            "data": "",
        }
        body = required.get(kind, 'source = "host"\n')
        with pytest.raises(ProjectError) as caught:
            read_project(write(f'{head}[{table}]\n{body}{name} = "v68"\n'))
        assert caught.value.remedy.startswith(f'Write: {name} = ["')


def test_what_is_asked_of_a_tool_has_an_absolute_path(write: Write, tmp_path: Path) -> None:
    text = '[tool.hexagon-sdk]\nversion = ">=6.4"\npath = "sdk/6.4"\n[tool.zig]\npath = "/zig"\n'
    project = read_project(write(text + GOOD))

    assert project.tool("hexagon-sdk") == Tool(">=6.4", str(tmp_path / "sdk" / "6.4"))
    assert project.tool("zig").path == "/zig"
    assert project.tool("adb") == Tool()


def test_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "buildtool.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProjectError, match="cannot be read"):
        read_project(file)
    file.write_text("#" * (1 << 20) + "#")
    with pytest.raises(ProjectError, match="larger than 1 MiB"):
        read_project(file)


def test_a_key_of_many_parts_is_refused_before_it_is_read(write: Write) -> None:
    """tomllib takes a minute for this file."""
    file = write(f"{GOOD}\n{'a.' * 100_000}a = 1\n")

    with pytest.raises(ProjectError, match="a key has more than 32 parts") as caught:
        read_project(file)

    assert caught.value.line == len(GOOD.splitlines()) + 2


@pytest.mark.parametrize(
    "key", ["{}.z = 1", "[x.{}]", "[[{}.x]]", "x = {{ {}.z = 1 }}", "'x'. {} .z = 1"]
)
def test_a_key_of_many_parts_is_seen_wherever_it_stands(write: Write, key: str) -> None:
    parts = ["a", "'b c'", '"d\\" . e"', "f-g"] * 8

    with pytest.raises(ProjectError, match="more than 32 parts"):
        read_project(write(f"{GOOD}{key.format(' . '.join(parts))}\n"))
    with pytest.raises(ProjectError) as caught:
        read_project(write(f"{GOOD}{key.format('.'.join(parts[:20]))}\n"))
    assert "more than 32 parts" not in caught.value.message


PROGRAMS = '[dsp.tests]\nsource = "dsp"\nneeds = ["kernels"]\n\n[target.sim]'


def test_programs_for_the_dsp_are_components_with_a_loader(write: Write) -> None:
    without = read_project(write(GOOD))
    project = read_project(write(GOOD.replace("[target.sim]", PROGRAMS)))

    added = (
        project.hosts.keys() - without.hosts.keys(),
        project.skels.keys() - without.skels.keys(),
    )
    assert added == ({RUNNER}, {LOADER, "tests"})
    assert project.skels["tests"].needs == ("kernels", LOADER)
    for component in (project.hosts[RUNNER], project.skels[LOADER]):
        assert (Path(component.source) / "CMakeLists.txt").is_file()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "dsp.tests",
            "dsp.kernels",
            "dsp.kernels: 'kernels' is the name of a skel and of programs",
        ),
        ("dsp.tests", "dsp.app", "dsp.app: 'app' is the name of a host and of a skel"),
        ("dsp.tests", f"dsp.{LOADER}", f"dsp.{LOADER}: is the name of a component that each"),
        ('"kernels"', '"kernel"', "dsp.tests.needs: there is no dsp 'kernel'"),
        ('"kernels"', '"tests"', "dsp.tests.needs: dependency cycle: tests ← tests"),
        ('"dsp"', '"none"', "dsp.tests.source: no CMakeLists.txt in 'none'"),
        ('source = "dsp"', "files = []", "dsp.tests: lacks the key 'source'"),
        ("needs", "test-files = ['/x']\nneeds", "dsp.tests.test-files: '/x' is not a path inside"),
    ],
)
def test_wrong_programs_for_the_dsp(write: Write, old: str, new: str, says: str) -> None:
    text = GOOD.replace("[target.sim]", PROGRAMS.replace(old, new, 1))

    with pytest.raises(ProjectError) as caught:
        read_project(write(text))

    assert says in caught.value.message
