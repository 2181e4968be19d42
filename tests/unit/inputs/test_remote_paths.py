"""The paths that a remote cache may make a build look at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.engine import remote_paths
from buildtool.engine.remote_paths import ForeignPathError, RemotePaths
from buildtool.inputs.globs import Budget, BudgetError, Glob
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import RootError, Roots
from buildtool.plan.component_step import named_roots

SECRET = "secret"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = make_home(tmp_path)
    monkeypatch.setenv("HOME", str(home))
    return home


def make_home(folder: Path) -> Path:
    """A home directory with a project, a tool, secrets, and programs on PATH."""
    home = folder / "home"
    for name in (
        "project/src/a.c",
        "project/.env",
        "project/.git/HEAD",
        "project/.git/config",
        "tool/include/a.h",
        "bin/program",
        ".cargo/bin/rustc",
        ".cargo/credentials.toml",
        ".netrc",
        "notes.txt",
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(SECRET)
    (home / "project/out").symlink_to(home)
    (home / "project/include").symlink_to("src")
    (home / "project/link.c").symlink_to(home / "notes.txt")
    (home / "project/same.c").symlink_to("src/a.c")
    (home / "project/env.c").symlink_to(".env")
    (home / "project/loop.c").symlink_to("loop.c")
    return home


@pytest.fixture
def rule(home: Path) -> RemotePaths:
    roots = Roots({"project": home / "project", "tool": home / "tool"})
    search = f"{home}/bin:{home}/.cargo/bin:/usr/bin:relative:"
    return RemotePaths(roots, search, Budget(10_000))


def refused(rule: RemotePaths, paths: PathSet) -> str:
    try:
        rule.check(paths)
    except ForeignPathError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "name",
    [
        "{project}",
        "{project}/src/a.c",
        "{project}/src",
        "{project}/src/gone.h",
        "{project}/gone/gone.h",
        "{project}/same.c",
        "{project}/loop.c",
        "{project}/include/../gone.h",
        "{project}/include/../src/a.c",
        "{project}/.git",
        "{project}/.git/HEAD",
        "{tool}/include/a.h",
        "/usr/bin/env",
        "/usr/include/gone.h",
        "/etc/os-release",  # a symlink into /usr
        "{home}/bin/program",
        "{home}/.cargo/bin/rustc",
    ],
)
def test_a_file_that_may_be_an_input(name: str, home: Path, rule: RemotePaths) -> None:
    assert refused(rule, PathSet.of([name.replace("{home}", str(home))])) == ""


@pytest.mark.parametrize(
    "name",
    [
        "//proc/self/pagemap",
        "/proc/self/pagemap",
        "//proc/kmsg",
        "/proc/kmsg",
        "/sys/kernel/notes",
        "/dev/zero",
        "/dev/stdin",
        "{project}/../../../../proc/self/pagemap",
        "{project}/../.netrc",
        "{project}/src/..",
        "{project}/out/../../a.c",
        "{project}//src/a.c",
        "{project}/./src/a.c",
        "{project}/src/",
        "/usr/../proc/kmsg",
        "/usr/./bin/env",
        "/etc/passwd",
        "/etc/shadow",
        "/var/log/syslog",
        "/tmp/x",
        "/",
        "/gone",
        "{home}/.netrc",
        "{home}/notes.txt",
        "{home}/gone",
        "{home}/.cargo/credentials.toml",
        "{project}/.env",
        "{project}/env.c",  # a symlink to it
        "{project}/.git/config",
        "{project}/out/.netrc",  # through a symlink out of the project
        "{project}/out/notes.txt",
        "{project}/link.c",
        "{project}/\ud800",
    ],
)
def test_a_file_that_a_server_must_not_learn_about(
    name: str, home: Path, rule: RemotePaths
) -> None:
    name = name.replace("{home}", str(home))
    message = refused(rule, PathSet.of([name]))
    assert repr(name) in message
    assert SECRET not in message


def test_a_file_that_not_everybody_may_read(home: Path, rule: RemotePaths) -> None:
    (home / "bin/program").chmod(0o750)
    assert "program" in refused(rule, PathSet.of([f"{home}/bin/program"]))
    assert refused(rule, PathSet.of(absent=[f"{home}/bin/program"])) == ""
    (home / "project/src/a.c").chmod(0o600)  # the user's build reads it anyway
    assert refused(rule, PathSet.of(["{project}/src/a.c"])) == ""


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("{project}/a.h", True),
        ("{project}/.env", True),  # only its existence, not its content
        ("{project}/no/such/a.h", True),
        ("/etc/debian_version", True),
        ("/usr/local/include/a.h", True),
        ("{home}/bin/protoc", True),
        ("{home}/.cargo/lib/cmake/fmt", True),
        ("{home}/.aws/credentials", False),
        ("{project}/out/.aws/credentials", False),
        ("{project}/../.aws/credentials", False),
        ("/proc/1/root", False),
        ("/var/lib/x", False),
        ("//usr/x", False),
    ],
)
def test_what_must_not_be_there(name: str, good: bool, home: Path, rule: RemotePaths) -> None:
    message = refused(rule, PathSet.of(absent=[name.replace("{home}", str(home))]))
    assert (message == "") == good


@pytest.mark.parametrize(
    ("expression", "good"),
    [
        ("{project}/*.c", True),
        ("{project}/**", True),
        ("{project}/src/a.c", True),
        ("{tool}/*", True),
        ("/usr/lib/cmake/*/x.cmake", True),
        ("/etc/debian_version", True),
        ("{home}/.cargo/*", True),
        ("/**", False),
        ("/*", False),
        ("*", False),
        ("{home}/*", False),
        ("{home}/.ssh/*", False),
        ("/proc/*", False),
        ("//proc/*", False),
        ("{project}/../*", False),
        ("{project}//*", False),
        ("{project}/*/../*", True),  # no entry is named `..`
        ("{project}/out/*", False),
        ("{project}/src/", False),
    ],
)
def test_globs(expression: str, good: bool, home: Path, rule: RemotePaths) -> None:
    glob = Glob(expression.replace("{home}", str(home)), deep=True)
    try:
        message = refused(rule, PathSet.of(globs=[glob]))
    except RootError:
        message = "no root"
    assert (message == "") == good


def test_roots_of_others_are_distinguished(rule: RemotePaths) -> None:
    with pytest.raises(RootError):
        rule.check(PathSet.of(["{sdk}/include/a.h"]))


ABOVE = {
    "{parent1}/top.h": True,
    "{parent2}/common/a.h": True,
    "{parent2}/.git/HEAD": True,
    "{parent2}/.git/config": False,
    "{parent2}/.env": False,
    "{parent2}/out/notes.txt": False,
    "{parent3}/notes.txt": False,
    "{parent3}/gone": False,
    "{parent1}/../../notes.txt": False,
    "{parent4}/x": False,
}
"""Paths above a project that is two directories below the top of its repository."""


def of_repository(home: Path, *, with_git: bool = True) -> RemotePaths:
    for name in ("repo/part/top.h", "repo/common/a.h", "repo/.env", "repo/part/app/a.c"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(SECRET)
    (home / "repo/out").symlink_to(home)
    if with_git:
        (home / "repo/.git").mkdir()
        for name in ("HEAD", "config"):
            (home / "repo/.git" / name).write_text(SECRET)
    roots = named_roots(home / "repo/part/app", home / "repo/part/app/tree", {})
    return RemotePaths(roots, "/usr/bin", Budget(10_000))


@pytest.mark.parametrize(("name", "good"), ABOVE.items())
def test_what_is_above_the_project_in_its_repository(name: str, good: bool, home: Path) -> None:
    rule = of_repository(home)
    assert (refused(rule, PathSet.of([name])) == "") == good


@pytest.mark.parametrize(("name", "good"), ABOVE.items())
def test_what_is_above_a_submodule(name: str, good: bool, home: Path) -> None:
    (home / "repo/part/app").mkdir(parents=True)
    (home / "repo/part/app/.git").write_text("gitdir: ../../.git/modules/app\n")
    assert (refused(of_repository(home), PathSet.of([name])) == "") == good


@pytest.mark.parametrize("name", [name for name in ABOVE if name.startswith("{parent")])
def test_nothing_above_a_project_that_is_in_no_repository(name: str, home: Path) -> None:
    assert refused(of_repository(home, with_git=False), PathSet.of([name])) != ""


def test_nothing_above_the_project_in_a_repository_of_the_home_directory(home: Path) -> None:
    (home / ".git").mkdir()
    rule = of_repository(home, with_git=False)
    assert refused(rule, PathSet.of(["{parent1}/top.h"])) != ""
    assert refused(rule, PathSet.of(["{parent3}/notes.txt"])) != ""
    assert refused(rule, PathSet.of(["{project}/a.c"])) == ""


def test_files_are_small_together(
    home: Path, rule: RemotePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (home / "project/big").open("wb") as big, (home / "project/other").open("wb") as other:
        big.truncate(remote_paths.MAX_BYTES - 100)  # it is sparse, and not read
        other.truncate(200)
    assert refused(rule, PathSet.of(["{project}/big"])) == ""
    assert refused(rule, PathSet.of(["{project}/big", "{project}/src/a.c"])) == ""
    assert refused(rule, PathSet.of(["{project}/other"])).startswith("files of more than")


def test_many_directories_end_with_the_budget(home: Path, rule: RemotePaths) -> None:
    deep = "/".join("abcdefgh" * 5)
    (home / "project" / deep).mkdir(parents=True)
    few = PathSet.of(absent=[f"{{project}}/{deep}/{number}" for number in range(4000)])
    many = PathSet.of(absent=[f"{{project}}/{deep}/{number}/x" for number in range(4000)])
    assert refused(rule, few) == ""
    with pytest.raises(BudgetError):
        rule.check(many)


def test_a_home_in_path_opens_nothing_but_its_programs(home: Path) -> None:
    (home / "bin/sub").mkdir()
    roots = Roots({"project": home / "project"})
    rule = RemotePaths(roots, f"{home}/bin:{home}:/:.", Budget(10_000))
    for name in ("notes.txt", ".cargo/credentials.toml", ".netrc", "gone"):
        assert refused(rule, PathSet.of([f"{home}/{name}"]))
        assert refused(rule, PathSet.of(absent=[f"{home}/{name}"]))
    assert refused(rule, PathSet.of(["/etc/passwd"]))
    assert refused(rule, PathSet.of([f"{home}/bin/program", f"{home}/bin/sub/gone"])) == ""


PARTS = st.sampled_from(
    ["src", "a.c", "..", ".", "", "out", ".env", "link.c", "env.c", "notes.txt", "home", ".netrc"]
)
STARTS = st.sampled_from(
    ["{project}", "{tool}", "", "/", "{home}", "{home}/project", "/usr", "/proc"]
)


@given(start=STARTS, parts=st.lists(PARTS, max_size=6))
def test_no_accepted_spelling_leads_to_a_secret(
    tmp_path_factory: pytest.TempPathFactory, start: str, parts: list[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        place = make_home(tmp_path_factory.mktemp("spelled"))
        patch.setenv("HOME", str(place))
        roots = Roots({"project": place / "project", "tool": place / "tool"})
        rule = RemotePaths(roots, f"{place}/bin:/usr/bin", Budget(10_000))
        name = "/".join([start.replace("{home}", str(place)), *parts])
        if name[:1] not in ("/", "{") or refused(rule, PathSet.of([name])):
            return
        if not os.path.exists(roots.path_of(name)):  # noqa: PTH110 - as the system reads `..`
            return
        real = Path(os.path.realpath(roots.path_of(name)))
        secrets = [place / n for n in ("project/.env", ".netrc", "notes.txt", ".cargo")]
        assert real not in secrets
        assert (
            not real.is_file()
            or real.is_relative_to(place / "project")
            or (real.is_relative_to("/usr"))
        )
