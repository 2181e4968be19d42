"""`buildtool cache`: the results of earlier builds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from buildtool.cli.options import Json
from buildtool.cli.parameters import Option
from buildtool.cli.show import print_json, show
from buildtool.core.cache import CACHES, Cache, cache_dir

if TYPE_CHECKING:
    from buildtool.cache.eviction import DiskUsage
    from buildtool.cache.store import Store
    from buildtool.documents.builds import (
        CacheVerifyDocument,
    )

SHOWN = 20
"""How many damaged files are listed."""
HELP = "Show, check and shrink the cache of earlier builds."


def stats(*, json: Json = False) -> None:
    """Print what the cache directory contains, and its size.

    The environment variable BUILDTOOL_CACHE_SIZE limits the size, for example 20G; default: 10G.
    """
    from buildtool.cache.eviction import ACTIONS
    from buildtool.cache.local import cache_limit
    from buildtool.cache.maintenance import OtherCaches, counted_bytes, store_usage

    limit = cache_limit()
    documents, blobs = store_usage(_store())
    rest = OtherCaches(cache_dir()).usage()
    size = documents.bytes + blobs.bytes
    total = size + counted_bytes(rest)
    if json:
        document: dict[str, Any] = {
            "directory": str(cache_dir()),
            "limit": limit,
            "bytes": total,
            "documents": documents.as_json(),
            "blobs": blobs.as_json(),
            "others": [{"name": name, **one.as_json()} for name, one in rest.items()],
        }
        print_json(document)
        return
    count = documents.files + blobs.files
    show(cache_dir())
    show(f"  {ACTIONS:<18}{_size(size):>10}  {_files(count):>15}  {CACHES[ACTIONS].contents}")
    for name, one in rest.items():
        row = f"  {name:<18}{_size(one.bytes):>10}  {_files(one.files):>15}"
        known = CACHES.get(name, Cache("unknown", counted=False))
        show(f"{row}  {known.contents}{'' if known.counted else ', not counted'}")
    show(f"  {'together':<18}{_size(total):>10}  of at most {_size(limit)}")


def gc(
    *,
    limit: Annotated[
        str,
        Option("--limit", "For example 5G; default: the limit that 'cache stats' prints.", "SIZE"),
    ] = "",
    json: Json = False,
) -> None:
    """Delete the least recently used files, down to a size limit.

    Keeps recently used files, because a build may be using them, and sysroots.
    """
    from buildtool.cache.local import cache_limit, parse_size
    from buildtool.cache.maintenance import OtherCaches
    from buildtool.cache.maintenance import gc as collect

    target = parse_size(limit, "--limit") if limit else cache_limit()
    store = _store()
    found = cache_dir().is_dir()
    _show_freed(collect(store, target, OtherCaches(cache_dir())) if found else {}, as_json=json)


def verify(*, json: Json = False) -> int:
    """Check the digests of all cached files, and delete damaged ones.

    Covers outputs of steps and the emulated device's programs. Deleted files are created again when
    they are needed. The exit status is 1 if any file was deleted.
    """
    from buildtool.cache.emulator_cache import directory as emulator_directory
    from buildtool.cache.maintenance import VerifiedCache, store_usage
    from buildtool.cache.maintenance import verify as check
    from buildtool.device.emulated.emulator import verify as check_emulator

    store = _store()
    done = check(store) if store.directory.is_dir() else VerifiedCache(*store_usage(store), (), 0)
    emulator = check_emulator(emulator_directory())
    wrong = [*done.wrong, *emulator.wrong]
    if json:
        document: CacheVerifyDocument = {
            "documents": done.documents.as_json(),
            "blobs": done.blobs.as_json(),
            "emulator": emulator.checked.as_json(),
            "wrong": [str(path) for path in wrong],
            "useless": done.useless,
        }
        print_json(document)
    else:
        for path in wrong[:SHOWN]:
            show(f"wrong, deleted: {path}")
        if len(wrong) > SHOWN:
            show(f"… and {len(wrong) - SHOWN:,} more")
        if done.useless:
            show(f"deleted {done.useless:,} documents of which outputs were evicted")
        checked = (done.documents, done.blobs, emulator.checked)
        size, count = sum(one.bytes for one in checked), sum(one.files for one in checked)
        verdict = f"{len(wrong):,} wrong" if wrong else "all good"
        show(f"checked {_files(count)}, {_size(size)}: {verdict}")
    return int(bool(wrong))


def clear(
    *,
    all_: Annotated[
        bool,
        Option("--all", "Also everything else in the cache directory that builds make again."),
    ] = False,
    json: Json = False,
) -> None:
    """Delete the results of all earlier builds, without asking.

    Other builds may run at the same time, but not with --all. What --all deletes takes minutes to
    create again. Sysroots are kept: their devices are needed to pull them again.
    """
    from buildtool.cache.maintenance import OtherCaches
    from buildtool.cache.maintenance import clear as clear_actions

    freed = {"actions": clear_actions(_store())}
    if all_:
        freed |= OtherCaches(cache_dir()).clear()
    _show_freed(freed, as_json=json)


COMMANDS = (stats, gc, verify, clear)


def _store() -> Store:
    from buildtool.cache.local import actions_dir
    from buildtool.cache.store import Store

    return Store(actions_dir())


def _show_freed(freed: dict[str, DiskUsage], *, as_json: bool) -> None:
    if as_json:
        print_json({"freed": [{"name": name, **one.as_json()} for name, one in freed.items()]})
        return
    for name, one in freed.items():
        if len(freed) > 1:
            show(f"  {name:<18}{_size(one.bytes):>10}  {_files(one.files):>15}")
    count = sum(one.files for one in freed.values())
    show(f"freed {_size(sum(one.bytes for one in freed.values()))} in {_files(count)}")


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"


def _size(size: int) -> str:
    value = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"
