"""Cards of boards behind a real sshd on which something is wrong: the row says what."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.device.devices.emulated_board import emulated_board, system_of
from tests.integration.idl.idl_rig import zig_cc
from tests.json_documents import validate
from tests.project import Project
from tests.remote.sshd import SshServer

LIBRARY, REAL = "libcdsprpc.so.1", "libreal.so"
REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def sm8635(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    """A board whose DSP has no HMX."""
    with emulated_board(tmp_path_factory.mktemp("board"), "SM8635") as server:
        yield server


class Lab:
    """Probes the board as the user of a directory without a project."""

    def __init__(self, folder: Path, board: SshServer, cache: Path) -> None:
        self.system = system_of(board)
        self.user = Project(folder, cache)
        self.user.variables = board.client.environment
        root = f'root = "{board.device.home / "root"}"'
        text = f'[device.board]\ntransport = "ssh"\naddress = "{board.client.host}"\n{root}\n'
        self.user.write("config/buildtool/devices.toml", text)
        self.user.variables |= {"XDG_CONFIG_HOME": str(folder / "config")}

    def plant(self, *faults: str) -> None:
        """Put a library with `faults` in the place of libcdsprpc, which it needs as libreal.so."""
        libraries, source = self.system / "lib", Path(__file__).with_name("faults.c")
        (libraries / LIBRARY).rename(libraries / REAL)
        headers = f"-I{REPOSITORY}/host/include/fastrpc"
        flags = ("--target=aarch64-linux-gnu.2.31", "-shared", "-fPIC", "-O1", headers)
        empty = self.user.root / REAL  # the linker takes the name from it
        defined: list[str | Path] = [*(f"-D{fault}" for fault in faults), empty]
        for path, more in ((empty, []), (libraries / LIBRARY, defined)):
            name = ("-Wl,--no-as-needed", f"-Wl,-soname,{path.name}", "-o", path)
            zig_cc(*flags, source, *name, *more, cwd=self.user.root)
        shutil.copy(libraries / LIBRARY, libraries / "libcdsprpc.so")

    def probe(self) -> CompletedProcess[str]:
        return self.user.run("probe", "board")

    def card(self, status: int) -> dict[str, Any]:
        done = self.user.run("probe", "board", "--json")
        assert done.returncode == status, done.stdout + done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
def lab(sm8635: SshServer, tmp_path: Path, earlier_builds: Path) -> Iterator[Lab]:
    """A laboratory whose board is as it was after the test."""
    libraries = system_of(sm8635) / "lib"
    before = {path: path.read_bytes() for path in libraries.glob("*.so*")}
    yield Lab(tmp_path, sm8635, earlier_builds)
    for path in libraries.glob("*.so*"):
        if path not in before:
            path.unlink()
    for path, data in before.items():
        path.unlink(missing_ok=True)
        path.write_bytes(data)
        path.chmod(0o755)


def rows_of(card: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in card["capabilities"]}


def wrong_rows(card: dict[str, Any]) -> list[str]:
    return [row["name"] for row in card["capabilities"] if row["state"] == "differs"]


def test_a_board_without_a_fault(lab: Lab) -> None:
    card = lab.card(status=0)
    rows = rows_of(card)

    validate("probe", card)
    assert {row["state"] for row in rows.values()} == {"ok", "absent"}
    assert rows["arch"]["value"] == 73
    assert rows["hmx"]["found"] == "HAP_power_set fails with -3"
    assert rows["latency"]["value"] > 0
    assert card["rungs"][-1]["name"] == "session"
    assert len(card["cdsprpc"]["sha256"]) == len(card["shell"]["sha256"]) == 64


def test_results_that_are_zero_stand_in(lab: Lab) -> None:
    lab.plant("ZEROS")
    card = lab.card(status=1)

    assert wrong_rows(card) == ["hvx-integer", "hvx-float"]
    found = rows_of(card)["hvx-integer"]["found"]
    assert re.fullmatch("65[0-9],[0-9]{3} elements are wrong, in 20 of 20 runs", found)


def test_one_lane_that_is_wrong_in_1_of_20_runs_stand_in(lab: Lab) -> None:
    lab.plant("ONE_LANE_WRONG")
    card = lab.card(status=1)

    assert wrong_rows(card) == ["hvx-integer", "hvx-float"]
    assert rows_of(card)["hvx-integer"]["found"] == "1 elements are wrong, in 1 of 20 runs"


@pytest.mark.long
def test_hmx_that_is_claimed_and_refused_stand_in(lab: Lab) -> None:
    lab.plant("CLAIMS_HMX")
    card = lab.card(status=1)

    assert wrong_rows(card) == ["hmx"]
    assert (rows_of(card)["hmx"]["claimed"], rows_of(card)["hmx"]["found"]) == (
        "yes",
        "HAP_power_set fails with -3",
    )


def test_a_mapping_that_stays_after_fastrpc_munmap_stand_in(lab: Lab) -> None:
    lab.plant("LEAKS")
    card = lab.card(status=1)

    assert wrong_rows(card) == ["unmap"]
    assert rows_of(card)["unmap"]["found"] == "a buffer is still mapped after fastrpc_munmap"


@pytest.mark.long
def test_a_dspqueue_that_never_answers_stand_in(lab: Lab) -> None:
    lab.plant("QUEUE_NEVER_ANSWERS")
    card = lab.card(status=1)

    assert wrong_rows(card) == ["dspqueue"]
    assert rows_of(card)["dspqueue"]["found"] == "dspqueue_read has not returned within 20 s"


@pytest.mark.long
def test_vtcm_that_is_not_zero(lab: Lab) -> None:
    lab.plant("DIRTY_VTCM")
    row = rows_of(lab.card(status=0))["vtcm"]

    assert (row["state"], row["value"]) == ("ok", 2)
    assert row["found"] == "2 of 2 MiB acquired and right; was not zero"


def test_no_session_opens_stand_in(lab: Lab) -> None:
    lab.plant("NO_DSP_PROCESS")
    done = lab.probe()

    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[-3] == (
        "! no session with an unsigned skel opens: remote_handle64_open fails with 0x80000416;"
        " no cause was found; without fault: sessions-exhausted"
    )
    assert lines[-1].startswith("card: ")


def test_a_board_without_libcdsprpc_runs_nothing(lab: Lab) -> None:
    for library in lab.system.glob("lib/libcdsprpc*"):
        library.unlink()
    card = lab.card(status=1)

    assert (card["release"], card["capabilities"]) == ("", [])
    assert card["rungs"][-1]["name"] == "remoteproc-missing"  # it is a directory, not a board
