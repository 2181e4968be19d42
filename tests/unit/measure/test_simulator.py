"""What the output of `hexagon-sim` says about a program, and where its files are looked for.

The lines around those of the program are the simulator's, as public logs have them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.device.errors import DeviceError
from buildtool.measure.simulator import _read
from buildtool.sdk import hexagon_simulator
from buildtool.sdk.hexagon_sdk import HexagonSdk
from buildtool.sdk.hexagon_simulator import find_simulator
from buildtool.sdk.tool_search import NO_REQUIREMENT, ToolMissingError, ToolUnfitError

BEFORE = "hexagon-sim INFO: The rev_id used in the simulation is 0x00008d68 (v68n_1024)\n"
DONE = "\n\nDone!\n\tT0: Insns=5479 Packets=2946\n\tT1: Insns=0 Packets=0\n"
TOTAL = "\tTotal: Insns=5479 Pcycles=8841"


def test_streams_status_and_cycles() -> None:
    written = "buildtool 1|one\nbuildtool 2.error\nof QuRT\nbuildtool 1.two \nbuildtool 1|three\n"
    end = "buildtool end 3 1234\nafter it"
    ran, cycles = _read(f"{BEFORE}buildtool begin\n{written}{end}{DONE}{TOTAL}", 3, 1.0)
    assert (ran.status, ran.stderr, ran.dsp_crash) == (3, "error", "")
    assert ran.stdout == "one\nof QuRT\ntwo three\n"
    assert cycles == {"simulated cycles": 1234, "all simulated cycles": 8841}


def test_a_simulator_that_fails_after_the_program_is_no_success() -> None:
    ran, _ = _read(f"buildtool begin\nbuildtool end 0 5{DONE}{TOTAL}", 9, 1.0)
    assert ran.status == 9


@pytest.mark.parametrize(
    ("output", "crash"),
    [
        (f"buildtool begin\nbuildtool 1|x\nOops{DONE}{TOTAL}", "main did not return: 'Total: Ins"),
        ("buildtool begin\nbuildtool end 0 5\nOops", "the simulator printed no cycles: 'Oops'"),
    ],
)
def test_a_program_without_an_end(output: str, crash: str) -> None:
    ran, cycles = _read(output, 0, 1.0)
    assert ran.dsp_crash.startswith(crash)
    assert not cycles


def test_a_simulator_that_does_not_start_the_program() -> None:
    text = "hexagon-sim: error while loading shared libraries: libncurses.so.5"
    with pytest.raises(DeviceError, match="did not start the program: its exit status is 127") as e:
        _read(text, 127, 1.0)
    assert e.value.why == text


@pytest.fixture
def sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HexagonSdk:
    tools = tmp_path / "tools/HEXAGON_Tools/8.7.06"
    found = HexagonSdk(
        where=tmp_path,
        version="5.5.0.1",
        identity="",
        tools=tools,
        tools_version="8.7.06",
        archs=("v68", "v69"),
        qaic=None,
    )
    monkeypatch.setattr(hexagon_simulator, "find_hexagon_sdk", lambda _: found)
    return found


V68 = (
    "tools/HEXAGON_Tools/8.7.06/Tools/bin/hexagon-clang",
    "tools/HEXAGON_Tools/8.7.06/Tools/bin/hexagon-sim",
    "tools/HEXAGON_Tools/8.7.06/Tools/lib/iss/qtimer.so",
    "tools/HEXAGON_Tools/8.7.06/Tools/lib/iss/l2vic.so",
    "rtos/qurt/computev68/debugger/lnx64/qurt_model.so",
    "rtos/qurt/computev68/sdksim_bin/runelf.pbn",
    "libs/run_main_on_hexagon/ship/hexagon_toolv87_v68/run_main_on_hexagon_sim",
)


def lay_out(root: Path, files: tuple[str, ...]) -> None:
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch(0o755)


def test_the_command_and_its_files(sdk: HexagonSdk, tmp_path: Path) -> None:
    lay_out(sdk.where, V68)
    simulator = find_simulator(NO_REQUIREMENT, ("v68", "v73"))  # it has no files for v73

    folder = tmp_path / "run"
    folder.mkdir()
    assert simulator.command(folder, ["lib.so", "A=1", "x.so"]) == [
        *(str(sdk.where / V68[1]), "-mv68", "--timing", "--simulated_returnval"),
        *("--usefs", str(folder), "--cosim_file", str(folder / "q6ss.cfg")),
        *("--l2tcm_base", "0xd800", "--rtos", str(folder / "osam.cfg"), str(sdk.where / V68[5])),
        *("--", str(sdk.where / V68[6]), "stack_size=0x100000", "--", "lib.so", "A=1", "x.so"),
    ]
    assert (folder / "osam.cfg").read_text() == f"{sdk.where / V68[4]}\n"
    assert (folder / "q6ss.cfg").read_text() == (
        f"{sdk.where / V68[2]} --csr_base=0xFC900000 --irq_p=1 --freq=19200000 --cnttid=1\n"
        f"{sdk.where / V68[3]} 32 0xFC910000\n"
    )


def test_v69_has_the_files_of_v68_unless_it_has_its_own(sdk: HexagonSdk) -> None:
    lay_out(sdk.where, V68)
    assert find_simulator(NO_REQUIREMENT, ("v69",)).runelf == sdk.where / V68[5]
    own = tuple(name.replace("v68", "v69") for name in V68[4:])
    lay_out(sdk.where, own)
    simulator = find_simulator(NO_REQUIREMENT, ("v68", "v69"))
    assert (simulator.arch, simulator.runelf) == ("v69", sdk.where / own[1])


def test_each_missing_file_is_named(sdk: HexagonSdk) -> None:
    lay_out(sdk.where, V68[:5])
    with pytest.raises(ToolUnfitError, match="has no hexagon-sim that runs programs") as error:
        find_simulator(NO_REQUIREMENT, ("v68",))
    missing = (sdk.where / V68[5], sdk.where / V68[6])
    assert error.value.why == f"there is no {missing[0]}, no {missing[1]}"


def test_a_simulator_that_cannot_run_is_refused(sdk: HexagonSdk) -> None:
    lay_out(sdk.where, V68)
    (sdk.where / V68[1]).chmod(0o644)
    with pytest.raises(ToolUnfitError, match="hexagon-sim is not executable"):
        find_simulator(NO_REQUIREMENT, ("v68",))


def test_without_an_sdk_the_places_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("HEXAGON_SDK_ROOT", "HEXAGON_TOOLS_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("buildtool.sdk.hexagon_sdk.default_sdk_paths", lambda: [tmp_path / "none"])
    with pytest.raises(ToolMissingError, match="hexagon-sim was not found") as error:
        find_simulator(NO_REQUIREMENT, ("v68",))
    assert error.value.why == f"searched: $HEXAGON_SDK_ROOT (not set), {tmp_path / 'none'}"
