"""Files of releases arrive on every device as they are."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from buildtool.deploy.contents import deployment
from buildtool.device.errors import DeviceError
from tests.conftest import LONG
from tests.integration.remote.conformance.conftest import (
    ANDROID,
    NOISY,
    SHELLS,
    TOOLS,
    TOYBOX,
    short_on,
)
from tests.remote.releases import make_release
from tests.remote.remote import Remote

ODD_NAMES = (
    "with space",
    " leading and trailing ",
    "'single'",
    '"double"',
    "$HOME",
    "${x}$(id)`id`",
    "*",
    "?[a-z]",
    "back\\slash",
    "\\",
    "\\n",
    "end\\",
    "-rf",
    "--",
    "-",
    "dir/-dash",
    ".hidden",
    "..two dots",
    "~",
    "#hash;semi&and|pipe<>()",
    "!bang=%percent@at",
    "tab\tand\rreturn\x1bescape\x01",
    "ä ö 💡 e\u0301",
    os.fsdecode(b"not \xff\xfe UTF-8 \xe4"),
    "n" * 255,
    "a" * 150 + "/" + "b" * 200,
    "/".join(["deep"] * 120) + "/file",
    "x.partial/y.removed",
    "755",
    "644",
    "links",
    "dangling",
    "targets",
)


@short_on(TOYBOX, ANDROID)
def test_odd_names(remote: Remote, tmp_path: Path) -> None:
    files = {name: f"content of {name!r}".encode() for name in ODD_NAMES}
    links = {f"link to/{name}": f"../{name}" for name in ODD_NAMES if len(name) < 100}
    links |= {os.fsdecode(b"link \xff"): os.fsdecode(b"to \xfe nowhere  ")}
    first = remote.release(tmp_path / "1", files, links)
    assert remote.deploy(first).files == len(files) + len(links) + 2
    remote.assert_current(first)
    # Each file that changes is removed on the device by its name.
    second = remote.release(tmp_path / "2", dict.fromkeys(ODD_NAMES[::2], b"changed"))
    assert remote.deploy(second).files == len(ODD_NAMES[::2])
    remote.assert_current(second)
    assert remote.deploy(second).files == 0
    assert remote.deploy(first, verify=True).files == 0
    remote.assert_current(first)
    assert remote.shell(first, "cat ./-rf").stdout == b"content of '-rf'"


@pytest.mark.parametrize("names", [{"a\nb": ""}, {"link\n": "to"}, {"link": "a\nb"}])
def test_a_line_break_in_a_name_is_refused(tmp_path: Path, names: dict[str, str]) -> None:
    files = {name: b"" for name, target in names.items() if not target}
    links = {name: target for name, target in names.items() if target}
    with pytest.raises(DeviceError, match=r"contains a line break.*[\s\S]*another name"):
        deployment(make_release(tmp_path / "release", files, links), "")


@short_on(TOYBOX, ANDROID)
def test_what_becomes_something_else(remote: Remote, tmp_path: Path) -> None:
    """Files, links and directories take each other's place, in both directions."""
    first = make_release(
        tmp_path / "1",
        {
            "empty": b"",
            "file to link": b"f",
            "file to directory": b"f",
            "file to link to directory": b"f",
            "directory to file/a": b"1",
            "directory to file/b/c": b"2",
            "directory to link/a": b"3",
            "directory/kept": b"4",
            "directory/removed": b"5",
            "mode": b"m",
            "program": b"p",
            "lib/liba.so.1": b"library",
        },
        {
            "link to file": "lib/liba.so.1",
            "link to directory": "directory",
            "link that changes": "lib/liba.so.1",
            "lib/liba.so": "liba.so.1",
            "link to directory to file": "directory",
            "link to nothing": "does not exist",
            "link to directory to directory": "directory",
        },
        {"program": 0o755},
    )
    second = make_release(
        tmp_path / "2",
        {
            "empty": b"not empty any more",
            "file to directory/new/file": b"n",
            "directory to file": b"12",
            "link to file": b"is a file now",
            "link to directory to file": b"is a file now",
            "link to directory to directory/kept": b"is a directory now",
            "directory/kept": b"4",
            "directory/added": b"6",
            "mode": b"m",
            "program": b"p",
            "lib/liba.so.1": b"LIBRARY",
        },
        {
            "file to link": "directory/kept",
            "file to link to directory": "directory",
            "directory to link": "directory",
            "link to directory": "lib",
            "link that changes": "directory/kept",
            "lib/liba.so": "liba.so.1",
        },
        {"mode": 0o755},
    )
    for release in (first, second, first):
        remote.deploy(release)
        remote.assert_current(release)


@TOOLS
def test_only_what_changed_is_sent(remote: Remote, tmp_path: Path) -> None:
    """Size and time of a file are the same before and after."""
    files = {f"lib/{index}": b"%d" % index for index in range(30)}
    releases = []
    for name, content in (("1", b"old!"), ("2", b"new!")):
        release = remote.release(tmp_path / name, {**files, "data/model": content})
        os.utime(release.directory / "data/model", (1_000_000_000, 1_000_000_000))
        releases.append(release)
    first, second = releases
    assert remote.deploy(first).files == 33
    assert remote.deploy(second)._replace(directory="", deployment="", release="")[-3:] == (
        1,
        4,
        (),
    )
    remote.assert_current(second)
    remote.forget()
    third = remote.release(tmp_path / "3", {**files, "data/model": b"third"})
    assert remote.deploy(third).files == 1
    remote.assert_current(third)
    fewer = remote.release(tmp_path / "4", dict(list(files.items())[:20]))
    assert remote.deploy(fewer).files == 0
    remote.assert_current(fewer)


@short_on(TOYBOX, ANDROID)
def test_a_changed_mode(remote: Remote, tmp_path: Path) -> None:
    files = {"file": b"same", "other": b"other"}
    first = remote.release(tmp_path / "1", files)
    second = remote.release(tmp_path / "2", files, modes={"file": 0o755})
    for release, count in ((first, 4), (second, 1), (first, 0)):
        assert remote.deploy(release).files == count
        remote.assert_current(release)
    # The file of the other release was not changed with it.
    remote.assert_whole(first, second)


@SHELLS
def test_many_small_files(remote: Remote, tmp_path: Path) -> None:
    count = 5000 if LONG else 800
    files = {
        f"directory {index % 50}/a rather long name of a small file {index}": b"%d" % index
        for index in range(count)
    }
    first = remote.release(tmp_path / "1", files)
    assert remote.deploy(first).files == count + 2
    remote.assert_current(first)
    # More names are removed than a command line takes.
    second = remote.release(tmp_path / "2", dict(list(files.items())[:100]))
    assert remote.deploy(second).files == 0
    remote.assert_current(second)


@short_on(NOISY, ANDROID)
def test_a_large_file(remote: Remote, tmp_path: Path) -> None:
    size = (512 if LONG else 16) << 20
    release = remote.release(tmp_path / "1", {"large": size, "small": b"1"})
    assert remote.deploy(release).size > size
    remote.assert_current(release)
    other = remote.release(tmp_path / "2", {"large": size, "small": b"2"})
    assert remote.deploy(other).size == 1
    remote.assert_current(other)


@TOOLS
def test_damaged_files_are_found_and_repaired(remote: Remote, tmp_path: Path) -> None:
    files = {
        name: name.encode() for name in ("a", "b", "c", "d/e", "d/f", "d/g", "h", "i/j", "k/l")
    }
    release = remote.release(tmp_path / "1", files, {"link": "a", "other": "b"})
    remote.deploy(release)
    there = remote.outside("current")
    (there / "a").chmod(0o600)
    (there / "b").chmod(0o777)
    (there / "c").unlink()
    (there / "d/e").write_bytes(b"E")
    (there / "d/g").unlink()
    (there / "d/g").mkdir()
    (there / "d/g/x").write_bytes(b"")
    (there / "h").write_bytes(b"H")
    for name, target in (("link", "d"), ("other", "h")):
        (there / name).unlink()
        (there / name).symlink_to(target)
    (there / "i").rename(there / "elsewhere")
    (there / "i").symlink_to("elsewhere")
    shutil.rmtree(there / "k")
    (there / "k").write_bytes(b"a file")
    assert remote.deploy(release).files == 0
    done = remote.deploy(release, verify=True)
    # Where most files are links, they are followed.
    found = {"a", "b", "c", "d/e", "d/g", "h", "link", "other", "k/l"}
    assert set(done.repaired) == found | (set() if remote.store else {"i/j"})
    if not remote.store:
        shutil.rmtree(there / "elsewhere")  # not from the release
        remote.assert_current(release)
    assert remote.deploy(release, verify=True).repaired == ()
