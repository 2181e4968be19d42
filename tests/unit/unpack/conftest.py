"""Fixtures for the tests of unpacking."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from buildtool.release.unpack import ArchiveError, entries, unpack
from tests.unit.unpack.archives import Part, write

Refused = Callable[..., ArchiveError]


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    """Write an archive, and return the error that refuses it before anything is written."""

    def check(content: bytes | Iterable[Part], name: str = "a.tar.zst") -> ArchiveError:
        archive = write(tmp_path / name, content)
        into = tmp_path / "unpacked" / "here"
        with pytest.raises(ArchiveError) as listed:
            entries(archive)
        with pytest.raises(ArchiveError) as refusal:
            unpack(archive, into)
        assert refusal.value.message == listed.value.message
        assert refusal.value.message.startswith(f"{archive}: ")
        assert not into.parent.exists()
        return refusal.value

    return check
