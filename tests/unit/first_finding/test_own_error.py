"""An error that a method returned itself: which one it was, and when it is the cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.device.errors import DeviceFinding
from buildtool.diagnose.knowledge import read_knowledge
from buildtool.run.cause_finder import choose_finding, failed_call
from buildtool.run.first_finding import FirstFinding
from buildtool.run.method_counts import FailedCall, read_failed_calls
from tests.unit.diagnose.logs import explain_lines

PRINTED = "demo: fir16 failed: 0x8000040e"
CALL = FailedCall(
    "libdemo_skel.so", 3, 0x8000040E, (8, 256), (100,), "demo_fir16", ("primIn", "x", "y")
)
LOGGED = (
    "fastrpc_apps_user.c:1491: Error 0x8000040e: remote_handle64_invoke failed for module"
    " libdemo_skel.so, handle 0xaaaad7759380, method 3 on domain 3 (sc 0x2020100) (errno Success)"
)


def found_in(
    line: str, *faults: str, calls: tuple[FailedCall, ...] = (), checked: str = "idl-digest"
) -> FirstFinding | None:
    said = explain_lines(line.split("\n"))
    known = failed_call(calls, {"stderr": line.encode()}, said)
    wrong = [DeviceFinding(name, f"{name} is wrong", "Mend it.") for name in faults]
    return choose_finding(said, wrong, {checked}, read_knowledge(), known)


def test_a_method_and_the_lengths_of_its_call() -> None:
    assert found_in(PRINTED, calls=(CALL,)) == FirstFinding(
        "method-error",
        "demo_fir16 (method 3) itself returned AEE_EBADPARM (0x8000040e); bytes of its buffers:"
        " in x 256; out y 100",
        f"log:1: {PRINTED}",
        "Look where the code of demo_fir16 returns it: stub and skel agree.",
    )


def test_the_reason_that_the_emulated_device_logged() -> None:
    refused = "[dsp] ERROR: HAP_mmap of descriptor 7: it has no such page"
    found = found_in(f"{refused}\n{PRINTED}", calls=(CALL,))
    known = found_in(f"[dsp] ERROR: HAP_power_set: the X has no HMX\n{PRINTED}", calls=(CALL,))

    assert found
    assert found.cause.startswith(
        "demo_fir16 (method 3) itself returned AEE_EBADPARM (0x8000040e), and the emulated device"
        " logged an error; bytes of its buffers: in"
    )
    assert found.evidence == f"log:1: {refused}"
    assert known
    assert known.name == "hmx-missing-on-sim"


@pytest.mark.parametrize(
    "line", ["failed: -2147482610", "failed: 2147484686", "0x000000008000040E"]
)
def test_other_spellings_of_the_code(line: str) -> None:
    found = found_in(f"fastrpc: {line}", calls=(CALL,))

    assert found
    assert found.name == "method-error"


def test_the_last_call_with_the_code_that_was_printed() -> None:
    calls = (CALL._replace(method=2, code=0x80000414), CALL, CALL._replace(method=4, code=7))
    found = found_in(PRINTED, calls=calls)

    assert found
    assert "(method 3)" in found.cause
    assert found_in("demo: wrong: 0x80000401", calls=calls) != found


def test_a_call_that_a_device_logs() -> None:
    found = found_in(LOGGED)

    assert found
    assert found.cause == "method 3 of libdemo_skel.so itself returned AEE_EBADPARM (0x8000040e)"
    assert found.evidence.startswith("log:1: fastrpc_apps_user.c:1491")


@pytest.mark.parametrize("line", [PRINTED, LOGGED])
def test_a_stub_of_another_interface_is_the_cause(line: str) -> None:
    found = found_in(line, "idl-digest", calls=(CALL,))

    assert found
    assert found.name == "idl-digest"


def test_without_a_check_of_the_interface_the_method_is_not_blamed() -> None:
    found = found_in(PRINTED, calls=(CALL,), checked="dsp-arch")

    assert found is None or found.name != "method-error"


@pytest.mark.parametrize("code", ["0x8000040d", "0x80000414"])
def test_codes_that_fastrpc_returns(code: str) -> None:
    found = found_in(LOGGED.replace("0x8000040e", code))

    assert found is None or found.name != "method-error"


def test_the_file_of_the_emulated_dsp(tmp_path: Path) -> None:
    file = tmp_path / "counts"
    good = "failed 3 2147484686 2 2 1 8 256 100 libdemo_skel.so"
    many = f"failed 4 7 1 9 1 {' '.join('5' * 8)} lib a.so"
    damaged = ["failed", "failed 1 2 3", "failed x 1 1 0 0 a", "failed 1 1 1 1 1 5 a", "3 1 2 a"]
    file.write_bytes("\n".join([*damaged, good, "failed 5 1 1 0 0 b.so", many, "\xff"]).encode())

    calls = read_failed_calls(file)

    assert calls == (
        CALL._replace(name="", parameters=()),
        FailedCall("b.so", 5, 1),
        FailedCall("lib a.so", 4, 7, (5,) * 8, ()),
    )
    assert [call.lengths for call in calls[1:]] == [
        "",
        "bytes of its buffers: in 5, 5, 5, 5, 5, 5, 5, 5",
    ]
    assert read_failed_calls(tmp_path / "missing") == ()
