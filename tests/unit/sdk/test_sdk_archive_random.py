"""Random archives of SDKs are installed below their directory, or refused and nothing is left."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tempfile
import zipfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from buildtool.sdk.vendor_archives import SdkArchive, SdkArchiveError, install_sdk

NAMES = (
    *("sdk/a", "sdk/b/c", "sdk/b/", "sdk/l", "sdk/l/x", "sdk/m", "sdk/m/l", "sdk/n", "sdk/é"),
    *("../x", "/x", "sdk/../x", "", ".", "a\0b", "x" * 300),
)
TARGETS = (
    *("a", "b", "b/c", "l", "m", "n", "../x", "..", ".", "", "/etc", "l/..", "m/../..", "m/l"),
    *("b/../..", "\0", "x" * 5000, "é"),
)
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
ENTRIES = st.tuples(
    st.sampled_from((0, stat.S_IFREG, stat.S_IFLNK, stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO)),
    st.sampled_from(TARGETS),
    st.sampled_from(METHODS),
)
CHANGES = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=4)


@given(st.dictionaries(st.sampled_from(NAMES), ENTRIES, min_size=1, max_size=6), CHANGES)
def test_random_archives(
    entries: dict[str, tuple[int, str, int]], changes: list[tuple[float, int]]
) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, (kind, text, method) in entries.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (kind | 0o4755) << 16
            entry.compress_type = method
            archive.writestr(entry, text)
    data = bytearray(made.getvalue())
    for where, byte in changes:
        data[int(where * len(data))] = byte

    with tempfile.TemporaryDirectory() as folder:
        file, place = Path(folder, "a.zip"), Path(folder, "sdks", "1")
        file.write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        sdk = SdkArchive("SDK", "1", "", "", digest, 0, place)
        try:
            install_sdk(sdk, str(file), lambda _: None)
        except (SdkArchiveError, OSError):
            assert not place.exists()
        assert {path.name for path in Path(folder).iterdir()} <= {"a.zip", "sdks"}
        assert [path.name for path in Path(folder).glob("sdks/*")] in ([], ["1"])
        for path in place.rglob("*"):
            assert Path(os.path.realpath(path)).is_relative_to(os.path.realpath(place))
            assert path.is_symlink() or path.is_dir() or path.lstat().st_mode & 0o7022 == 0
