"""Resolving paths on a device whose links may lead anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from buildtool.device.board import library_path
from buildtool.device.sysroot.device_files import MAX_LINKS, DeviceEntry, absolute, first, resolve


@dataclass
class Device:
    """A device with `links` by path and `files`; their parents are directories."""

    links: dict[str, str]
    files: tuple[str, ...] = ()
    source: str = "a device"

    def entry(self, path: str) -> DeviceEntry | None:
        if path in self.links:
            return DeviceEntry("link", link=self.links[path])
        if path in self.files:
            return DeviceEntry("file", 1)
        known = [*self.links, *self.files]
        return DeviceEntry("directory") if any(k.startswith(f"{path}/") for k in known) else None

    def names(self, path: str) -> list[str]:
        raise NotImplementedError

    def read(self, path: str, limit: int) -> bytes:
        raise NotImplementedError


def leads_to(device: Device, path: str) -> str:
    found = resolve(device, path)
    return found.path if found else ""


def test_links_are_followed_within_the_root() -> None:
    device = Device(
        {"/lib": "usr/lib", "/usr/lib/a.so": "/lib/a.so.1", "/usr/lib/up": "../../../../usr"},
        ("/usr/lib/a.so.1",),
    )
    assert leads_to(device, "/lib/a.so") == "/usr/lib/a.so.1"
    assert leads_to(device, "/lib/up/lib/a.so.1") == "/usr/lib/a.so.1"
    assert leads_to(device, "//lib/./../lib/a.so") == "/usr/lib/a.so.1"
    found = resolve(device, "/lib/a.so")
    assert found
    assert found.links == (("/lib", "/usr/lib"), ("/usr/lib/a.so", "/lib/a.so.1"), *found.links[2:])
    assert leads_to(device, "/") == "/"
    assert leads_to(device, "/..") == "/"


@pytest.mark.parametrize(
    "links",
    [
        {"/a": "a"},
        {"/a": "b", "/b": "a"},
        {"/a": "a/a/a/a"},
        {"/a": "nowhere"},
        {"/a": "file/below"},
        {"/a": ""},
        {"/a": "x\ny"},
        {"/a": "\udcff"},
        {"/a": "y/" * 5000},
        {f"/a{n or ''}": f"/a{n + 1}" for n in range(MAX_LINKS + 1)},
    ],
)
def test_links_that_lead_nowhere(links: dict[str, str]) -> None:
    found = resolve(Device(links, ("/file",)), "/a")
    assert not found or found.entry.kind == "directory"
    assert first(Device(links, ("/file",)), ["/a", "/file"]).path == "/file"  # type: ignore[union-attr]


def test_as_many_links_as_linux_follows() -> None:
    links = {f"/a{n}": f"/a{n + 1}" for n in range(MAX_LINKS)}
    assert leads_to(Device(links, (f"/a{MAX_LINKS}",)), "/a0") == f"/a{MAX_LINKS}"


@pytest.mark.parametrize(
    ("folder", "path", "expected"),
    [
        ("/usr/lib", "x.so", "/usr/lib/x.so"),
        ("/usr/lib", "../x", "/usr/x"),
        ("/usr", "../../../x", "/x"),
        ("/usr", "/a/./b/", "/a/b"),
        ("/", "..", "/"),
    ],
)
def test_absolute(folder: str, path: str, expected: str) -> None:
    assert absolute(folder, path) == expected


BOARDS = """\
# comment
machines:
  Bare Board:
    OTHER: x
  Board One:
    DSP_LIBRARY_PATH: one/dsp   # trailing
    OTHER: x
  "Board: Two":
    OTHER: y
    DSP_LIBRARY_PATH: 'two/dsp;more'
DSP_LIBRARY_PATH: global
"""


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("Board One", "one/dsp"),
        ("Board: Two", "two/dsp;more"),
        ("Bare Board", ""),
        ("Board", ""),
        ("", ""),
    ],
)
def test_a_board_s_configuration(model: str, expected: str) -> None:
    assert library_path(BOARDS, model) == expected


@pytest.mark.parametrize(
    "line", [" " * 1_000_000, '"' * 1_000_000, "x" * 1_000_000, "a:" * 500_000]
)
def test_a_mistake_in_a_board_s_configuration(line: str) -> None:
    assert library_path(f"{BOARDS}{line}", "Board One") == "one/dsp"
    assert library_path(f"{line}\n{BOARDS}", "Board One") in ("", "one/dsp")
