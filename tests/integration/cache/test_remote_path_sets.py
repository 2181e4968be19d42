"""Path sets of a server that name secret files, or more files than a build can look up."""

from __future__ import annotations

import json
import time
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from buildtool.cache.local import LocalCache
from buildtool.cache.remote.client import RemoteCache, pack
from buildtool.cache.remote.config import RemoteConfig
from buildtool.core.events import Event, Note
from buildtool.engine.lookup import CacheLookup
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import Roots

from .remote_hostile import answer, hostile, says

KEY = "0123456789abcdef" * 4
SOON = 30.0
"""Seconds within which a document is processed, also on a slow machine."""
MEMORY = 200 << 20


def document(*sets: Any) -> bytes:
    return json.dumps({"version": 1, "document": "path sets", "sets": sets}).encode()


def files(*names: str) -> bytes:
    return document(PathSet.of(names).as_json())


def absent(*names: str) -> bytes:
    return document(PathSet.of(absent=names).as_json())


def glob(expression: str, **how: bool) -> bytes:
    return document(PathSet.of(globs=[Glob(expression, **how)]).as_json())


EMPTY = b'{"version": 1, "document": "path sets", "sets": [%b{}]}'
LISTS = {
    "pagemap": files("//proc/self/pagemap"),
    "pagemap of the root": files("/proc/self/pagemap"),
    "pagemap out of the project": files("{project}/../../../../../../../proc/self/pagemap"),
    "pagemap through a link": files("{project}/link/self/pagemap"),
    "kmsg": files("//proc/kmsg"),
    "zero": files("/dev/zero"),
    "a secret": files("{project}/../secret"),
    "a secret's existence": absent("{project}/../secret"),
    "all of the disk": glob("/**", deep=True),
    "all of the disk, as CMake": glob("/*", recursive=True, follow=True, directories=True),
    "through a link": glob("{project}/link/*/*"),
}
ALLOWED = {
    "all of the system": glob("/usr/**/**/**/x", deep=True),
    "a long pattern": glob("/usr/lib/" + "*[a-z]" * 600 + "!"),
    "many directories": absent(*(f"{{project}}/{n}{'/a' * 20}" for n in range(50_000))),
}
TAKES_LONG = {
    "directories again and again": glob("{project}/**/*/**/*/**/*/**/*/**/*/**/*/x", deep=True),
    "many patterns": document(
        PathSet.of(globs=[Glob("{project}/" + f"*{n:04}" * 700) for n in range(4000)]).as_json()
    ),
}
LARGE = {
    "objects": EMPTY % (b"{}," * 5_500_000),
    "lists": EMPTY % (b"[]," * 5_500_000),
    "numbers": EMPTY % (b"1," * 8_000_000),
    "names": b'{"version": 1, "document": "path sets", "sets": [{"files": ["%b"]}]}'
    % b'","'.join(b"%d" % n for n in range(1_500_000)),
    "depth": b"[" * (15 << 20),
}


ALL = {**LISTS, **ALLOWED, **TAKES_LONG, **LARGE}


@pytest.mark.parametrize("kind", ALL)
def test_no_document_has_a_build_look_for_long(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind in TAKES_LONG:
        monkeypatch.setattr("buildtool.engine.remote_paths.MAX_ENTRIES", 100_000)
    project = tmp_path / "project"
    (project / "/".join("abcd" * 10)).mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (project / "link").symlink_to("/proc")
    messages: list[str] = []

    def listen(event: Event) -> None:
        assert isinstance(event, Note)
        messages.append(event.text)

    stored = pack(KEY, ALL[kind], {})
    assert stored
    with (
        hostile(says(answer(stored))) as server,
        closing(LocalCache(tmp_path / "cache", 1 << 30, listen)) as local,
    ):
        lookup = CacheLookup(local, RemoteCache(RemoteConfig(server.url), listen))
        if kind in LARGE:  # tracing slows the others down far more
            tracemalloc.start()
        start = time.process_time()
        try:
            assert lookup.find(KEY, Roots({"project": project}), FileStates()) is None
            if kind in LARGE:
                assert tracemalloc.get_traced_memory()[1] < MEMORY
        finally:
            tracemalloc.stop()
        assert time.process_time() - start < SOON
        asked = [head.split()[1] for head in server.heads]

    # Further requests would tell the server which files exist.
    assert asked[0] == f"/builds/ac/{KEY}"
    assert len(asked) == (2 if kind in ALLOWED else 1)
    if kind in LISTS:
        assert len(messages) == 1
        assert f"{server.url} lists " in messages[0]
    elif kind in TAKES_LONG:
        assert messages == [
            f"the remote cache {server.url} sent path sets that take too long to examine;"
            " this data is not used"
        ]
