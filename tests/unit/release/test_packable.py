"""Names that archives of a release cannot have."""

from __future__ import annotations

import pytest

from buildtool.release.check import check_packable
from buildtool.release.formats.entries import FormatError, PackageEntry


def entries(*names: str) -> list[PackageEntry]:
    """Files with these names; `a -> b` is a link."""
    rows = [name.partition(" -> ") for name in names]
    return [PackageEntry(path, 0o644, b"content", target) for path, _, target in rows]


def test_usual_names_are_packable() -> None:
    names = (
        "bin/a b",
        "lib/é",
        "lib/libx.so -> libx.so.1",
        "lib/libx.so.1",
        "share/a",
        "to -> lib",
    )
    check_packable(entries(*names), "p-1-t")


@pytest.mark.parametrize(
    ("names", "reported"),
    [
        (["share/a\nb"], "control characters"),
        (["share/\udcff"], "bytes that are not UTF-8"),
        (["share/a\\b"], "a backslash"),
        (["share/A", "share/a"], "'p-1-t/share/A' and 'p-1-t/share/a' have the same name on some"),
        (["share/\u00e9", "share/e\u0301"], "have the same name on some file systems"),
        (["licenses/x", "licenses/x"], "two entries 'p-1-t/licenses/x'"),
        (["share/here -> ."], "share/here"),
        (["share/up -> ../../../x"], "leads out of the directory"),
        (["share/" + "d/" * 70 + "file"], "deeper than 64 directories"),
        (["share/" + ("d" * 250 + "/") * 5 + "file"], "more than 1,024 bytes"),
    ],
)
def test_what_unpacking_refuses_is_not_packed(names: list[str], reported: str) -> None:
    with pytest.raises(FormatError) as raised:
        check_packable(entries(*names), "p-1-t")
    assert reported in raised.value.why
