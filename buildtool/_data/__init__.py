"""Where the CMake modules, C sources and Conan recipes of this package are.

In a wheel `cmake/`, `dsp/`, `emulator/`, `host/` and `recipes/` are beside this file; in a clone
they are at its top.  Only a wheel that `make wheel` writes has `programs/`.  `path()` is the only
look-up from Python.  CMake builds under scikit-build-core find `buildtool._data.cmake` by entry
point, which works in both places because `__path__` is set here.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent
ROOT = _HERE if (_HERE / "cmake").is_dir() else _HERE.parents[1]

__path__ = [str(ROOT)]


def path(name: str) -> Path:
    """The directory `name` ("cmake", "dsp", "emulator", "host", "recipes") of this installation."""
    return ROOT / name
