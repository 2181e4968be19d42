"""Interfaces in Python, with a stand-in for the host library."""

from __future__ import annotations

import ctypes
import pickle
from typing import Any

import pytest

from buildtool.idl.emit.python import _fastrpc as rpc

ADD: rpc.Method[int] = rpc.Method(
    "t_add", (rpc.In("a", rpc.INT32), rpc.In("b", rpc.INT32), rpc.Rout("sum", rpc.INT32)), rpc.only
)


class T(rpc.Interface):
    URI = "file:///libt_skel.so?t_skel_handle_invoke&_modver=1.0"
    _c_name = "t"

    def add(self, a: int, b: int) -> int:
        return self._invoke(ADD, a, b)


class StandIn:
    """Functions of a host library: what they return, by name, and what they were called with."""

    def __init__(self, **codes: int) -> None:
        self.codes = {"remote_session_control": 0, "t_open": 0, "t_close": 0, "t_add": 0, **codes}
        self.calls: list[tuple[Any, ...]] = []

    def __getitem__(self, name: str) -> Any:
        if name not in self.codes:
            raise AttributeError(f"undefined symbol: {name}")

        def function(*arguments: Any) -> int:
            if name == "t_open":
                arguments[1]._obj.value = 2**63 + 5
            if name == "t_add":
                arguments[3]._obj.value = arguments[1] + arguments[2]
            self.calls.append((name, *arguments))
            return self.codes[name]

        return function

    def names(self) -> list[str]:
        return [call[0] for call in self.calls]


def opened(library: StandIn, **options: Any) -> T:
    return T(library=library, **options)  # type: ignore[arg-type]


def test_an_unsigned_process_is_requested_before_the_interface_is_opened() -> None:
    library = StandIn()
    with opened(library, domain="cdsp1") as t:
        assert t.add(2, 3) == 5
    assert library.names() == ["remote_session_control", "t_open", "t_add", "t_close"]
    control, open_, add, close = library.calls
    assert list(control[2]) == [4, 1]
    assert open_[1] == f"{T.URI}&_dom=cdsp1".encode()
    assert (add[1], close[1]) == (2**63 + 5, 2**63 + 5)


def test_the_uri_and_the_request_can_be_replaced() -> None:
    library = StandIn()
    opened(library, uri="file:///other&_dom=adsp", unsigned=False)
    assert [call[:2] for call in library.calls] == [("t_open", b"file:///other&_dom=adsp")]


def test_an_unknown_domain_is_refused() -> None:
    with pytest.raises(ValueError, match="domain: 'cdps' is none of adsp, "):
        opened(StandIn(), domain="cdps")


def test_failures_have_the_function_and_the_code() -> None:
    t = opened(StandIn(t_add=0x8000040E - 2**32))
    with pytest.raises(rpc.FastRpcError, match=r"^t_add: 0x8000040e AEE_EBADPARM") as caught:
        t.add(1, 2)
    assert (caught.value.code, caught.value.name) == (0x8000040E, "AEE_EBADPARM")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(rpc.FastRpcError, match=r"^t_open: 0x80000406 AEE_EUNABLETOLOAD"):
        opened(StandIn(t_open=-0x7FFFFBFA))
    with pytest.raises(rpc.FastRpcError, match=r"^remote_session_control: 0x00000014"):
        opened(StandIn(remote_session_control=0x14))


def test_a_wrong_argument_is_named() -> None:
    t = opened(StandIn())
    with pytest.raises(OverflowError, match=r"^b: 2147483648 is not in -2147483648 … 2147483647"):
        t.add(1, 2**31)
    with pytest.raises(TypeError, match=r"^a: "):
        t.add("1", 2)  # type: ignore[arg-type]


def test_it_is_closed_once_and_cannot_be_used_afterwards() -> None:
    library = StandIn()
    with opened(library) as t:
        t.close()
    assert library.names().count("t_close") == 1
    with pytest.raises(ValueError, match="t is closed"):
        t.add(1, 2)


def test_a_failure_to_close_does_not_hide_the_error_before_it() -> None:
    library = StandIn(t_close=0x8000040D)
    with pytest.raises(ZeroDivisionError), opened(library):
        raise ZeroDivisionError
    with pytest.raises(rpc.FastRpcError, match="t_close"), opened(library):
        pass


def test_a_missing_function_and_library_are_explained() -> None:
    library = StandIn()
    del library.codes["t_add"]
    with pytest.raises(rpc.LibraryError, match="does not export t_add"):
        opened(library).add(1, 2)
    with pytest.raises(rpc.LibraryError, match="host library of t is unknown: pass library="):
        T()


def test_an_interface_without_handle_is_called_without_one() -> None:
    double: rpc.Method[int] = rpc.Method(
        "t_add",
        (
            rpc.In("a", rpc.INT32),
            rpc.In("b", rpc.INT32),
            rpc.In("c", rpc.INT32),
            rpc.Rout("r", rpc.INT32),
        ),
        rpc.only,
        handle=False,
    )

    class Plain(rpc.Interface):
        _c_name = "t"

    library = StandIn()
    with Plain(library=library) as t:  # type: ignore[arg-type]
        assert t._invoke(double, 9, 2, 3) == 5
    assert library.names() == ["remote_session_control", "t_add"]
    assert ctypes.sizeof(library.calls[0][2]) == 8
