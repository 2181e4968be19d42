"""A large file whose transfer was interrupted goes on from what has arrived."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError
from tests.conftest import LONG
from tests.integration.remote.faults.conftest import BOTH, Line
from tests.integration.remote.faults.test_interrupted_pushes import wait_for_end
from tests.remote.data import data_file, deploy_with, on_device
from tests.remote.releases import digest_of

LOST = 8 << 20
"""Bytes that buffers on the way can hold."""
RATE = 32 << 20
"""Bytes a second.  A faster line fills the receiver's buffer, which a reset drops: up to 32 MiB."""
SIZE = 2 << 30 if LONG else 40 << 20


@BOTH
@pytest.mark.parametrize("reset", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_cut_at_40_percent(line: Line, tmp_path: Path, reset: bool) -> None:
    model = data_file(tmp_path / "model", SIZE, seed=secrets.randbits(32))
    release = line.remote.release(tmp_path / "release", {"lib/a": b"a"})
    line.connect()
    cut = SIZE * 2 // 5
    line.proxy.set_rate(RATE)
    line.proxy.cut(after=cut, reset=reset)
    with pytest.raises(BuildtoolError):
        deploy_with(line.remote, release, [model])
    line.proxy.set_rate(0)
    wait_for_end(line)
    part = on_device(line.remote)[f"{model.sha256}.partial"].stat().st_size
    assert cut - LOST < part <= cut

    line.connect()
    line.proxy.reset_traffic()
    sent = deploy_with(line.remote, release, [model])

    # What is sent while the lock of the interrupted push is still held is sent again.
    assert line.proxy.traffic().up < 1.02 * (SIZE - part) + LOST
    assert sent.size < SIZE - part + LOST
    assert digest_of(line.remote.outside(f"current/{model.path}")) == model.sha256
    line.proxy.reset_traffic()
    again = deploy_with(line.remote, release, [model])
    assert (again.files, again.size) == (0, 0)
    assert line.proxy.traffic().up < 100_000
