"""Programs that tests start: `python -m tests.integration.cache.programs NAME DIR ...`.

An action is identified by a number, which determines the content of its output.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from buildtool.cache.action import Action, read_action
from buildtool.cache.local import LocalCache
from buildtool.cache.maintenance import clear, gc, verify
from buildtool.cache.outputs import Output, read_outputs, restore
from buildtool.cache.store import Store
from buildtool.core.events import Event

ACTIONS = 24
SIZE = 40_000
STEP = "5" * 64


def key(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()


def content(number: int) -> bytes:
    return random.Random(number).randbytes(SIZE)


def opened(directory: Path, limit: int) -> tuple[LocalCache, list[Event]]:
    events: list[Event] = []
    return LocalCache(directory, limit, events.append), events


def put(cache: LocalCache, number: int, source: Path) -> bool:
    source.write_bytes(content(number))
    digest = hashlib.sha256(content(number)).hexdigest()
    output = Output("bin/program", "executable", digest, SIZE)
    action = Action(STEP, key(number), {}, (output,), "1", 0.0)
    return (
        cache.put(digest, source)
        and cache.put_document(key(number), action.as_bytes())
        and cache.add_path_set(STEP, {"files": [str(number)]})
    )


def got(cache: LocalCache, number: int, into: Path) -> bool:
    """Whether the action can be restored; checks the restored files."""
    action = read_action(cache.document(key(number)) or b"", key(number))
    if action is None or not restore(action.outputs, into, cache.fetch):
        return False
    assert (into / "bin" / "program").read_bytes() == content(number)
    assert read_outputs(into) == action.outputs
    return True


def share(directory: Path, limit: str, seed: str) -> None:
    """Put and fetch at random while other processes do; prints how often each succeeded."""
    chance = random.Random(seed)
    mine = directory.with_name(f"mine-{seed}")
    mine.mkdir()
    counts = {"put": 0, "got": 0}
    for _ in range(2):
        cache, events = opened(directory, int(limit))
        for _ in range(15):
            number = chance.randrange(ACTIONS)
            if got(cache, number, mine / "into"):
                counts["got"] += 1
            else:
                counts["put"] += put(cache, number, mine / "source")
        cache.close()
        assert not events, events
    print(json.dumps(counts))


def upset(directory: Path) -> None:
    """Clear, verify and collect the cache that other processes use, until they have ended."""
    store = Store(directory)
    print("begun", flush=True)
    while not directory.with_name("done").exists():
        clear(store)
        verify(store)
        gc(store, 5 * SIZE)


def killed(directory: Path, moments: str, seed: str) -> None:
    """Kill a process that puts and evicts at random moments, and check the cache each time.

    Prints how many actions were put in total.
    """
    chance = random.Random(seed)
    limit = 5 * SIZE
    mine = directory.with_name("mine")
    mine.mkdir()
    done = 0
    for _ in range(int(moments)):
        if chance.random() < 0.2:
            (directory / "index.sqlite").unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            cache, _ = opened(directory, limit)
            for number in range(1000):
                put(cache, number, mine / "source")
            os._exit(0)
        time.sleep(chance.uniform(0.001, 0.05))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), status
        cache, events = opened(directory, limit)
        assert all(path["files"] for path in cache.path_sets(STEP))
        done += sum(got(cache, number, mine / "into") for number in range(30))
        cache.close()
        report = verify(cache.store)
        assert not report.wrong, report
        assert put(cache, 5000, mine / "source")
        assert got(cache, 5000, mine / "into")
        assert not events, events
    print(done)


def full(disk: Path) -> None:
    """Check that on a disk of 1 MiB only what fits is stored, and stays intact."""
    cache, events = opened(disk / "cache", 1 << 30)
    source = disk.with_name("source")
    into = disk.with_name("into")
    results = [put(cache, number, source) for number in range(ACTIONS * 2)]
    cache.close()
    assert 5 < sum(results) < 26, results
    assert len(events) == 1, events
    assert "cannot be written: No space left on device" in str(events[0]), events
    assert not put(opened(disk / "cache", 1 << 30)[0], 99, source)
    for number, was_put in enumerate(results):
        assert got(cache, number, into) == was_put
    assert not verify_as_far_as_possible(disk / "cache")
    # Nothing is restored to the full disk, and existing files stay.
    (disk / "old").mkdir()
    assert [has_space(cache, number, disk / "old") for number in range(5)][-1] is False
    left = [path.name for path in (disk / "old").iterdir()]
    assert not any(name.startswith(".") for name in left), left
    # With free space the cache works as before.
    clear(cache.store)
    again, _ = opened(disk / "cache", 1 << 30)
    assert put(again, 0, source)
    assert got(again, 0, into)
    again.close()
    print("ok")


def has_space(cache: LocalCache, number: int, directory: Path) -> bool:
    """Whether the action, if it is in the cache, can be restored below `directory`."""
    try:
        got(cache, number, directory / str(number))
    except OSError as error:
        return error.errno != errno.ENOSPC
    return True


def verify_as_far_as_possible(directory: Path) -> list[Path]:
    cache, _ = opened(directory, 1)
    return [
        cache.store.path(item) for item, _ in cache.store.items() if not cache.store.check(item)
    ]


def fill(directory: Path) -> None:
    cache, events = opened(directory, 1 << 30)
    assert all(put(cache, number, directory.with_name("source")) for number in range(3))
    cache.close()
    assert not events


def read_only(directory: Path) -> None:
    """Check that a cache that cannot be written is still read, and is reported once."""
    cache, events = opened(directory, 1 << 30)
    assert got(cache, 1, directory.with_name("into"))
    assert not put(cache, 4, directory.with_name("source"))
    assert not put(cache, 5, directory.with_name("source"))
    cache.close()
    assert len(events) == 1, events
    assert "cannot be written: Read-only file system" in str(events[0]), events
    print("ok")


if __name__ == "__main__":
    programs = {one.__name__: one for one in (share, upset, killed, full, fill, read_only)}
    programs[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
