"""`buildtool cache`: what was built before, to be restored instead of built again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from buildtool.cli.options import Json, print_json
from buildtool.cli.show import show

if TYPE_CHECKING:
    from buildtool.cache.disk_usage import DiskUsage
    from buildtool.cache.eviction import Freed
    from buildtool.cache.store import Store

SHOWN = 20
app = typer.Typer(
    help="What was built before, to be restored instead of built again.", no_args_is_help=True
)


@app.command()
def stats(*, json: Json = False) -> None:
    """Print what is in the cache directory, and how large it is.

    It is kept below BUILDTOOL_CACHE_SIZE (such as 20G; else 10G).
    """
    from buildtool.cache.eviction import ACTIONS
    from buildtool.cache.local import cache_limit
    from buildtool.cache.maintenance import store_usage
    from buildtool.cache.other_caches import DESCRIPTIONS, OtherCaches, counted_bytes
    from buildtool.core.cache import cache_dir

    limit = cache_limit()
    documents, blobs = store_usage(_store())
    rest = OtherCaches(cache_dir()).usage()
    size = documents.bytes + blobs.bytes
    total = size + counted_bytes(rest)
    if json:
        print_json(
            {
                "directory": str(cache_dir()),
                "limit": limit,
                "bytes": total,
                "documents": _json(documents),
                "blobs": _json(blobs),
                "others": [{"name": name, **_json(one)} for name, one in rest.items()],
            }
        )
        return
    count = documents.files + blobs.files
    show(cache_dir())
    show(f"  {ACTIONS:<18}{_size(size):>10}  {_files(count):>15}  what steps made")
    for name, one in rest.items():
        row = f"  {name:<18}{_size(one.bytes):>10}  {_files(one.files):>15}"
        show(f"{row}  {DESCRIPTIONS.get(name, 'not counted')}")
    show(f"  {'together':<18}{_size(total):>10}  of at most {_size(limit)}")


@app.command()
def gc(
    *,
    limit: Annotated[str, typer.Option(help="As 5G; else the limit that `stats` tells.")] = "",
    json: Json = False,
) -> None:
    """Delete what was used longest ago, down to a limit.

    What was used lately stays, as a build may be using it; so do sysroots.
    """
    from buildtool.cache.local import cache_limit, parse_size
    from buildtool.cache.maintenance import gc as collect
    from buildtool.cache.other_caches import OtherCaches
    from buildtool.core.cache import cache_dir

    target = parse_size(limit, "--limit") if limit else cache_limit()
    store = _store()
    found = cache_dir().is_dir()
    _tell_freed(collect(store, target, OtherCaches(cache_dir())) if found else {}, as_json=json)


@app.command()
def verify(*, json: Json = False) -> None:
    """Check what steps made and the emulated device's programs against their digests, and that
    nothing is missing in zig's cache.

    What is wrong is deleted, and made again when it is needed; exit status 1 if anything was.
    """
    from buildtool.cache.emulator_cache import directory as emulator_directory
    from buildtool.cache.maintenance import Verified, store_usage
    from buildtool.cache.maintenance import verify as check
    from buildtool.cache.zig_cache import verify as check_zig
    from buildtool.core.cache import cache_dir
    from buildtool.deploy.emulated.verify import verify as check_emulator

    store = _store()
    done = check(store) if store.directory.is_dir() else Verified(*store_usage(store), (), 0)
    emulator = check_emulator(emulator_directory())
    wrong = [*done.wrong, *emulator.wrong, *check_zig(cache_dir() / "zig")]
    if json:
        print_json(
            {
                "documents": _json(done.documents),
                "blobs": _json(done.blobs),
                "emulator": _json(emulator.checked),
                "wrong": [str(path) for path in wrong],
                "useless": done.useless,
            }
        )
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
    if wrong:
        raise typer.Exit(1)


@app.command()
def clear(
    *,
    all_: Annotated[
        bool,
        typer.Option("--all", help="Everything in the cache directory that a build makes again."),
    ] = False,
    json: Json = False,
) -> None:
    """Delete all actions, without asking; other builds may go on meanwhile.

    With --all everything that comes back by itself, which takes minutes: let no build run.
    Sysroots stay: to pull them again takes their devices.
    """
    from buildtool.cache.maintenance import clear as clear_actions
    from buildtool.cache.other_caches import OtherCaches
    from buildtool.core.cache import cache_dir

    freed = {"actions": clear_actions(_store())}
    if all_:
        freed |= OtherCaches(cache_dir()).clear()
    _tell_freed(freed, as_json=json)


def _store() -> Store:
    from buildtool.cache.local import actions_dir
    from buildtool.cache.store import Store

    return Store(actions_dir())


def _tell_freed(freed: dict[str, Freed], *, as_json: bool) -> None:
    if as_json:
        rows = [
            {"name": name, "file_count": one.items, "bytes": one.bytes}
            for name, one in freed.items()
        ]
        print_json({"freed": rows})
        return
    for name, one in freed.items():
        if len(freed) > 1:
            show(f"  {name:<18}{_size(one.bytes):>10}  {_files(one.items):>15}")
    count = sum(one.items for one in freed.values())
    show(f"freed {_size(sum(one.bytes for one in freed.values()))} in {_files(count)}")


def _json(one: DiskUsage) -> dict[str, int]:
    return {"file_count": one.files, "bytes": one.bytes}


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"


def _size(size: int) -> str:
    value = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"
