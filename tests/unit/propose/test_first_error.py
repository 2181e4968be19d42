"""CMake's first error, as CMake prints it."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.propose.configure import first_error

DIRECT = """\
-- Detecting C compiler ABI info
CMake Error at sub/CMakeLists.txt:3 (message):
  first

  second


-- Configuring incomplete, errors occurred!
"""
IN_MODULE = """\
CMake Warning at CMakeLists.txt:1 (message):
  CMake Error of none

CMake Error at /cmake/Modules/FindPackageHandleStandardArgs.cmake:290 (message):
  Could NOT find ZLIB (missing: ZLIB_LIBRARY
  ZLIB_INCLUDE_DIR)
Call Stack (most recent call first):
  /cmake/Modules/FindPackageHandleStandardArgs.cmake:654 (_FPHSA_FAILURE_MESSAGE)
  /cmake/Modules/FindZLIB.cmake:202 (FIND_PACKAGE_HANDLE_STANDARD_ARGS)
  sub/CMakeLists.txt:5 (find_package)
  CMakeLists.txt:9 (include)


CMake Error at CMakeLists.txt:99 (later):
  other
"""
NOWHERE = "CMake Error: The source directory does not exist.\nSpecify --help for usage.\n"


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (DIRECT, "app/sub/CMakeLists.txt:3: first second"),
        (
            IN_MODULE,
            "app/sub/CMakeLists.txt:5: Could NOT find ZLIB (missing: ZLIB_LIBRARY"
            " ZLIB_INCLUDE_DIR)",
        ),
        (NOWHERE, "The source directory does not exist. Specify --help for usage."),
        ("-- all is well\n", ""),
        ("CMake Error", ""),
    ],
)
def test_the_first_error(output: str, error: str, tmp_path: Path) -> None:
    for name in ("app/CMakeLists.txt", "app/sub/CMakeLists.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert first_error(output, tmp_path / "app", tmp_path) == error
