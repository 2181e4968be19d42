"""The names that a skel may import from the DSP's shell."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.contract.finding import Finding
from buildtool.contract.rules.skels import shell_symbols, wrapped_malloc
from buildtool.contract.subject import Promise
from buildtool.core.elf.read import Elf
from buildtool.project.keys import HEXAGON_ARCHS
from buildtool.sdk.sysroot import Sysroot
from buildtool.toolchains.system_libraries import DeviceShell, device_shell, missing_names

from .described import skel, subject

ROOT = Path(__file__).parents[3]
with (ROOT / "buildtool/toolchains/dsp_shell_exports.tsv").open(encoding="utf-8") as lines:
    TABLE = {
        row.pop("name"): row
        for row in csv.DictReader((x for x in lines if not x.startswith("#")), delimiter="\t")
    }
KODIAK, LEMANS, HAMOA = "v68 QCM6490/QCS6490", "v73 SA8775P", "v73 X1E80100"
MONACO, PAKALA, KAANAPALI, GLYMUR = "v75 QCS8300", "v79 SM8750", "v81 SM8850", "v81 X2E"
CHIPS = {
    "v68": [KODIAK],
    "v69": [KODIAK, LEMANS, HAMOA, MONACO, PAKALA, KAANAPALI, GLYMUR],  # between v68 and v73
    "v73": [LEMANS, HAMOA],
    "v75": [MONACO],
    "v79": [PAKALA],
    "v81": [KAANAPALI, GLYMUR],
}
ANY_NAME = st.sampled_from(sorted(TABLE)) | st.sampled_from(["malloc", "no_such_name", "", "é\n"])


PLACE = "dsp/{}/libdemo_skel.so"


def findings(elf: Elf, arch: str, device: DeviceShell | None = None) -> list[Finding]:
    promise = Promise(platform="hexagon", shells={arch: device} if device else {}, own=True)
    return list(shell_symbols.check(subject({PLACE.format(arch): elf}, promise)))


def warnings(*names: str, arch: str, device: DeviceShell | None = None) -> list[Finding]:
    found = findings(skel(imports=names), arch, device)
    assert {finding.severity for finding in found} <= {"warning"}
    return found


def refusal(*names: str, arch: str, device: DeviceShell | None = None) -> Finding:
    (finding,) = findings(skel(imports=names), arch, device)
    assert finding.severity == "error"
    assert finding.path == PLACE.format(arch)
    return finding


def test_the_table_is_that_of_the_shells_that_were_read() -> None:
    assert len(TABLE) == 1810
    assert list(TABLE) == sorted(TABLE)
    assert {tuple(row) for row in TABLE.values()} == {tuple(CHIPS["v69"])}
    assert {letter for row in TABLE.values() for letter in row.values()} == {"y", "p", "-"}
    assert sum(set(row.values()) == {"y"} for row in TABLE.values()) == 1673
    assert set(CHIPS) == set(HEXAGON_ARCHS)
    assert not TABLE.keys() & {"malloc", "calloc", "realloc", "free", "memalign"}


@pytest.mark.parametrize("arch", HEXAGON_ARCHS)
def test_what_passes_is_on_every_known_shell_of_the_arch(arch: str) -> None:
    letters = {name: {row[chip] for chip in CHIPS[arch]} for name, row in TABLE.items()}

    missing = missing_names(TABLE, arch, None)

    assert TABLE.keys() - missing.everywhere - missing.somewhere == {
        name for name in TABLE if letters[name] == {"y"}
    }
    assert missing.everywhere == {name for name in TABLE if letters[name] == {"-"}}


@given(st.lists(ANY_NAME), st.sampled_from(HEXAGON_ARCHS))
def test_each_name_is_judged_by_itself(names: list[str], arch: str) -> None:
    missing = missing_names(names, arch, None)
    alone = [missing_names([name], arch, None) for name in names]
    assert missing.everywhere == frozenset().union(*(one.everywhere for one in alone))
    assert missing.somewhere == frozenset().union(*(one.somewhere for one in alone))
    assert not missing.everywhere & missing.somewhere
    assert {name for name in names if name not in TABLE} <= missing.everywhere


@given(st.sets(ANY_NAME), st.sampled_from(HEXAGON_ARCHS))
def test_weak_references_may_be_missing(names: set[str], arch: str) -> None:
    assert findings(skel(weak=names), arch) == []
    assert findings(skel(weak=names), arch, DeviceShell("board", frozenset())) == []


@pytest.mark.parametrize("arch", HEXAGON_ARCHS)
def test_what_every_shell_exports_passes(arch: str) -> None:
    names = ["printf", "puts", "sprintf", "strtol", "qsort", "rand", "setjmp", "fma"]
    names += ["HAP_perf_get_pcycles", "__save_r16_through_r27", "__qdsp_divdf3", "qurt_sleep"]
    assert warnings(*names, arch=arch) == []


@pytest.mark.parametrize(
    ("name", "silent", "warned"),
    [
        ("HAP_mmap2", ["v73", "v75", "v79", "v81"], ["v69"]),
        ("HAP_mem_request", ["v79", "v81"], ["v69", "v73"]),
        ("__cxa_guard_acquire", ["v68"], ["v69"]),
        ("qurt_sem_down_timed", ["v68", "v75", "v81"], ["v69", "v73"]),
        ("compute_resource_attr_init_v2", ["v81"], ["v69", "v73", "v75"]),
        ("crm_attr_set_ceng_handle", [], ["v69", "v81"]),
        ("qurt_thread_get_thread_id", [], []),
    ],
)
def test_the_arch_decides(name: str, silent: list[str], warned: list[str]) -> None:
    for arch in HEXAGON_ARCHS:
        if arch in silent or arch in warned:
            assert len(warnings(name, arch=arch)) == (arch in warned), arch
        else:
            assert refusal(name, arch=arch)


def test_a_name_on_no_shell_is_refused_with_the_chips_that_lack_it() -> None:
    error = refusal("qurt_thread_get_thread_id", "printf", arch="v68")
    assert error.message == (
        "libdemo_skel.so needs qurt_thread_get_thread_id, which no known v68 DSP shell exports"
    )
    assert error.why == (
        "the DSP would not load it: error 0x80000406\n"
        "qurt_thread_get_thread_id: not on v68 QCM6490/QCS6490, v73 SA8775P, v73 X1E80100,"
        " v75 QCS8300, v79 SM8750, v81 SM8850, v81 X2E"
    )
    assert error.remedy == "Link the library that defines it into the skel, or avoid it."


def test_a_name_of_other_archs_is_refused_with_the_chips_that_have_it() -> None:
    error = refusal("HAP_munmap2", "HAP_mmap2", "qurt_mq_open", arch="v68")
    assert error.message.startswith("libdemo_skel.so needs HAP_mmap2, HAP_munmap2, qurt_mq_open, ")
    assert error.why.splitlines()[1:] == [
        "HAP_mmap2, HAP_munmap2: on v73 SA8775P, v73 X1E80100, v75 QCS8300, v79 SM8750,"
        " v81 SM8850, v81 X2E; not on v68 QCM6490/QCS6490",
        "qurt_mq_open: on v73 SA8775P, v75 QCS8300; not on v68 QCM6490/QCS6490, v73 X1E80100,"
        " v79 SM8750, v81 SM8850, v81 X2E",
    ]
    assert "if (&HAP_mmap2)" in error.remedy
    assert "buildtool sysroot pull DEVICE" in error.remedy


def test_a_name_of_some_chips_of_the_arch_is_a_warning_that_names_them() -> None:
    (warning,) = warnings("HAP_mem_request", "compute_resource_attr_init_v2", arch="v73")
    assert warning.message == (
        "libdemo_skel.so may fail to load with 0x80000406: not every known v73 DSP shell exports"
        " what it needs"
    )
    assert warning.why.splitlines() == [
        "HAP_mem_request: on v73 X1E80100; not on v73 SA8775P",
        "compute_resource_attr_init_v2: on some builds of v73 SA8775P; not on v73 X1E80100",
    ]
    assert "Declare it __attribute__((weak)) and test `if (&HAP_mem_request)`" in warning.remedy
    assert 'sysroot = "…"' in warning.remedy


def test_an_arch_of_which_no_shell_is_known_is_checked_against_all() -> None:
    (warning,) = warnings("qurt_thread_detach", arch="v69")
    assert "not every known DSP shell (none of v69 is) exports what it needs" in warning.message
    assert "; not on v68 QCM6490/QCS6490" in warning.why
    assert refusal("no_such_name", arch="v69").message == (
        "libdemo_skel.so needs no_such_name, which no known DSP shell exports"
    )


def test_a_name_that_no_relocation_uses_is_a_warning() -> None:
    elf = skel(imports=["printf", "left_over", "malloc"], unused=["left_over", "malloc"])
    (warning,) = findings(elf, "v68")
    assert (warning.severity, warning.message) == (
        "warning",
        "libdemo_skel.so lists left_over, malloc, which no known v68 DSP shell exports and no"
        " relocation uses",
    )
    promise = Promise(platform="hexagon")
    assert not list(wrapped_malloc.check(subject({PLACE.format("v68"): elf}, promise)))


def test_a_long_list_of_names_is_cut() -> None:
    error = refusal(*(f"name_{i:03}" for i in range(400)), arch="v68")
    assert error.message.count("name_") == error.why.count("name_") == 12
    assert "name_011 and 388 more, which" in error.message


def test_the_shell_of_a_stand_in_device_decides_alone() -> None:
    board = DeviceShell("board", frozenset({"printf", "made_for_this_board"}))
    assert warnings("printf", "made_for_this_board", arch="v68", device=board) == []
    error = refusal("printf", "qsort", "HAP_mem_request", arch="v73", device=board)
    assert error.message == (
        "libdemo_skel.so needs HAP_mem_request, qsort, which the DSP shell of the device 'board'"
        " does not export"
    )
    assert "qsort: on v68 QCM6490/QCS6490, v73" in error.why
    assert error.remedy == (
        "Declare it __attribute__((weak)) and test `if (&HAP_mem_request)` before the call."
    )


def sysroot(arch: str, *exports: str) -> Sysroot:
    return Sysroot(
        where=Path("/sysroots/board"),
        version="1",
        identity="",
        name="board",
        source="a stand-in",
        platform="ubuntu-aarch64",
        soname="libcdsprpc.so.1",
        exports=frozenset(),
        library="",
        arch=arch,
        shell_exports=frozenset(exports),
    )


def test_skels_meet_the_shell_of_a_stand_in_sysroot_whose_dsp_can_load_them() -> None:
    assert device_shell(sysroot("v73", "printf"), "v73") == DeviceShell(
        "board", frozenset({"printf"})
    )
    assert device_shell(sysroot("v73", "printf"), "v68")  # the device can load an older skel
    assert device_shell(sysroot("", "printf"), "v81")
    assert device_shell(sysroot("v73", "printf"), "v75") is None
    assert device_shell(sysroot("v73"), "v73") is None  # the exports of its shell are unknown
    renamed = device_shell(sysroot("v73", "printf"), "v68")
    assert renamed
    assert renamed._replace(device="other").digest == renamed.digest


@pytest.mark.parametrize(
    ("missing", "advice"),
    [
        ("demo_add", "Define demo_add: the interface declares it"),
        ("stderr", "Print with printf or FARF"),
        ("__assert_fail", "avoid errno and assert"),
        ("__ubsan_handle_add_overflow", "-fno-sanitize=undefined"),
        ("_Znwj", 'dsp-toolchain = "sdk"'),
        ("HAP_mmap2", "__attribute__((weak))"),
        ("no_such_thing", "Link the library that defines it"),
    ],
)
def test_a_refused_name_comes_with_advice(missing: str, advice: str) -> None:
    assert advice in refusal(missing, arch="v68").remedy


def test_plain_malloc_is_for_another_rule() -> None:
    elf = skel(imports=["malloc", "free", "printf"])
    assert findings(elf, "v68") == []
    promise = Promise(platform="hexagon")
    (finding,) = wrapped_malloc.check(subject({PLACE.format("v68"): elf}, promise))
    assert finding.message == (
        "libdemo_skel.so needs free, malloc, which no known v68 DSP shell exports"
    )
    assert "-Wl,--wrap=malloc" in finding.remedy


@pytest.mark.parametrize(
    "header", sorted((ROOT / "dsp/include").glob("*.h")), ids=lambda header: header.stem
)
def test_open_headers_tell_which_functions_not_every_shell_exports(header: Path) -> None:
    text = header.read_text(encoding="utf-8")
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    declared = {
        name
        for before, name, after in re.findall(
            r"^(?!static|typedef)(\w[\w *]*?)\b(\w+)\(([^;{}]*);", code, flags=re.MULTILINE
        )
        if name != "__attribute__" and "weak" not in (before + after).lower()
    }
    somewhere = {n for n in declared & TABLE.keys() if set(TABLE[n].values()) != {"y"}}
    comment = " ".join(text[: text.index("*/")].replace("*", " ").split())
    for phrase, names in (
        ("Not on every DSP shell: ", somewhere),
        ("On no known DSP shell: ", declared - TABLE.keys()),
    ):
        listed = comment.partition(phrase)[2].partition(".")[0]
        assert set(listed.split(", ")) - {""} == names, phrase


PROGRAM, LIBRARY, OTHER = (f"dsp/v68/{name}" for name in ("test.so", "libsum.so", "libothers.so"))
BUILT = Promise(platform="hexagon", own=True)


def of_libraries(
    *names: str, promise: Promise = BUILT, needs: str = "libsum.so", given: tuple[str, ...] = ()
) -> list[Finding]:
    """Findings about a library beside a program, which needs `needs` and exports `given`."""
    elves = {
        PROGRAM: skel(needed=[needs], exports=["main", *given]),
        OTHER: skel(imports=["no_such_name"], exports=["other"]),  # nobody needs it
        LIBRARY: skel(imports=names, exports=["sum"]),
        f"dsp/v68/{needs}": skel(needed=["libsum.so"], imports=names, exports=["sum"]),
    }
    return [*shell_symbols.check(subject(elves, promise))]


def test_a_library_that_a_program_needs_is_refused_by_name() -> None:
    (found,) = of_libraries("stderr", "fprintf", "sum")
    assert (found.severity, found.path) == ("error", LIBRARY)
    assert found.message.startswith("libsum.so needs stderr, which no known v68 DSP shell exports")
    assert found.remedy.startswith("Build the library as a static one")
    (found,) = of_libraries("no_such_name")
    assert found.message.startswith("libsum.so needs no_such_name, which no known")
    assert not found.remedy.startswith("Build the library as a static one")


def test_a_program_that_needs_what_no_shell_has_can_be_left_out() -> None:
    program = skel(imports=["chown"], exports=["main"])
    (found,) = shell_symbols.check(subject({PROGRAM: program}, BUILT))
    assert "leave the program out" in found.remedy


def test_what_programs_export_their_libraries_find() -> None:
    assert of_libraries("callback", given=("callback",)) == []


def test_libraries_that_were_not_built_here_are_left_alone() -> None:
    assert of_libraries("no_such_name", promise=Promise(platform="hexagon")) == []
    # The SDK's C++ library comes with names that its own shell has.
    assert of_libraries("no_such_name", needs="libc++.so.1") == []
