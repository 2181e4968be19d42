"""Fixtures with one stand-in of each kind for the whole test session, which tests only read.

A test that changes a stand-in creates another one with `make_ndk` or `make_sdk`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .android_ndk import make_ndk
from .hexagon_sdk import make_sdk

MakeNdk = Callable[[str], Path]
MakeSdk = Callable[..., Path]


@pytest.fixture(scope="session")
def stand_in_ndk(tmp_path_factory: pytest.TempPathFactory) -> MakeNdk:
    """A stand-in Android NDK by its release (`r25` … `r29`)."""
    made: dict[str, Path] = {}

    def make(release: str = "r27") -> Path:
        if release not in made:
            folder = tmp_path_factory.mktemp("stand-in ndk")
            made[release] = make_ndk(folder / f"android-ndk-{release}", release)
        return made[release]

    return make


@pytest.fixture(scope="session")
def stand_in_sdk(tmp_path_factory: pytest.TempPathFactory) -> MakeSdk:
    """A stand-in Hexagon SDK by its version, in a directory of that name; may be `trimmed=True`."""
    made: dict[tuple[str, bool], Path] = {}

    def make(version: str = "6.4.0.2", *, trimmed: bool = False) -> Path:
        key = (version, trimmed)
        if key not in made:
            folder = tmp_path_factory.mktemp("stand-in sdk")
            made[key] = make_sdk(folder / version, version, trimmed=trimmed)
        return made[key]

    return make
