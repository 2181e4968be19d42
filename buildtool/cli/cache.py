"""`buildtool cache`: what was built before, to be restored instead of built again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from buildtool.cli.options import Json, print_json

if TYPE_CHECKING:
    from buildtool.build.cache.evict import Freed
    from buildtool.build.cache.store import Store
    from buildtool.build.cache.upkeep import Tally

SHOWN = 20
app = typer.Typer(
    help="What was built before, to be restored instead of built again.", no_args_is_help=True
)


@app.command()
def stats(*, json: Json = False) -> None:
    """Print what is in the cache directory, and how large it is.

    The actions are kept below BUILDTOOL_CACHE_SIZE (such as 20G; else 10G).
    """
    from buildtool.build.cache.local import cache_limit
    from buildtool.build.cache.upkeep import ACTIONS, OTHERS, others, tally
    from buildtool.core.cache import cache_dir

    limit = cache_limit()
    documents, blobs = tally(_store())
    rest = others(cache_dir())
    if json:
        print_json(
            {
                "directory": str(cache_dir()),
                "limit": limit,
                "documents": _json(documents),
                "blobs": _json(blobs),
                "others": [{"name": name, **_json(one)} for name, one in rest.items()],
            }
        )
        return
    size = documents.bytes + blobs.bytes
    count = documents.files + blobs.files
    print(cache_dir())
    print(f"  {ACTIONS:<18}{_size(size):>10}  {_files(count):>15}  of at most {_size(limit)}")
    for name, one in rest.items():
        row = f"  {name:<18}{_size(one.bytes):>10}  {_files(one.files):>15}"
        print(f"{row}  {OTHERS.get(name, '')}".rstrip())


@app.command()
def gc(
    *,
    limit: Annotated[str, typer.Option(help="As 5G; else the limit that `stats` tells.")] = "",
    json: Json = False,
) -> None:
    """Delete the actions that were used longest ago, down to a limit."""
    from buildtool.build.cache.local import cache_limit, parse_size
    from buildtool.build.cache.upkeep import gc as collect

    target = parse_size(limit, "--limit") if limit else cache_limit()
    store = _store()
    freed = collect(store, target) if store.directory.is_dir() else None
    _tell_freed({"actions": freed} if freed else {}, as_json=json)


@app.command()
def verify(*, json: Json = False) -> None:
    """Check every file of the action cache against its digest, and delete what is wrong.

    Exit status 1 if anything was.
    """
    from buildtool.build.cache.upkeep import Verified, tally
    from buildtool.build.cache.upkeep import verify as check

    store = _store()
    done = check(store) if store.directory.is_dir() else Verified(*tally(store), (), 0)
    if json:
        print_json(
            {
                "documents": _json(done.documents),
                "blobs": _json(done.blobs),
                "wrong": [str(path) for path in done.wrong],
                "useless": done.useless,
            }
        )
    else:
        for path in done.wrong[:SHOWN]:
            print(f"wrong, deleted: {path}")
        if len(done.wrong) > SHOWN:
            print(f"… and {len(done.wrong) - SHOWN:,} more")
        if done.useless:
            print(f"deleted {done.useless:,} documents of which outputs were evicted")
        size = done.documents.bytes + done.blobs.bytes
        count = done.documents.files + done.blobs.files
        verdict = f"{len(done.wrong):,} wrong" if done.wrong else "all good"
        print(f"checked {_files(count)}, {_size(size)}: {verdict}")
    if done.wrong:
        raise typer.Exit(1)


@app.command()
def clear(
    *,
    all_: Annotated[
        bool,
        typer.Option(
            "--all", help="Zig's cache, emulator, devices, import stubs and digests as well."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Delete all actions, without asking; other builds may go on meanwhile.

    With --all everything that comes back by itself, which takes minutes: let no build run.
    Sysroots stay: to pull them again takes their devices.
    """
    from buildtool.build.cache.upkeep import clear as clear_actions
    from buildtool.build.cache.upkeep import clear_others
    from buildtool.core.cache import cache_dir

    freed = {"actions": clear_actions(_store())}
    if all_:
        freed |= clear_others(cache_dir())
    _tell_freed(freed, as_json=json)


def _store() -> Store:
    from buildtool.build.cache.local import actions_dir
    from buildtool.build.cache.store import Store

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
            print(f"  {name:<18}{_size(one.bytes):>10}  {_files(one.items):>15}")
    count = sum(one.items for one in freed.values())
    print(f"freed {_size(sum(one.bytes for one in freed.values()))} in {_files(count)}")


def _json(one: Tally) -> dict[str, int]:
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
