"""How long steps took to build, as runners share it through a server without a network."""

from __future__ import annotations

from typing import Any, cast

import pytest

from buildtool.engine.report import read_seconds, store_seconds
from buildtool.plan.plan import plan_target
from tests.made_up import CMAKE
from tests.unit.engine.lookup_clone import Server
from tests.unit.plan.test_plan import HOST, PROJECT, SKELS

PLAN = plan_target(PROJECT, "sim", CMAKE, HOST, SKELS)
TOOK = {"host/app": 20.0, "skel/k/v68": 3.0, "skel/k/v73": 3.0}


def test_what_a_whole_build_took_is_found_by_all() -> None:
    server: Any = Server()
    assert read_seconds(PLAN, server) == {}
    store_seconds(PLAN, TOOK, server)
    assert read_seconds(PLAN, server) == TOOK
    assert read_seconds(PLAN._replace(target="other"), server) == {}
    assert read_seconds(PLAN._replace(steps=PLAN.steps[:1]), server) == {}


@pytest.mark.parametrize(
    ("again", "stored"), [(11.0, 20.0), (39.0, 20.0), (50.0, 50.0), (0.1, 0.1)]
)
def test_about_the_same_time_is_not_stored_again(again: float, stored: float) -> None:
    server: Any = Server()
    store_seconds(PLAN, TOOK, server)
    store_seconds(PLAN, {**TOOK, "host/app": again}, server)
    assert read_seconds(PLAN, server)["host/app"] == stored


def test_a_step_that_failed_keeps_its_time() -> None:
    server: Any = Server()
    store_seconds(PLAN, TOOK, server)
    store_seconds(PLAN, {"skel/k/v68": 90.0}, server)
    assert read_seconds(PLAN, server) == {**TOOK, "skel/k/v68": 90.0}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[1]",
        b"7",
        b"[" * 100_000,
        b"\xff",
        b'{"host/app": NaN, "skel/k/v68": -1, "skel/k/v73": 1e300}',
        b'{"host/app": Infinity, "skel/k/v68": "3", "skel/k/v73": [3], "else": 3}',
        b'{"host/app": null, "skel/k/v68": {}, "skel/k/v73": %s}' % (b"9" * 5000),
    ],
)
def test_what_a_server_makes_up_is_not_used(data: bytes) -> None:
    server = Server()
    read_seconds(PLAN, cast(Any, server))
    server.documents[server.asked[0]] = data, {}
    assert read_seconds(PLAN, cast(Any, server)) == {}
