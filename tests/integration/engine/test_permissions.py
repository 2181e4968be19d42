"""Release files have the same permissions and links for all users, built or restored."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.engine import pair
from tests.integration.engine.pair import HOST
from tests.project import Project

RULES = """
file(WRITE ${CMAKE_BINARY_DIR}/v1/table "generated")
file(CREATE_LINK v1 ${CMAKE_BINARY_DIR}/current SYMBOLIC)
install(DIRECTORY ${CMAKE_BINARY_DIR}/v1 DESTINATION share USE_SOURCE_PERMISSIONS)
install(FILES ${CMAKE_BINARY_DIR}/current DESTINATION share)
install(FILES main.c DESTINATION share RENAME read-only
  PERMISSIONS OWNER_READ GROUP_READ WORLD_READ)
install(FILES main.c DESTINATION share RENAME odd
  PERMISSIONS OWNER_READ OWNER_EXECUTE WORLD_READ)
file(WRITE ${CMAKE_BINARY_DIR}/part.c "int part;")
file(WRITE ${CMAKE_BINARY_DIR}/use.c
  "extern int part; __attribute__((constructor)) static void use(void) { part++; }")
add_library(part SHARED ${CMAKE_BINARY_DIR}/part.c)
target_sources(app PRIVATE ${CMAKE_BINARY_DIR}/use.c)
set_property(TARGET app APPEND PROPERTY LINK_LIBRARIES part)
"""
SHIPPED = {
    "bin": 0o755,
    "bin/app": 0o755,
    "lib": 0o755,
    "lib/libpart.so": 0o755,
    "share": 0o755,
    "share/current": "v1",
    "share/odd": 0o755,
    "share/read-only": 0o644,
    "share/v1": 0o755,
    "share/v1/table": 0o644,
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return pair.machine(tmp_path / "machine")


@pytest.fixture(params=[0o077, pytest.param(0o002, marks=pytest.mark.long)])
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def add(project: Project, rules: str) -> None:
    path = project.root / "host/CMakeLists.txt"
    path.write_text(path.read_text() + rules)


def shipped(folder: Path) -> dict[str, int | str]:
    return {
        str(path.relative_to(folder)): str(path.readlink())
        if path.is_symlink()
        else stat.S_IMODE(path.stat().st_mode)
        for path in folder.rglob("*")
    }


@pytest.mark.usefixtures("_umask")
def test_permissions_do_not_depend_on_the_user(project: Project) -> None:
    add(project, RULES)
    out, release = project.root / ".buildtool/out/app", project.release("alone")

    for outcome in ("built", "restored local"):
        assert project.build("alone") == {HOST: outcome}
        (output,) = out.iterdir()
        assert shipped(output) == SHIPPED
        assert {name: how for name, how in shipped(release).items() if name in SHIPPED} == SHIPPED
        assert (release / "share/current/table").read_text() == "generated"
        shutil.rmtree(project.root / ".buildtool")


def test_permissions_that_a_release_cannot_keep_are_refused(project: Project) -> None:
    for name, permissions, reason in (
        ("key", "OWNER_READ", "with mode 0400, which is not readable for all users"),
        # It is the first of the two.
        ("a", "OWNER_READ OWNER_EXECUTE SETUID WORLD_READ", "with mode 4504, which is setuid"),
    ):
        add(project, f"install(FILES main.c DESTINATION etc RENAME {name}")
        add(project, f" PERMISSIONS {permissions})\n")

        done = project.run("build", "alone")

        assert done.returncode == 1
        assert f"{HOST} ships etc/{name} {reason}" in done.stderr
        assert "PERMISSIONS" in done.stderr
        assert not (project.release("alone")).exists()


@pytest.mark.long
def test_artifacts_have_the_same_permissions(project: Project) -> None:
    project.edit("buildtool.toml", 'source = "host"\n', 'source = "host"\nartifacts = ["app"]\n')
    before = os.umask(0o077)
    try:
        assert project.build("alone") == {HOST: "built"}
    finally:
        os.umask(before)
    assert shipped(project.release("alone"))["bin/app"] == 0o755
