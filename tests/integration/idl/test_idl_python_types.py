"""The generated Python passes `mypy --strict`, and finds wrong calls."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from buildtool.idl.compile import compile_idl
from tests.integration.idl.idl_cases import write_case
from tests.integration.idl.idl_rig import ROOT
from tests.integration.idl.idl_tables import TABLES

pytestmark = pytest.mark.long

MYPY = [sys.executable, "-m", "mypy", "--strict", "--python-version=3.10", "--cache-dir=cache"]
USER = """\
from array import array
from made._fastrpc import DmaHandle
from made.shapes import MOST, Filter, GraphNode, Layer, Point, Shapes

with Shapes(domain="cdsp") as shapes:
    flat = shapes.flat(MOST, True, Filter.blur, Point(1, depth=0.5), bytes(32), 7)
    total: int = flat.total
    where: Point = flat.there
    to, octets, answer, text = shapes.arrays(
        [Point()], array("f", [0.0]), b"12", "name", 16, "wide", "text", 8
    )
    first: float = to[0]
    shout: str = answer.upper() + text
    back = shapes.nested(GraphNode(tags=["a"]), [], Layer(), [GraphNode()], [[1.0], (2.0,)]).back
    names: str = back.name
    shapes.nothing()
    shapes.shared_many([DmaHandle(3, 0, 4096)], (), DmaHandle(4, 0, 64))
    shapes.shared_many([3], [], DmaHandle(4, 0, 64))  # type: ignore[list-item]
    shapes.flat(1, True, 2, Point(), b"", 7)  # type: ignore[arg-type]
    shapes.flat(1, True, Filter.blur, Point(), b"")  # type: ignore[call-arg]
    wrong: str = flat.total  # type: ignore[assignment]
    Layer(values=["text"])  # type: ignore[list-item]
"""


def test_modules_and_their_users_pass_mypy_strict(tmp_path: Path) -> None:
    made = tmp_path / "made"
    write_case(TABLES, tmp_path)
    golden = ROOT / "tests" / "golden" / "idl"
    for path in (golden / "shapes.idl", golden / "plain.idl", tmp_path / "loop.idl"):
        compile_idl(path, (), (), made, python=True)
    (made / "__init__.py").touch()
    (tmp_path / "user.py").write_text(USER)
    done = subprocess.run(
        [*MYPY, "-p", "made", "-m", "user"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
