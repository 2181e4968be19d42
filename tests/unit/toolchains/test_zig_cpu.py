"""Processors by zig's names, and the errors for flags with other names."""

from __future__ import annotations

import pytest

from buildtool.toolchains.unsupported_flags import (
    ZigCpuRule,
    explain_failure,
    find_unsupported,
    zig_cpu_flag,
)

RULES = (ZigCpuRule(),)


@pytest.mark.parametrize(
    ("flag", "same"),
    [
        ("-march=armv8-a", "-mcpu=generic+v8a"),
        ("-march=armv8.2-a+dotprod", "-mcpu=generic+v8_2a+dotprod"),
        ("-march=armv8.2-a+fp16+dotprod", "-mcpu=generic+v8_2a+fullfp16+dotprod"),
        ("-march=armv8-a+crc+crypto", "-mcpu=generic+v8a+crc+aes+sha2"),
        ("-march=armv8.6-a+crypto", "-mcpu=generic+v8_6a+aes+sha2+sha3+sm4"),
        ("-march=armv8.4-a+fp16", "-mcpu=generic+v8_4a+fullfp16+fp16fml"),
        ("-march=armv9-a+sve2", "-mcpu=generic+v9a+sve2"),
        ("-mcpu=cortex-a78", "-mcpu=cortex_a78"),
        ("-mcpu=cortex-a76+aes+ssbs", "-mcpu=cortex_a76+aes+ssbs"),
        ("-mcpu=cortex-a710+crypto", ""),  # its meaning depends on the architecture
        ("-march=armv8.2-a+nosimd", ""),  # its effect has not been verified
        ("-march=armv8.2-a+x;`reboot`", ""),
        ("-march=native", ""),
        ("-mtune=cortex-a78", ""),
    ],
)
def test_the_exact_flag_is_known_or_none(flag: str, same: str) -> None:
    assert zig_cpu_flag(flag) == same


@pytest.mark.parametrize(
    ("flags", "remedy"),
    [
        (["-march=armv8.2-a+dotprod", "-O2"], "Write -mcpu=generic+v8_2a+dotprod, which"),
        (["-march=armv8.2-a+nosimd"], "Use another compiler: toolchain ="),
        (["-mcpu=generic+v8_2a", "-march=armv8.2-a"], "Write -mcpu=generic+v8_2a, which"),
        (["-mcpu=generic+v8_2a", "-mtune=cortex_a78"], "Remove -mtune=cortex_a78"),
        (["-march=armv8.2-a", "-mcpu=generic+v8_2a"], ""),
        (["-march=generic+v8_2a+dotprod"], ""),
        (["-mcpu=cortex_a78"], ""),
        (["-mbranch-protection=standard", "-O2"], ""),
        ([], ""),
    ],
)
def test_the_last_flag_counts(flags: list[str], remedy: str) -> None:
    refusal = find_unsupported(RULES, flags)

    assert (refusal.remedy if refusal else "").startswith(remedy)
    assert bool(refusal) == bool(remedy)


def test_errors_of_zig_get_the_flag() -> None:
    output = (
        "FAILED: a.c.o\n/zig cc -target x -O2 -march=armv8.2-a+dotprod -o a.c.o -c a.c\n"
        "info: available CPUs for architecture 'aarch64':\nerror: unknown CPU: 'armv8.2'\n"
    )

    assert "Write -mcpu=generic+v8_2a+dotprod" in explain_failure(RULES, output)
    assert explain_failure(RULES, output.replace("unknown CPU", "other")) == ""
