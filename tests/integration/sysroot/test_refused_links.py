"""Links against another libcdsprpc than the system's are refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.standins.device import arm64_library
from tests.standins.fixtures import MakeSdk

from .linked import Linked

SHIP = "ipc/fastrpc/remote/ship/UbuntuARM_aarch64"


WAYS = {
    "path": 'target_link_libraries(main "{ship}/libcdsprpc.so")',
    "directory": 'target_link_directories(main PRIVATE "{ship}")\n'
    "target_link_libraries(main cdsprpc)",
    "-L": 'target_link_libraries(main "-L\\"{ship}\\"" -lcdsprpc)',
    "options": 'target_link_options(main PRIVATE "-L{ship}")\ntarget_link_libraries(main cdsprpc)',
    "flags": 'set_target_properties(main PROPERTIES LINK_FLAGS "-Wl,\\"{ship}/libcdsprpc.so\\"")',
    "find_library": 'find_library(found cdsprpc PATHS "{ship}" NO_DEFAULT_PATH '
    "NO_CMAKE_FIND_ROOT_PATH)\ntarget_link_libraries(main ${{found}})",
    "second hand": "add_library(client SHARED IMPORTED)\nset_target_properties(client PROPERTIES\n"
    '  IMPORTED_LOCATION "{ship}/libcdsprpc.so")\n'
    "add_library(middle STATIC library.c)\ntarget_link_libraries(middle client)\n"
    "target_link_libraries(main middle)",
    "link": 'file(CREATE_LINK "{ship}/libcdsprpc.so" "${{CMAKE_BINARY_DIR}}/libother.so"'
    " SYMBOLIC)\n"
    'target_link_libraries(main "${{CMAKE_BINARY_DIR}}/libother.so")',
}


@pytest.mark.parametrize("toolchain", ["zig", pytest.param("gcc", marks=pytest.mark.long)])
def test_the_client_of_a_stand_in_sdk_is_refused(
    toolchain: str, project: Linked, stand_in_sdk: MakeSdk
) -> None:
    """However it is linked, in a project that turns from each way to the next one."""
    project.target(toolchain)
    for way, text in WAYS.items():
        project.lists(text.format(ship=stand_in_sdk() / SHIP))

        message = project.refused()

        for part in (
            "main would be linked against the libcdsprpc of a Hexagon SDK",
            "FASTRPC_IOCTL_INIT_CREATE",
            "rpcmem_*",
            "Link Buildtool::cdsprpc",
        ):
            assert part in message, way
        built = list((project.root / ".buildtool").glob("build/*/*/main"))
        assert built == [], f"{way}: it was built before"


@pytest.mark.long
def test_other_copies_are_refused_by_name_and_by_soname(
    project: Linked, tmp_path: Path, stand_in_sdk: MakeSdk
) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    shutil.copy(stand_in_sdk() / SHIP / "libcdsprpc.so", copies / "libcdsprpc.so")
    shutil.copy(stand_in_sdk() / SHIP / "libcdsprpc.so", copies / "librenamed.so")
    for name in ("libcdsprpc.so", "librenamed.so"):
        project.lists(f'target_link_libraries(main "{copies}/{name}")')
        message = project.refused()
        assert "against a libcdsprpc that is not the system's" in message
        assert f"{copies}/{name}" in message
    (copies / "libcdsprpc.so").write_text("INPUT ( librenamed.so )")
    project.lists(f'target_link_libraries(main "-L{copies}" -lcdsprpc)')
    assert "against a libcdsprpc that is not the system's" in project.refused()


@pytest.mark.long
def test_a_stub_of_the_project_s_own_may_be_linked_but_not_under_another_soname(
    project: Linked, stand_in_sdk: MakeSdk
) -> None:
    text = (
        "file(WRITE stub.c [[void rpcmem_alloc(void) {}]])\n"
        "add_library(cdsprpc SHARED ${CMAKE_CURRENT_SOURCE_DIR}/stub.c)\n"
        "set_target_properties(cdsprpc PROPERTIES {properties})\n"
        "target_link_libraries(main cdsprpc)\n"
    )
    project.lists(text.replace("{properties}", "VERSION 1.0.0 SOVERSION 1"))
    assert project.program().is_file()

    project.lists(text.replace("{properties}", "PREFIX lib"))
    # A project that is built turns to another library.
    message = project.refused()
    assert "main needs libcdsprpc.so, but every device has libcdsprpc.so.1" in message
    assert "it would not start" in message

    project.lists(
        text.replace("{properties}", "VERSION 1.0.0 SOVERSION 1") + "install(TARGETS cdsprpc)"
    )
    assert "libcdsprpc belongs to the device's system" in project.refused()

    project.lists(f'target_link_libraries(main "{stand_in_sdk() / SHIP}/libcdsprpc.so")')
    assert "of a Hexagon SDK" in project.refused()


def test_a_library_that_comes_ready_made_with_the_wrong_soname(
    project: Linked, tmp_path: Path
) -> None:
    """Such as prebuilt Android libraries in a Linux release."""
    made = arm64_library(tmp_path / "libready.so", "libready.so", ["ready"], needs="libcdsprpc.so")
    project.lists(f'install(FILES "{made}" DESTINATION lib)\ntarget_link_libraries(main cdsprpc)')
    assert "libready.so needs libcdsprpc.so, but every device has" in project.refused()
