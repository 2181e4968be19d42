"""What Debian calls a package, and what its package depends on."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from buildtool.release.formats.deb import _system_skels, stored_gzip
from buildtool.release.formats.debian_control import control, describe
from buildtool.release.formats.entries import FormatError, Package, PackageEntry
from tests.unit.release.conftest import elf


def package(**fields: object) -> Package:
    plain = Package("tool", "1.0", "q6a", "ubuntu-aarch64", "2.35", 31, 0, ())
    return plain._replace(**fields)


@pytest.mark.parametrize(
    ("name", "debian"),
    [("htp-ops", "htp-ops"), ("My_Tool", "my-tool"), ("a.b", "a.b"), ("9p", "9p")],
)
def test_names_become_lower_case(name: str, debian: str) -> None:
    assert describe(package(name=name)).name == debian


def test_a_name_of_one_character_is_an_error() -> None:
    with pytest.raises(FormatError, match="cannot have the name 'x'") as caught:
        describe(package(name="x"))
    assert caught.value.remedy == "Change 'name' in [project]."


@pytest.mark.parametrize(
    ("version", "debian"),
    [
        ("0.0.0", "0.0.0-1"),
        ("1.2.3-rc.1+build5", "1.2.3~rc.1+build5-1"),
        ("2024.01", "2024.01-1"),
        ("1~beta", "1~beta-1"),
    ],
)
def test_a_pre_release_sorts_before_the_release(version: str, debian: str) -> None:
    assert describe(package(version=version)).version == debian


@pytest.mark.parametrize(
    "version", ["v1.0", "", "1.0-3-gabc", "1:2", "1.0 beta", "1.0-rc-1", "1/2"]
)
def test_versions_that_debian_does_not_allow(version: str) -> None:
    with pytest.raises(FormatError, match="cannot have the version"):
        describe(package(version=version))


def test_programs_are_all_of_bin_or_those_that_the_project_names() -> None:
    entries = (
        PackageEntry("bin/b", 0o755, b""),
        PackageEntry("bin/data", 0o644, b""),
        PackageEntry("bin/link", 0o777, b"", "b"),
        PackageEntry("bin/sub/c", 0o755, b""),
        PackageEntry("lib/d", 0o755, b""),
    )
    assert describe(package(entries=entries)).programs == ("b", "link")
    assert describe(package(entries=entries, programs=("b",))).programs == ("b",)
    with pytest.raises(FormatError, match="has no program bin/data") as caught:
        describe(package(entries=entries, programs=("data",)))
    assert caught.value.remedy == "It has: b, link."


def holding(tmp_path: Path, files: dict[str, bytes], **fields: object) -> Package:
    entries = []
    for number, (path, content) in enumerate(sorted(files.items())):
        (tmp_path / str(number)).write_bytes(content)
        entries.append(PackageEntry(path, 0o755, tmp_path / str(number)))
    return package(entries=tuple(entries), **fields)


def field(package: Package, name: str) -> list[str]:
    lines = control(package, describe(package), 1).decode().splitlines()
    return [line.partition(": ")[2] for line in lines if line.startswith(f"{name}: ")]


CDSPRPC = "libfastrpc1 | qcom-fastrpc1"
APP = ["libc.so.6", "ld-linux-aarch64.so.1", "libmine.so.1"]


@pytest.mark.parametrize(
    ("needed", "depends"),
    [
        (APP, ["libc6 (>= 2.39)"]),
        (["libm.so.6", "libstdc++.so.6"], ["libc6 (>= 2.39), libstdc++6"]),
        (["libcdsprpc.so.1", "libgcc_s.so.1"], [f"{CDSPRPC}, libgcc-s1"]),
        ([], []),
    ],
)
def test_depends_on_what_its_files_need(
    needed: list[str], depends: list[str], tmp_path: Path
) -> None:
    files = {
        "bin/app": elf(needed=needed),
        "lib/libmine.so.1": elf("libmine.so.1"),
        "dsp/v68/libx_skel.so": elf(needed=["libc.so", "libother.so"]),
    }
    assert field(holding(tmp_path, files, glibc="2.39"), "Depends") == depends


def test_fastrpc_is_recommended_if_only_skels_show_that_it_is_opened(tmp_path: Path) -> None:
    needs = holding(tmp_path, {"bin/app": elf(needed=["libcdsprpc.so.1"])}, archs=("v68",))
    assert (field(needs, "Depends"), field(needs, "Recommends")) == ([CDSPRPC], [])
    opens = holding(tmp_path, {"bin/app": elf()}, archs=("v68",))
    assert (field(opens, "Depends"), field(opens, "Recommends")) == ([], [CDSPRPC])


def test_a_system_library_in_an_unknown_package(tmp_path: Path) -> None:
    files = {"bin/app": elf(needed=["libyaml-0.so.2"])}
    with pytest.raises(FormatError, match="not all known") as caught:
        field(holding(tmp_path, files), "Depends")
    assert caught.value.why == "bin/app needs libyaml-0.so.2, which is a library of the system"
    assert 'deb-depends = ["PACKAGE"] in [target.q6a]' in caught.value.remedy

    known = holding(tmp_path, files, deb_depends=("libyaml-0-2", "a | b (>= 1)"))
    assert field(known, "Depends") == ["libyaml-0-2, a | b (>= 1)"]


def test_skels_for_all_programs_are_those_of_the_newest_arch_that_fits() -> None:
    """libcdsprpc looks into the directory of its DSP's own arch only."""
    paths = ("bin/app", "dsp/v69/libx_skel.so", "dsp/v75/libx_skel.so", "dsp/v75/libc++.so.1")
    held = package(
        archs=("v69", "v75"), entries=tuple(PackageEntry(path, 0o644, b"") for path in paths)
    )
    assert [*_system_skels(held, describe(held))] == []
    found = _system_skels(held._replace(deb_skels="/usr/share/qcom"), describe(held))
    links = {entry.path.removeprefix("usr/share/qcom/hexagon/"): entry.link for entry in found}
    to = "../../../../lib/tool/dsp"
    assert links == {
        "v69/libx_skel.so": f"{to}/v69/libx_skel.so",
        "v73/libx_skel.so": f"{to}/v69/libx_skel.so",
        **{
            f"{arch}/{name}": f"{to}/v75/{name}"
            for arch in ("v75", "v79", "v81")
            for name in ("libx_skel.so", "libc++.so.1")
        },
    }


def test_texts_of_the_project_file(tmp_path: Path) -> None:
    plain = package()
    assert field(plain, "Description") == ["program for Hexagon DSPs (tool)"]
    assert field(plain, "Maintainer") == ["Unknown maintainer <unknown@example.org>"]
    long = package(description="word " * 30, maintainer="A <a@b>")
    assert len(field(long, "Description")[0]) < 80
    assert field(long, "Maintainer") == ["A <a@b>"]


@pytest.mark.parametrize("size", [1, 65_535, 65_536, 200_000])
def test_stored_gzip_is_read_by_zlib(size: int) -> None:
    data = bytes(number % 251 for number in range(size))
    packed = stored_gzip(data)
    assert gzip.decompress(packed) == data
    assert packed[4:9] == b"\0\0\0\0\2"  # no time; maximum compression
