"""The Hexagon SDK's simulator, `hexagon-sim`, with QuRT and the program that loads programs there.

Nothing of it was tried with the vendor's files.  Sources of the layout and of the command line:
apache/tvm, src/runtime/hexagon/rpc/simulator/session.cc at 060e40fc, which also has the lines of
both configuration files; halide/Halide, apps/hannk/run_hexagon_sim.sh at ccd58034.  What `--timing`
models: onnxsim/onnxsim#1780.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from buildtool.core.value import Value
from buildtool.project.model import Tool
from buildtool.sdk.hexagon_layout import execution_problem
from buildtool.sdk.hexagon_sdk import HexagonSdk, find_hexagon_sdk
from buildtool.sdk.tool_search import NamedToolMissingError, ToolMissingError, ToolUnfitError

HEXAGON_SIM = "hexagon-sim"
"""The program, and the name under which `buildtool bench` has it in place of a device."""
MAIN_STACK = "stack_size=0x100000"  # as `main` has on a DSP
TIMER = "--csr_base=0xFC900000 --irq_p=1 --freq=19200000 --cnttid=1"
INTERRUPTS = "32 0xFC910000"
VTCM_BASE = "0xd800"
INSTALL = (
    "Install the whole Hexagon SDK, with its Hexagon Tools, QuRT and run_main_on_hexagon, and set"
    " HEXAGON_SDK_ROOT to it; or measure on sim or on a device."
)


class HexagonSimulator(Value):
    """The files that simulate a DSP of `arch`."""

    arch: str
    compiler: Path
    program: Path
    timer: Path
    interrupts: Path
    qurt_model: Path
    runelf: Path
    run_main: Path

    def command(self, folder: Path, words: Sequence[str]) -> list[str]:
        """The command that calls the `main` of the library `words[0]` of `folder` with `words`;
        writes its configuration into `folder`, which has to be its working directory."""
        devices, rtos = folder / "q6ss.cfg", folder / "osam.cfg"
        devices.write_text(
            f"{self.timer} {TIMER}\n{self.interrupts} {INTERRUPTS}\n", encoding="utf-8"
        )
        rtos.write_text(f"{self.qurt_model}\n", encoding="utf-8")
        options = ("--timing", "--simulated_returnval", "--usefs", str(folder))
        files = ("--cosim_file", str(devices), "--l2tcm_base", VTCM_BASE, "--rtos", str(rtos))
        loader = (str(self.runelf), "--", str(self.run_main), MAIN_STACK, "--")
        return [str(self.program), f"-m{self.arch}", *options, *files, *loader, *words]


def find_simulator(requirement: Tool, archs: Iterable[str]) -> HexagonSimulator:
    """The simulator of the SDK for the newest of `archs` that it has; raises `ToolMissingError`
    without an SDK, and `ToolUnfitError` when it lacks a file."""
    try:
        sdk = find_hexagon_sdk(requirement)
    except NamedToolMissingError:
        raise
    except ToolMissingError as error:
        raise ToolMissingError(
            f"{HEXAGON_SIM} was not found: the Hexagon SDK has it, which is not there",
            why=error.why,
            remedy=INSTALL,
        ) from error
    missing: list[Path] = []
    for arch in sorted(archs, key=lambda arch: int(arch[1:]), reverse=True):
        simulator = _simulator(sdk, arch)
        lacking = [path for path in simulator if isinstance(path, Path) and not path.is_file()]
        if not lacking:
            if problem := execution_problem(simulator.program):
                raise ToolUnfitError(problem.text, remedy=problem.remedy)
            return simulator
        missing = missing or lacking
    raise ToolUnfitError(
        f"the Hexagon SDK in {sdk.where} has no {HEXAGON_SIM} that runs programs for the DSP",
        why="there is no " + ", no ".join(map(str, missing)) if missing else "no arch is named",
        remedy=INSTALL,
    )


def _simulator(sdk: HexagonSdk, arch: str) -> HexagonSimulator:
    tools = (sdk.tools or sdk.where / "tools" / "HEXAGON_Tools") / "Tools"
    # In older SDKs v69 has the files of v68; newer ones have its own.
    names = (arch, "v68") if arch == "v69" else (arch,)
    qurts = [sdk.where / "rtos" / "qurt" / f"compute{name}" for name in names]
    qurt = next((path for path in qurts if (path / "sdksim_bin").is_dir()), qurts[0])
    ship = sdk.where / "libs" / "run_main_on_hexagon" / "ship"
    loaders = [ship / f"hexagon_{sdk.tools_variant}_{name}" for name in names]
    loaders += [path for name in names for path in sorted(ship.glob(f"hexagon_toolv*_{name}"))[-1:]]
    loader = next((path for path in loaders if path.is_dir()), loaders[0])
    return HexagonSimulator(
        arch,
        tools / "bin" / "hexagon-clang",
        tools / "bin" / HEXAGON_SIM,
        tools / "lib" / "iss" / "qtimer.so",
        tools / "lib" / "iss" / "l2vic.so",
        qurt / "debugger" / "lnx64" / "qurt_model.so",
        qurt / "sdksim_bin" / "runelf.pbn",
        loader / "run_main_on_hexagon_sim",
    )
