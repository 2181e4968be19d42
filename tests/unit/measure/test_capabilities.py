"""What the output of a check says about a DSP, whatever a device prints."""

from __future__ import annotations

from typing import Any

import pytest

from buildtool.device.card import Capability
from buildtool.measure.probe.capabilities import capability, read_outcome
from buildtool.testing.session import Ran

RIGHT = {
    "hvx-integer": "elements 8\nruns 2\nwrong 0\nwrong_runs 0",
    "vtcm": "total 2097152\nacquired 2097152\nnonzero 4\nwrong 0",
    "zero-copy": "found 0\nwrong 0\nwrong_here 0\nstatic -2147482112",
    "unmap": "found -2147482112\nturns 300\nbytes 16777216",
    "map-size": "bytes 3670016000\nallowed 4000000000\ncode 1",
    "dspqueue": "packets 100\nright 100",
    "sessions": "opened 900\nfiles 0\nkib 12\nheap 64",
    "latency": f"bytes 0\nnanoseconds {' '.join(['1000', '3000', '2000'] * 10)}",
    "bandwidth": "bytes 1048576\nnanoseconds 1048576 1048576",
    "clock": "cycles 9600000 19200000\nticks 192000 192000",
}
VTCM = {"vtcm_page": 2 << 20, "vtcm_count": 1}


def row(name: str, stdout: str, claims: dict[str, int] | None = None, **ran: Any) -> Capability:
    fields: dict[str, Any] = {"status": 0, "signal": None, "stderr": "", "seconds": 1.0} | ran
    outcome = read_outcome(Ran(stdout=stdout, **fields))
    return capability(name, outcome, VTCM if claims is None else claims)


@pytest.mark.parametrize("name", RIGHT)
def test_what_works_is_ok(name: str) -> None:
    assert row(name, RIGHT[name]).state == "ok"


@pytest.mark.parametrize(
    ("name", "stdout", "found"),
    [
        (
            "hvx-integer",
            "elements 8\nruns 4\nwrong 3\nwrong_runs 2",
            "3 elements are wrong, in 2",
        ),
        ("hvx-float", "", "the check printed no number 'wrong'"),  # it ended well, with nothing
        ("sessions", "opened 900", "the check printed no number 'files'"),
        ("zero-copy", "found 0\nwrong 0\nwrong_here 0", "the check printed no number 'static'"),
        ("vtcm", "total 2097152\nacquired 2097152\nnonzero 0\nwrong 8", "8 bytes wrong"),
        ("vtcm", "total 4194304\nacquired 4194304\nnonzero 0\nwrong 0", "4 of 4 MiB"),
        ("zero-copy", "found -2147482112", "HAP_mmap_get fails with 0x80000600"),
        ("zero-copy", "found 0\nwrong 0\nwrong_here 5\nstatic 1", "5 words are wrong"),
        ("unmap", "found 0\nturns 300\nbytes 16777216", "still mapped"),
        ("map-size", "bytes 0\nallowed 8\ncode 1", "0 MiB; more fails with 0x1"),
        ("dspqueue", "packets 100\nright 99", "99 of 100"),
        ("sessions", "opened 900\nfiles 900\nkib 1\nheap 1", "900 open files"),
        ("sessions", "opened 900\nfiles 0\nkib 1\nheap 7200", "7,200 bytes of heap on the DSP"),
        ("dspqueue", "step dspqueue_read\nfailed dspqueue_read 0x0000000c", "dspqueue_read fails"),
    ],
)
def test_what_is_wrong_differs(name: str, stdout: str, found: str) -> None:
    assert row(name, stdout).state == "differs"
    assert found in row(name, stdout).found


@pytest.mark.parametrize(
    ("name", "stdout", "found"),
    [
        (
            "vtcm",
            "total 2097152\nacquired 1048576\nnonzero 0\nwrong 0",
            "1 of 2 MiB acquired:",
        ),
        ("vtcm", "total 2097152\nacquired 0\nnonzero 0\nwrong 0", "0 of 2 MiB acquired:"),
        ("map-size", "bytes 0\nallowed 8\ncode 0", "0 MiB; no more than 0 MiB is tried"),
        ("clock", "cycles 0 0\nticks 0 0", "stand still"),
    ],
)
def test_what_cannot_be_tested_now(name: str, stdout: str, found: str) -> None:
    assert row(name, stdout).state == "untested"
    assert found in row(name, stdout).found


def test_the_numbers_of_requirements() -> None:
    numbers = {name: row(name, text).value for name, text in RIGHT.items()}

    assert (numbers["vtcm"], numbers["map-size"]) == (2, 3500)
    assert (numbers["latency"], numbers["bandwidth"], numbers["clock"]) == (2, 1000, 1920)
    assert row("latency", RIGHT["latency"]).found == "median 2.0 us (1.0 to 3.0), 30 empty calls"


@pytest.mark.parametrize(
    ("depth", "codes", "state"),
    [
        (1, (0, 0, 0, 0x5000, 32), "ok"),
        (None, (0, 0, 0, 0x5000, 32), "ok"),
        (0, (0, 0, 0, 0x5000, 32), "differs"),
        (0, (0, 0, 0, 0, 32), "absent"),
        (1, (0, 0, 0, 0, 32), "differs"),
        (1, (0, 0, 0, 0x5000, 0), "differs"),
        (0, (0, 0, 0, 0, 0), "absent"),
        (0, (-3, 4, 13, 0, 0), "absent"),
        (1, (0, 0, 20, 0, 0), "differs"),
        (None, (-3, 0, 0, 0, 0), "absent"),
    ],
)
def test_claim_and_finding_about_hmx(depth: int | None, codes: tuple[int, ...], state: str) -> None:
    text = "power {}\nacquire {}\nlock {}\nhalf {}\nbyte {}".format(*codes)
    claims = {} if depth is None else {"hmx_support_depth": depth}

    assert row("hmx", text, claims).state == state


@pytest.mark.parametrize(
    ("ran", "found"),
    [
        ({"status": None}, "it was in HAP_mmap_get after 120 s"),
        ({"status": None, "signal": 14}, "HAP_mmap_get has not returned within 20 s"),
        ({"status": None, "signal": 11}, "signal 11 ended the program in HAP_mmap_get"),
        ({"status": 127, "stderr": "x\nno such file\n"}, "status 127: no such file"),
        ({"status": 1, "dsp_crash": "the DSP process crashed"}, "the DSP process crashed"),
    ],
)
def test_a_program_that_does_not_end_well(ran: dict[str, Any], found: str) -> None:
    shown = row("zero-copy", "step fastrpc_mmap\nstep HAP_mmap_get\n", **ran)

    assert shown.state == "differs"
    assert found in shown.found


def test_a_function_that_an_older_library_lacks() -> None:
    shown = row("dspqueue", "missing dspqueue_create\nmissing dspqueue_read")

    assert (shown.claimed, shown.state) == ("no", "absent")
    assert shown.found == "libcdsprpc lacks dspqueue_create"


@pytest.mark.parametrize(
    "noise",
    [
        "wrong " + "9" * 5000,
        "wrong -",
        "failed 0x1",
        "step \x1b[31m",
        "nanoseconds " + "1 " * 9000,
        "missing a b",
        "wrong: 1\n\0\n",
    ],
)
def test_other_lines_are_not_read(noise: str) -> None:
    for text in (f"{noise}\n{RIGHT['hvx-integer']}", f"{RIGHT['hvx-integer']}\n{noise}"):
        assert row("hvx-integer", text) == row("hvx-integer", RIGHT["hvx-integer"])
