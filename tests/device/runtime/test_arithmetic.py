"""libm and the functions that compilers call, compared with this machine's C library and compiler.

The largest errors are those of docs/kernels.md.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.device.fastrpc.toolbox import ROOT, Device, Toolbox

from .arithmetic.functions import FUNCTIONS, Function, as_header
from .arithmetic.inputs import Inputs
from .conftest import QURT, build_skel, client_of, install

HERE = Path(__file__).parent / "arithmetic"
ARGUMENTS = sorted({function.arguments for function in FUNCTIONS})
AT_ONCE = 4  # functions in one DSP process: each takes seconds for many inputs
ELSEWHERE = re.compile(
    r"__(save|restore|deallocframe|mul|div|hexagon_memcpy|qdsp_memcpy)"
    r"|__(hexagon|qdsp)_(udivmoddi4|fast_[lg]tdf2)|nan[fl]?$"
    r"|c(abs|a?(cos|sin|tan)h?|arg|exp|imag|log|onj|pow|proj|real|sqrt)[fl]?$"
    r"|_(Log|LLog|FLog|Sin|LSin|FSin|Dbl|Ldbl|Flt)$"
)
"""Names of the tables of the shell that have other tests, and complex functions."""


@pytest.fixture(scope="module")
def bounds() -> dict[str, float]:
    """The largest errors in units in the last place, by function, from the documentation."""
    text = (ROOT / "docs/kernels.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`[^|]*) \| ([\d.]+|-) \| ([\d.]+|-) \|$", text, re.MULTILINE)
    found = {}
    for names, double, single in rows:
        for name in re.findall(r"`(\w+)`", names):
            if double != "-":
                found[name] = found[f"{name}l"] = float(double)
            if single != "-":
                found[f"{name}f"] = float(single)
    return found


@pytest.fixture(scope="module")
def reference(toolbox: Toolbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reference")
    (folder / "rows.h").write_text(as_header())
    program = folder / "reference"
    flags = ["-O2", "-ffp-contract=off", f"-I{folder}", f"-I{HERE}"]
    command: list[str | Path] = ["gcc", *flags, HERE / "reference.c", "-lm", "-o", program]
    subprocess.run(command, check=True)
    return program


@pytest.fixture(scope="module")
def device(reference: Path, toolbox: Toolbox, tmp_path_factory: pytest.TempPathFactory) -> Device:
    device = Device.lay_out(tmp_path_factory.mktemp("device") / "root", toolbox)
    flags = (*QURT, f"-I{reference.parent}", str(HERE / "own.c"))
    skel = build_skel(toolbox, "arithmetic", *flags, source="../arithmetic/arithmetic")
    install(device, skel, "arithmetic")
    return dataclasses.replace(device, client=client_of(toolbox))


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What the reference says of one function: see arithmetic/reference.c."""

    compared: int
    error: float
    worst: str
    wrong: int
    first: str
    got: str


def compare(
    functions: dict[int, Function], arguments: str, count: int, device: Device, reference: Path
) -> dict[str, Comparison]:
    inputs = device.root / "in.bin"
    inputs.write_bytes(Inputs(count).data(arguments, count))
    numbers = list(functions)
    compared = {}
    for start in range(0, len(numbers), AT_ONCE):
        chunk = numbers[start : start + AT_ONCE]
        cases = [f"case arithmetic run {number}" for number in chunk]
        result = device.run("; ".join(["open arithmetic", *cases, "close arithmetic"]))
        assert result.status == 0, result.err
        for number, case in zip(chunk, cases, strict=True):
            assert result[case].split()[:2] == ["0", str(count)], result.err
            outputs = device.root / f"out-{number}.bin"
            command: list[str | Path] = [reference, str(number), inputs, outputs]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            outputs.unlink()
            n, error, worst, wrong, first, got = said.split()
            compared[functions[number].symbol] = Comparison(
                int(n), float(error), worst, int(wrong), first, got
            )
    return compared


@pytest.mark.parametrize("arguments", ARGUMENTS)
@pytest.mark.parametrize("count", [150, pytest.param(100_000, marks=pytest.mark.long)])
def test_results_are_those_of_the_reference(
    arguments: str,
    count: int,
    device: Device,
    reference: Path,
    bounds: dict[str, float],
) -> None:
    chosen = {
        number: function
        for number, function in enumerate(FUNCTIONS)
        if function.arguments == arguments
    }

    found = compare(chosen, arguments, count, device, reference)

    assert all(result.compared > count // 20 for result in found.values())
    wrong = {name: result for name, result in found.items() if result.wrong}
    assert wrong == {}
    inexact = {function.symbol for function in chosen.values() if not function.exact}
    over = {
        name: result
        for name, result in found.items()
        if result.error > (bounds[name.removeprefix("own")] if name in inexact else 0)
    }
    assert over == {}


def test_every_function_of_the_shell_is_compared(toolbox: Toolbox) -> None:
    qemu = shutil.which("qemu-hexagon")
    assert qemu
    command = [qemu, "-cpu", "v67", str(toolbox.shell()), "--symbols"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    tables = {"libm", "compiler", "compiler_numbers"}
    names = {name for table, name in rows if table in tables and not ELSEWHERE.match(name)}
    assert names == {row.symbol for row in FUNCTIONS if not row.symbol.startswith("own")}
