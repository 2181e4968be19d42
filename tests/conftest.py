"""Fixtures for all tests: separate caches, and reproducible random cases."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import tempfile

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir

from buildtool.core.cache import cache_dir
from buildtool.sdk.qemu import FORK_SAFE
from tests.caches import SLOW, share

pytest_plugins = ["tests.command_line", "tests.standins.fixtures", "tests.remote.fixtures"]

LONG = os.environ.get("BUILDTOOL_LONG") == "1"
QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
settings.register_profile(
    "short", derandomize=True, deadline=None, database=None, suppress_health_check=QUIET
)
settings.register_profile(
    "long", max_examples=2000, deadline=None, database=None, suppress_health_check=QUIET
)
settings.load_profile("long" if LONG else "short")
NUMBERS = itertools.count()
NOTES = tempfile.TemporaryDirectory(prefix="hypothesis-")  # the default is a directory in the clone
set_hypothesis_home_dir(NOTES.name)


def pytest_unconfigure() -> None:
    NOTES.cleanup()


def pytest_xdist_auto_num_workers() -> int:
    """Two workers more than processors, because tests also wait."""
    return len(os.sched_getaffinity(0)) + 2


def pytest_configure(config: pytest.Config) -> None:
    """Set the environment of all tests and of the programs that they start."""
    # Shells and nohup start processes in the background with signals ignored: children inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    # The tests must not use compilers that the caller's environment configures.
    for name in list(os.environ):
        if name.startswith(
            ("ANDROID_", "HEXAGON_", "DEFAULT_HEXAGON_", "BUILDTOOL_CLANG", "CONAN_")
        ):
            del os.environ[name]
    os.environ.pop("CI", None)  # runs that fail would leave bundles
    # The programs that tests start compile buildtool to bytecode once, not each time.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.pop("PYTHONUNBUFFERED", None)  # with it, errors of writing come earlier than usual
    os.environ.update(FORK_SAFE)  # for tests that start QEMU themselves
    os.environ["BUILDTOOL_CACHE"] = str(cache_dir())
    zig_cache = str(cache_dir() / "zig")
    os.environ["ZIG_GLOBAL_CACHE_DIR"] = zig_cache
    os.environ["ZIG_LOCAL_CACHE_DIR"] = zig_cache


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Give this run its own buildtool cache, which shares what is slow to recreate with the user's:
    zig, its cache, and the programs of the emulated device, named by the digest of their sources.
    """
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # one for all workers
    cache_dir().mkdir(parents=True, exist_ok=True)
    cache = base / "buildtool-cache"
    with contextlib.suppress(FileExistsError):  # another worker created it
        share(cache, (*SLOW, "emulator"))
    os.environ["BUILDTOOL_CACHE"] = str(cache)
    # A pytest that a test starts would delete what earlier runs have left, which takes minutes.
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(base)


@pytest.fixture(autouse=True)
def _own_actions(
    _cache: None, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Give each test a cache without actions, which shares what is slow to recreate, and a user's
    configuration directory without devices."""
    # Not with mktemp, which lists all that the tests before have left.
    place = tmp_path_factory.getbasetemp() / "caches" / str(next(NUMBERS))
    own = share(place, (*SLOW, "emulator", "digests"))
    monkeypatch.setenv("BUILDTOOL_CACHE", str(own))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own / "no-configuration"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests that are marked `long` unless BUILDTOOL_LONG=1."""
    if LONG:
        return
    kept = [item for item in items if "long" not in item.keywords]
    config.hook.pytest_deselected(items=[item for item in items if "long" in item.keywords])
    items[:] = kept
