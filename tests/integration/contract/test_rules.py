"""Each rule finds the release that breaks it, and no other rule does."""

from __future__ import annotations

import pytest

from buildtool.contract.inspection import RULES
from buildtool.contract.rules.host_system import OF_PLATFORM

from .binaries import entry
from .broken_rules import CASES, NOTE
from .conftest import Make

WARNINGS = {"hvx-instructions", "no-build-paths", "qf-values", "skel-hash", "skel-libraries"}


@pytest.mark.parametrize("rule", [rule.name for rule in RULES])
def test_a_release_that_breaks_one_rule(rule: str, make: Make) -> None:
    path, message, why, break_it = CASES[rule]
    release = make("android" if rule.startswith("android") else "ubuntu-aarch64")

    break_it(release)
    if not (release.root / "release.json").exists():
        release.declare()

    (finding,) = release.findings()
    assert (finding.rule, finding.path) == (rule, path)
    assert finding.message.startswith(message)
    assert why in finding.why
    assert finding.remedy
    assert finding.severity == ("warning" if rule in WARNINGS else "error")


@pytest.mark.parametrize(("arch", "finds"), [("v73", ["skel-hash"]), ("v75", []), ("v81", [])])
def test_a_gnu_hash_table_is_enough_for_newer_archs(
    arch: str, finds: list[str], make: Make
) -> None:
    release = make("ubuntu-aarch64")
    release.target["archs"] = ["v68", arch]
    place = f"dsp/{arch}/libdemo_skel.so"
    skel = release.skel(place, entry() + NOTE, "-Wl,--hash-style=gnu", arch="v69")
    data = bytearray(skel.read_bytes())
    data[36] = int(arch[1:], 16)  # e_flags: Debian's clang does not know newer archs
    skel.write_bytes(data)
    release.declare()

    assert [finding.rule for finding in release.findings()] == finds


@pytest.mark.parametrize(
    ("platform", "needed", "system"),
    [
        ("ubuntu-aarch64", "libadsprpc.so", "Android"),
        ("ubuntu-aarch64", "libc.so", "Android or Linux with musl"),
        ("ubuntu-aarch64", "libc.musl-aarch64.so.1", "Linux with musl"),
        ("android", "libc.so.6", "Linux with glibc"),
        ("android", "libadsprpc.so.1", "Linux with glibc"),
        ("android", "libc.musl-aarch64.so.1", "Linux with musl"),
    ],
)
def test_a_prebuilt_library_of_another_system(
    platform: str, needed: str, system: str, make: Make
) -> None:
    release = make(platform)
    release.host("lib/libvendor.so", "int v;", *release.linker.needing(needed))
    release.declare()

    wanted = OF_PLATFORM[platform]
    found = [row for row in release.findings() if row.rule == "host-platform"]
    assert [row.message for row in found] == [
        f"libvendor.so is built for {system}, not for {wanted}"
    ]
    assert f"it needs {needed}" in found[0].why

    release.target["system_libraries"] = [needed]  # the devices have it, says the project
    release.declare()
    assert not [row for row in release.findings() if row.rule == "host-platform"]


@pytest.mark.parametrize("platform", OF_PLATFORM)
def test_a_library_of_the_platform_is_not_one_of_another_system(platform: str, make: Make) -> None:
    release = make(platform)
    cdsprpc = {"android": "libcdsprpc.so", "ubuntu-aarch64": "libcdsprpc.so.1"}[platform]
    libc = {"android": "libc.so", "ubuntu-aarch64": "libc.so.6"}[platform]
    release.host("lib/libvendor.so", "int v;", *release.linker.needing(libc, cdsprpc))
    release.declare()

    assert release.findings() == ()
