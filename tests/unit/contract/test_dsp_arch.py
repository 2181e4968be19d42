"""The arch of skels and of libraries beside them."""

from __future__ import annotations

import pytest

from buildtool.contract.rules.declared import dsp_arch

from .described import skel, subject

TINY = (
    "a tiny core; linkers write this too when some of the objects are for it and others for a newer"
)


@pytest.mark.parametrize(
    ("file", "flags", "message", "why"),
    [
        ("libdemo_skel.so", 0x68, "", ""),
        ("libdemo_skel.so", 0x67, "is built for v67, not for v68", "0x67"),
        ("libdemo_skel.so", 0x8067, "is built for v67t, not for v68", f"0x8067, {TINY}"),
        ("libdemo_skel.so", 0x8068, "is built for v68t, not for v68", f"0x8068, {TINY}"),
        ("libpart.so", 0x67, "", ""),
        ("libpart.so", 0x69, "is built for v69, newer than v68", "0x69"),
        ("libpart.so", 0x8067, "is built for v67t, which is no older arch than v68", TINY),
        ("libpart.so", 0x8071, "is built for v71t, which is no older arch than v68", TINY),
    ],
)
def test_the_arch_in_e_flags(file: str, flags: int, message: str, why: str) -> None:
    exports = ("demo_skel_handle_invoke",) if "skel" in file else ("part",)
    elf = skel(exports=exports)._replace(flags=flags)

    findings = list(dsp_arch.check(subject({f"dsp/v68/{file}": elf})))

    assert [finding.message for finding in findings] == ([f"{file} {message}"] if message else [])
    assert all(why in finding.why for finding in findings)
