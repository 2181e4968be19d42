"""The programs of the wire format tests, generated and compiled once for each machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.idl.compile import compile_idl
from tests.integration.idl.idl_rig import HERE, MACHINES, build, counted, run

WIRE = HERE / "wire"


def _program(name: str, machine: str, out: Path) -> list[str]:
    compile_idl(WIRE / "wire.idl", (), (), out)
    others = [WIRE / f"{name}_main.c", WIRE / "rig.c"]
    if name == "skel":
        others.append(WIRE / "wire_imp.c")
    return build(machine, out / name, [counted(out / f"wire_{name}.c"), *others], [f"-I{WIRE}"])


@pytest.fixture(scope="session", params=MACHINES)
def stub(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., list[str]]:
    """A function that calls a method of the stub; it returns lines that describe the invocation."""
    command = _program("stub", request.param, tmp_path_factory.mktemp("stub"))

    def stub_(*arguments: str) -> list[str]:
        return run([*command, *arguments]).splitlines()

    return stub_


@pytest.fixture(scope="session", params=MACHINES)
def skel(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], list[str]]:
    """A function that passes calls, one per line, to the skel; it returns lines of results."""
    command = _program("skel", request.param, tmp_path_factory.mktemp("skel"))

    def skel_(calls: str) -> list[str]:
        return run(command, calls + "\n").splitlines()

    return skel_
