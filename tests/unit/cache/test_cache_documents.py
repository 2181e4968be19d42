"""The documents of the action cache, valid and invalid ones."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from buildtool.cache.action import (
    PATH_SETS,
    Action,
    blobs_named,
    path_sets_document,
    read_action,
    read_path_sets,
)
from buildtool.cache.outputs import Output
from buildtool.cache.store import DOCUMENT_LIMIT
from buildtool.core.files import MAX_VALUES, parse_bounded

STEP, KEY, BLOB = "a" * 64, "b" * 64, "c" * 64
ACTION = Action(
    STEP,
    KEY,
    {"paths": {"files": ["{project}/a.c"]}},
    (Output("a", "file", BLOB, 1), Output("b", "link", target="a")),
    "0.1.0",
    1.25,
)


def test_an_action_is_read_as_it_was_written() -> None:
    assert read_action(ACTION.as_bytes(), KEY) == ACTION
    assert blobs_named(ACTION.as_bytes()) == (BLOB,)


def test_an_action_names_its_server() -> None:
    there = ACTION._replace(server="https://cache.example.com")
    assert read_action(there.as_bytes(), KEY) == there
    assert b"server" not in ACTION.as_bytes()


def test_an_action_with_another_key_is_invalid() -> None:
    assert read_action(ACTION.as_bytes(), STEP) is None


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"document": "path sets"},
        {"step": "a"},
        {"inputs": []},
        {"outputs": [{"path": "../a", "kind": "link", "target": "b"}]},
        {"outputs": None},
        {"tool": 1},
        {"seconds": "1"},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"seconds": int("9" * 400)},
        {"seconds": -1},
    ],
)
def test_a_hostile_action_is_invalid(change: dict[str, Any]) -> None:
    content = {**json.loads(ACTION.as_bytes()), **change}
    assert read_action(json.dumps(content).encode(), KEY) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"[" * 100_000,
        b'{"version": ' + b"9" * 5000 + b"}",
        b"\xff\xfe",
        b'{"a": "\\ud800"}',
        b" " * (DOCUMENT_LIMIT + 1),
    ],
    ids=lambda data: repr(data[:12]),
)
def test_no_document_is_nothing(data: bytes) -> None:
    assert read_action(data, KEY) is None
    assert read_path_sets(data) == ()
    assert blobs_named(data) == ()


def test_path_sets_are_kept_newest_first_and_once() -> None:
    data = path_sets_document([{"files": ["b"]}, {"files": ["a"]}, {"files": ("b",)}])
    assert read_path_sets(data) == ({"files": ["b"]}, {"files": ["a"]})
    many = [{"files": [str(number)]} for number in range(PATH_SETS + 4)]
    assert read_path_sets(path_sets_document(many)) == tuple(many[:PATH_SETS])
    assert blobs_named(data) == ()


def test_path_sets_that_are_too_large_leave_the_oldest_out() -> None:
    many = [{"files": [str(number) * (DOCUMENT_LIMIT // 3)]} for number in range(4)]
    assert read_path_sets(path_sets_document(many)) == tuple(many[:2])


def test_a_hostile_list_of_path_sets_is_invalid() -> None:
    content = json.loads(path_sets_document([{"files": []}]))
    assert read_path_sets(json.dumps({**content, "sets": [1]}).encode()) == ()
    content["sets"] *= 1000
    assert len(read_path_sets(json.dumps(content).encode())) == PATH_SETS


@pytest.mark.parametrize("value", [b"{}", b"[]", b'""', b"0", b"[{}]", b'{"a":[]}'])
def test_a_document_takes_bounded_memory(value: bytes) -> None:
    start, end = b'{"version": 1, "document": "path sets", "sets": [', b"]}"
    within = start + b",".join([value] * (MAX_VALUES // 4)) + end
    beyond = start + b",".join([value] * (DOCUMENT_LIMIT // (len(value) + 1) - 99)) + end
    assert len(beyond) < DOCUMENT_LIMIT

    for document, most in ((within, 100 << 20), (beyond, 1 << 20)):
        tracemalloc.start()
        try:
            read_path_sets(document)
            assert tracemalloc.get_traced_memory()[1] < most
        finally:
            tracemalloc.stop()
    assert read_path_sets(beyond) == ()


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"a":' * 100_000, b"\xff", b'{"a"', b"[]\0"])
def test_what_is_no_json_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of whatever kind
        parse_bounded(data)


def test_path_sets_of_too_many_paths_leave_the_oldest_out() -> None:
    many = [{"files": [*map(str, range(MAX_VALUES // 3))], "n": number} for number in range(4)]
    assert len(path_sets_document(many)) < DOCUMENT_LIMIT
    assert read_path_sets(path_sets_document(many)) == tuple(many[:2])
