"""The glibc versions that the ARM64 side may need."""

from __future__ import annotations

import pytest

from buildtool.contract.finding import Finding
from buildtool.contract.rules.host_system import glibc_floor, needed_glibc
from buildtool.contract.subject import Promise
from buildtool.core.elf.symbols import VersionNeed

from .described import arm64, subject


def need(version: str, *symbols: str, weak: bool = False) -> VersionNeed:
    return VersionNeed("libc.so.6", version, symbols, weak)


def findings(floor: str, *needs: VersionNeed) -> list[Finding]:
    program = {"bin/main": arm64(versions=needs)}
    promise = Promise(platform="ubuntu-aarch64", glibc=floor)
    return list(glibc_floor.check(subject(program, promise)))


@pytest.mark.parametrize(
    ("version", "floor"),
    [
        ("GLIBC_2.17", "2.35"),
        ("GLIBC_2.35", "2.35"),
        ("GLIBC_2.3.4", "2.35"),
        ("GLIBC_2.9", "2.35"),  # by number, not by text
        ("GLIBC_ABI_DT_RELR", "2.36"),  # required by -z pack-relative-relocs
        ("GLIBCXX_3.4.30", "2.35"),
        ("LIBFOO_9", "2.35"),
    ],
)
def test_what_the_oldest_glibc_has_is_good(version: str, floor: str) -> None:
    assert findings(floor, need(version, "f")) == []


@pytest.mark.parametrize(
    ("version", "since"), [("GLIBC_2.36", "2.36"), ("GLIBC_ABI_DT_RELR", "2.36")]
)
def test_what_only_newer_ones_have_is_refused(version: str, since: str) -> None:
    (finding,) = findings("2.35", need(version, "f"))
    assert (
        finding.message == f"main needs glibc {since}, but the target is for glibc 2.35 and newer"
    )


def test_the_newest_is_named_with_what_needs_it() -> None:
    needs = [need("GLIBC_2.36", "a"), need("GLIBC_2.38", "b", "c"), need("GLIBC_2.37", "d")]
    (finding,) = findings("2.35", *needs)
    assert "needs glibc 2.38" in finding.message
    assert finding.why == "for b, c of libc.so.6"


@pytest.mark.parametrize("version", ["GLIBC_PRIVATE", "GLIBC_ABI_NEW", "GLIBC_2.x", "GLIBC_"])
def test_what_no_number_tells_of_is_refused(version: str) -> None:
    (finding,) = findings("2.35", need(version, "f"))
    assert f"needs {version}, which not every" in finding.message


def test_a_weak_need_may_stay_unmet() -> None:
    assert findings("2.35", need("GLIBC_2.39", "f", weak=True)) == []


def test_the_oldest_glibc_that_a_file_runs_with() -> None:
    newer = need("GLIBC_2.38", "g", weak=True)  # the loader goes on without it
    needs = (need("GLIBC_2.9", "e"), need("GLIBC_2.34", "f"), need("GLIBCXX_3.4.30"), newer)
    assert needed_glibc(arm64(versions=needs)) == "2.34"
    assert needed_glibc(arm64()) == ""
