"""A server with well-formed actions whose outputs are bad: they cause builds, but no errors."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from buildtool.cache.remote.client import pack, unpack
from buildtool.cache.remote.zstd_frames import ZstdFrame, compress
from buildtool.release.slices import ReleaseError
from buildtool.toolchains.cdsprpc import import_stub
from tests.caches import empty
from tests.conftest import LONG
from tests.integration.cache.remote_nginx import Nginx, running
from tests.integration.engine.pair import HOST, SKEL, machine
from tests.project import Outcomes, Project

GOOD = {HOST: "built", SKEL: "built"}
RESTORED = {HOST: "restored", SKEL: "restored"}


def build(project: Project, url: str = "", mode: str = "read", target: str = "sim") -> Outcomes:
    """Build with the remote cache at `url`."""
    project.variables = {"BUILDTOOL_REMOTE_CACHE": url, "BUILDTOOL_REMOTE_CACHE_MODE": mode}
    return project.build_here(target)


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    with running(tmp_path_factory.mktemp("nginx")) as server:
        yield server


class Built(NamedTuple):
    """A clone that compiled everything, its release files, and the server's files after that."""

    clone: Project
    release: dict[str, bytes]
    served: Path


@pytest.fixture(scope="module")
def built(nginx: Nginx, tmp_path_factory: pytest.TempPathFactory) -> Built:
    place = tmp_path_factory.mktemp("bad actions")
    clone = machine(place)
    assert build(clone, nginx.url, "read-write") == GOOD
    shutil.copytree(nginx.files, place / "served")
    return Built(clone, clone.release_files(), place / "served")


@pytest.fixture
def victim(built: Built, nginx: Nginx) -> Project:
    """The clone without outputs and with an empty cache; the server is in its first state."""
    shutil.rmtree(nginx.files)
    shutil.copytree(built.served, nginx.files)
    built.clone.forget()
    empty(built.clone.cache)
    return built.clone


def forge(nginx: Nginx, step: str, change: Callable[[dict[str, Any]], None]) -> str:
    """Let `change` change the outputs of the server's action of `step`: path → content, or
    `→ target`.  Returns the action's key."""
    mine = {HOST: "bin/app", SKEL: "libb_skel.so"}[step]
    for path in nginx.stored("ac"):
        data, frames = unpack(path.name, io.BytesIO(path.read_bytes()))
        action = json.loads(data)
        kept = {output["path"]: output for output in action.get("outputs", ())}
        if mine not in kept:
            continue
        outputs: dict[str, Any] = dict.fromkeys(kept)
        change(outputs)
        action["outputs"] = [
            kept[name] if content is None else output(nginx, name, content, frames)
            for name, content in sorted(outputs.items())
        ]
        forged = pack(path.name, json.dumps(action).encode(), frames)
        assert forged
        path.write_bytes(forged)
        return path.name
    raise AssertionError(f"the server has no action of {step}")


def output(
    nginx: Nginx, name: str, content: Any, frames: dict[str, ZstdFrame]
) -> Mapping[str, Any]:
    if isinstance(content, str):
        return {"path": name, "kind": "link", "target": content.removeprefix("→ ")}
    packed = io.BytesIO()
    digest, frame = compress(io.BytesIO(content), packed)
    (nginx.files / "cas" / frame.digest).write_bytes(packed.getvalue())
    frames[digest] = frame
    return {"path": name, "kind": "executable", "digest": digest, "size": frame.size}


GARBAGE = b"\x7fELF" + hashlib.shake_128(b"").digest(5000)
CDSPRPC = import_stub("libcdsprpc.so.1", ["remote_handle64_open"])
BAD: dict[str, tuple[str, Callable[[dict[str, Any]], None], str]] = {
    "a skel without outputs": (SKEL, lambda found: found.clear(), "ships nothing"),
    "a garbage skel": (SKEL, lambda found: found.update({"libb_skel.so": GARBAGE}), "libb_skel.so"),
    "a skel of text": (SKEL, lambda found: found.update({"libb_skel.so": b"x"}), "libb_skel.so"),
    "a garbage program": (HOST, lambda found: found.update({"bin/app": GARBAGE}), "app"),
    "a program for another machine": (
        HOST,
        lambda found: found.update({"bin/app": Path("/bin/true").read_bytes()}),
        "app",
    ),
    "a dangling link": (SKEL, lambda found: found.update({"a": "→ b"}), "a link to nothing"),
    "a link to a directory": (
        SKEL,
        lambda found: found.update({"libb_skel.so": "→ d", "d/e": b"x"}),
        "made no skel",
    ),
    "a file that clashes with a skel": (
        HOST,
        lambda found: found.update({"dsp/v68/libb_skel.so": b"x"}),
        "two files have the path dsp/v68/libb_skel.so",
    ),
    "a file in the place of a directory": (
        HOST,
        lambda found: found.update({"dsp/v68": b"x"}),
        "dsp/v68 would be both a file and a directory",
    ),
    "a libcdsprpc": (
        HOST,
        lambda found: found.update({"lib/libcdsprpc.so.1": CDSPRPC}),
        "libcdsprpc",
    ),
    "a libcdsprpc of another name": (
        HOST,
        lambda found: found.update({"lib/libx.so": CDSPRPC}),
        "libcdsprpc",
    ),
}


@pytest.mark.parametrize("kind", BAD if LONG else [*BAD][::2])
def test_a_bad_action_costs_a_build(kind: str, victim: Project, built: Built, nginx: Nginx) -> None:
    step, change, why = BAD[kind]
    key = forge(nginx, step, change)

    outcomes = build(victim, nginx.url)

    assert outcomes[step] == "built"
    texts = [text for text in victim.messages.splitlines() if key in text]
    assert len(texts) == 1
    assert f"the remote cache {nginx.url}" in texts[0]
    assert why in texts[0]
    assert victim.release_files() == built.release

    # Nothing of the bad action is in the local cache, which is used without the server here.
    victim.forget()
    assert build(victim) == RESTORED
    assert (victim.messages, victim.release_files()) == ("", built.release)

    # With the server again.
    victim.forget()
    asked = len(nginx.log())
    assert build(victim, nginx.url) == RESTORED
    assert (victim.messages, victim.release_files()) == ("", built.release)
    assert len(nginx.log()) == asked


@pytest.mark.parametrize(
    "removed",
    [
        pytest.param(("release",), marks=pytest.mark.long),
        pytest.param(("state", "out", "release"), marks=pytest.mark.long),
        (".",),
    ],
)
def test_what_is_bad_only_beside_others_is_found_out_later(
    removed: tuple[str, ...], victim: Project, built: Built, nginx: Nginx
) -> None:
    """Another target restored it without an error; then the server was switched off."""
    key = forge(nginx, HOST, lambda found: found.update({"dsp/v68/libb_skel.so": b"x"}))
    assert build(victim, nginx.url, target="alone") == {HOST: "restored"}
    assert build(victim, nginx.url, target="alone") == {HOST: "up-to-date"}
    victim.forget(*removed)

    assert build(victim)[HOST] == "built"

    assert [key in text and nginx.url in text for text in victim.messages.splitlines()] == [True]
    assert victim.release_files() == built.release
    victim.forget()
    assert build(victim) == RESTORED
    assert (victim.messages, victim.release_files()) == ("", built.release)


def test_a_fault_of_the_component_is_reported(victim: Project, nginx: Nginx) -> None:
    """Only restored steps that take part in the error are compiled again, and only once."""
    rules = victim.root / "host/CMakeLists.txt"
    before = rules.read_text()
    rules.write_text(f"{before}install(FILES main.c DESTINATION dsp/v68 RENAME libb_skel.so)\n")
    try:
        for skel, count in (("built", 1), ("up-to-date", 0)):
            with pytest.raises(ReleaseError, match="two files have the path dsp/v68/libb_skel"):
                build(victim, nginx.url)
            assert victim.outcomes[SKEL] == skel
            assert len(victim.messages.splitlines()) == count
    finally:
        rules.write_text(before)


NAMES = (
    *("bin/app", "libb_skel.so", "lib/libx.so", "lib/libcdsprpc.so", "dsp/v68/libb_skel.so", "dsp"),
    *(
        "dsp/v68",
        "dsp/v68/libb_skel.so/x",
        "run.sh",
        "run.sh/x",
        "bin",
        "bin/bin",
        "share/x",
        "a.so",
    ),
    *("x" * 255, "/".join("x" * 60), "\x1b[31m", "\u202e"),
)
CONTENTS = (
    *(b"", b"text", GARBAGE, CDSPRPC, b"\x7fELF", CDSPRPC[:200], b"#!/bin/sh\n", bytes(100_000)),
    *("→ x", "→ ..", "→ bin/app", "→ app", "→ ../bin", "→ v68", "→ ../../x", "→ ."),
)


def _update(changes: dict[str, Any], found: dict[str, Any]) -> None:
    found.update(changes)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40))
def test_no_action_breaks_a_build(seed: int, victim: Project, built: Built, nginx: Nginx) -> None:
    """Whatever its outputs are, a restored action can ship, and a rejected one leaves no trace."""
    chance = random.Random(seed)
    for step in chance.sample((HOST, SKEL), k=chance.randint(1, 2)):
        changes = {chance.choice(NAMES): chance.choice(CONTENTS) for _ in range(3)}
        with contextlib.suppress(AssertionError):  # an earlier change has hidden the action
            forge(nginx, step, partial(_update, changes))

    done = build(victim, nginx.url)

    release = victim.release_files()
    if done == GOOD:
        assert release == built.release
    victim.forget()
    assert set(build(victim).values()) <= {"built", "restored"}
    assert victim.release_files() == release
