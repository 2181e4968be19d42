"""The base class of interfaces and their methods, and the loader of a package's libraries."""

from __future__ import annotations

import ctypes
import enum
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, ClassVar, Generic, TypeVar, cast

from .codes import FastRpcError, LibraryError
from .scalars import INT32, Scalar
from .types import Call, Parameter

DOMAINS = {"adsp": 0, "mdsp": 1, "sdsp": 2, "cdsp": 3, "cdsp1": 4, "gdsp0": 5, "gdsp1": 6}
CONTROL_UNSIGNED_MODULE = 2  # DSPRPC_CONTROL_UNSIGNED_MODULE

_Result = TypeVar("_Result")
_Self = TypeVar("_Self", bound="Interface")


class OpenEnum(enum.IntEnum):
    """The base class of enums.  A number without a name is a value, too: the DSP can return one."""

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"unknown_{value}"
        member._value_ = value
        return member


class Method(Generic[_Result]):
    """A function of a stub.  `result` makes the result of a call from those of its parameters.

    The function returns its error code as the type `code`.
    """

    def __init__(
        self,
        function: str,
        parameters: tuple[Parameter, ...],
        result: Callable[..., _Result],
        *,
        handle: bool = True,
        code: Scalar = INT32,
    ) -> None:
        self.function = function
        self._code = code
        self._parameters = parameters
        self._result = result
        self._c_types = [ctypes.c_uint64] if handle else []
        self._c_types += [c_type for each in parameters for c_type in each.c_types]

    def call(self, function: Any, first: tuple[int, ...], arguments: tuple[Any, ...]) -> _Result:
        """Call the C function with the values `first` before those of `arguments`.

        Raises `FastRpcError` unless it returns 0, and errors that begin with the name of a
        parameter for an argument that cannot be passed.
        """
        call = Call()
        given = iter(arguments)
        for parameter in self._parameters:
            try:
                parameter.pass_(call, *(next(given) for _ in range(parameter.arguments)))
            except TypeError as error:
                raise TypeError(f"{parameter.name}: {error}") from error
            except OverflowError as error:
                raise OverflowError(f"{parameter.name}: {error}") from error
            except ValueError as error:
                raise ValueError(f"{parameter.name}: {error}") from error
        check(self.function, function(*first, *call.arguments))
        return self._result(*(result() for result in call.results))

    def bind(self, library: ctypes.CDLL) -> Any:
        """The C function of this method."""
        return function_of(library, self.function, self._c_types, self._code.c_type)


class Interface:
    """An interface, opened on a DSP: a context manager, which closes it.

    `uri` replaces the whole URI of the interface, with its domain; `unsigned` requests that the
    process on the DSP accepts skels without a signature; `library` is the host library, which the
    package that this module belongs to finds by itself.

    Raises `FastRpcError` when the DSP refuses, `LibraryError` when a library is missing.
    """

    URI: ClassVar[str] = ""
    _c_name: ClassVar[str] = ""

    def __init__(
        self,
        uri: str | None = None,
        *,
        domain: str = "cdsp",
        unsigned: bool = True,
        library: ctypes.CDLL | None = None,
    ) -> None:
        self._library = _load(self._c_name) if library is None else library
        self._functions: dict[str, Any] = {}
        self._handle: tuple[int, ...] | None = None
        if domain not in DOMAINS:
            raise ValueError(f"domain: {domain!r} is none of {', '.join(DOMAINS)}")
        if unsigned:
            request_unsigned(self._library, DOMAINS[domain])
        self._handle = self._open(f"{self.URI}&_dom={domain}" if uri is None else uri)

    def close(self) -> None:
        """Close the handle; with the last one of a domain, its process on the DSP ends."""
        handle, self._handle = self._handle, None
        if handle:
            name = f"{self._c_name}_close"
            check(name, function_of(self._library, name, [ctypes.c_uint64])(*handle))

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except FastRpcError:
            if error is None:  # otherwise that error is the cause
                raise

    def _open(self, uri: str) -> tuple[int, ...]:
        """The arguments that come first in each call: the handle, for interfaces that have one."""
        if not self.URI:
            return ()
        name = f"{self._c_name}_open"
        handle = ctypes.c_uint64()
        types = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64)]
        check(name, function_of(self._library, name, types)(uri.encode(), ctypes.byref(handle)))
        return (handle.value,)

    def _invoke(self, method: Method[_Result], *arguments: Any) -> _Result:
        if self._handle is None:
            raise ValueError(f"{self._c_name} is closed")
        function = self._functions.get(method.function)
        if function is None:
            function = self._functions[method.function] = method.bind(self._library)
        return method.call(function, self._handle, arguments)


def check(function: str, code: float) -> None:
    """Raises `FastRpcError` unless `code`, which `function` returned, is 0."""
    if code != 0:
        raise FastRpcError(function, int(code))


def function_of(
    library: ctypes.CDLL, name: str, types: list[Any], result: Any = ctypes.c_int
) -> Any:
    """A C function of the library, or of one that it needs, which returns an error code."""
    try:
        function = library[name]
    except AttributeError as error:
        raise LibraryError(f"the library does not export {name}: {error}") from error
    function.argtypes = types
    function.restype = result
    return function


def request_unsigned(library: ctypes.CDLL, domain: int) -> None:
    """Request a process that accepts skels without a signature; this precedes the first open."""
    name = "remote_session_control"
    request = (ctypes.c_int * 2)(domain, 1)
    types = [ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32]
    control = function_of(library, name, types)
    check(name, control(CONTROL_UNSIGNED_MODULE, request, ctypes.sizeof(request)))


def nothing() -> None:
    """The result of a method without results."""


def only(result: Any) -> Any:
    """The result of a method that has one."""
    return result


def set_loader(load: Callable[[str], ctypes.CDLL]) -> None:
    """Let interfaces find their host library with `load`, which gets the interface's name in C."""
    global _load  # noqa: PLW0603
    _load = load


def _without_loader(name: str) -> ctypes.CDLL:
    raise LibraryError(
        f"the host library of {name} is unknown: pass library=ctypes.CDLL('/path/to/lib….so')"
    )


_load = cast("Callable[[str], ctypes.CDLL]", _without_loader)


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
