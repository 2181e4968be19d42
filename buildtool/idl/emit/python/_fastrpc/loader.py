"""Loads the host libraries of a package, and lets the DSP find its skels."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from .codes import LibraryError

ARCH_VARIABLE = "BUILDTOOL_DSP_ARCH"
SEARCH_PATH = "ADSP_LIBRARY_PATH"
OVERRIDE = "DSP_LIBRARY_PATH"  # replaces the search path where it is set
CDSP = 3
GET_DSP_INFO, ARCH_VER = 2, 6  # a request of remote_handle_control, and the attribute it asks for


class Loader:
    """The libraries of a package in `root`: host libraries in `lib/`, skels in `dsp/<arch>/`.

    `archs` are the DSP archs that it has skels for; `libraries` has for each host library those of
    the package that it needs, in the order in which they are loaded; `interfaces` has the library
    with the stub of an interface by the name of the interface in C; `cdsprpc` is the SONAME of the
    system's libcdsprpc.

    ADSP_LIBRARY_PATH is set when the first library is loaded, and before.
    """

    def __init__(
        self,
        root: Path,
        *,
        cdsprpc: str,
        archs: Sequence[str],
        libraries: Mapping[str, Sequence[str]],
        interfaces: Mapping[str, str],
    ) -> None:
        self._root = root.resolve()
        self._cdsprpc = cdsprpc
        self._archs = archs
        self._libraries = libraries
        self._interfaces = interfaces
        self._lock = threading.RLock()
        self._loaded: dict[str, ctypes.CDLL] = {}
        self._arch = ""

    def load_interface(self, name: str) -> ctypes.CDLL:
        """Load the host library with the stub of the interface.  Raises `LibraryError`."""
        return self.load_library(self._interfaces[name])

    def load_library(self, name: str) -> ctypes.CDLL:
        """Load the host library `name`, such as `libcalc.so`, after those that it needs.

        None has to be on a search path: the system's loader takes a library that is loaded already
        for each that has its SONAME.  Raises `LibraryError`.
        """
        if name not in self._libraries:
            known = ", ".join(self._libraries) or "none"
            raise LibraryError(f"this package has no library {name}; it has {known}")
        with self._lock:
            if not self._loaded and self._archs:
                self._let_dsp_find_skels()
            for each in (*self._libraries[name], name):
                if each not in self._loaded:
                    self._loaded[each] = self._open(each)
            return self._loaded[name]

    def dsp_arch(self) -> str:
        """The DSP arch whose skels this device gets, such as `v73`.

        It is the value of BUILDTOOL_DSP_ARCH, else the newest arch that is not newer than the
        device's DSP.  Raises `LibraryError` when it is unknown, or there are no skels for it.
        """
        with self._lock:
            self._arch = self._arch or self._find_arch()
            return self._arch

    def _open(self, name: str) -> ctypes.CDLL:
        try:
            return ctypes.CDLL(str(self._root / "lib" / name))
        except OSError as error:
            raise LibraryError(f"{name} cannot be loaded: {error}") from error

    def _let_dsp_find_skels(self) -> None:
        directory = str(self._root / "dsp" / self.dsp_arch())
        if ";" in directory:
            raise LibraryError(f"the DSP finds no skels in {directory}: ';' separates directories")
        before = os.environ.get(SEARCH_PATH)
        os.environ[SEARCH_PATH] = f"{directory};{before}" if before else directory
        os.environ.pop(OVERRIDE, None)

    def _find_arch(self) -> str:
        known = ", ".join(self._archs) or "no DSP"
        arch = os.environ.get(ARCH_VARIABLE, "")
        if arch:
            if arch in self._archs:
                return arch
            raise LibraryError(f"{ARCH_VARIABLE} is {arch!r}; this package has skels for {known}")
        number = self._ask_for_arch()
        fitting = [arch for arch in self._archs if int(arch[1:], 16) <= number]
        if not fitting:
            raise LibraryError(f"the DSP is v{number:x}; this package has skels for {known}")
        return max(fitting, key=lambda arch: int(arch[1:], 16))

    def _ask_for_arch(self) -> int:
        """The arch of the compute DSP as libcdsprpc reports it: 0x73 for v73."""
        try:
            function = ctypes.CDLL(self._cdsprpc)["remote_handle_control"]
        except (OSError, AttributeError) as error:
            raise self._unknown_arch(str(error)) from error
        function.argtypes = [ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32]
        function.restype = ctypes.c_int
        question = (ctypes.c_uint32 * 3)(CDSP, ARCH_VER, 0)
        code = function(GET_DSP_INFO, question, ctypes.sizeof(question))
        if code != 0 or question[2] & 0xFF == 0:
            raise self._unknown_arch(f"remote_handle_control returned 0x{code & 0xFFFFFFFF:x}")
        return question[2] & 0xFF

    def _unknown_arch(self, why: str) -> LibraryError:
        return LibraryError(
            f"the DSP arch of this device is unknown: {why};"
            f" set {ARCH_VARIABLE} to one of: {', '.join(self._archs)}"
        )
