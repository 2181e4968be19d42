"""A real cause among thousands of lines of other programs, noise, and what followed from it."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from buildtool.diagnose.knowledge import BENIGN, CAUSE, CONSEQUENCE
from tests.unit.diagnose.knowledge_files import read_folder
from tests.unit.diagnose.logs import explain_lines

CONDITIONS = read_folder()
OF_CLASS = {
    kind: {n: row for n, row in CONDITIONS.items() if row["class"] == kind and row["example"]}
    for kind in (CAUSE, CONSEQUENCE, BENIGN)
}
ORDINARY = (
    "{month:02}-{day:02} {clock} {pid:5} {tid:5} I ActivityManager: Displayed app{n}/.Main: +{n}ms",
    "{month:02}-{day:02} {clock} {pid:5} {tid:5} E wifi_{n}: scan failed, error {n}, retry {pid}",
    "{month:02}-{day:02} {clock} {pid:5} {tid:5} V adsprpc : {tid:x}:{pid:x}: CDSP0:[DU]: job {n}",
    "{month:02}-{day:02} {clock} {pid:5} {tid:5} I app: fastrpc_apps_user.c:{n}: remote_init done",
    "D/app  ({pid:5}): apps_std_imp.c:1044: Successfully opened file /vendor/dsp/cdsp/lib{n}.so",
    "Aug {day:2} {clock} board systemd[1]: Started Session {n} of User debian.",
    "2026-08-{day:02}T{clock}+00:00 board cdsprpcd[{pid}]: dsprpcd.c:174: CDSP daemon starting",
    "[{pid:5}.{tid:06}] usb 1-{n}: new high-speed USB device number {n} using xhci-hcd",
    "[{pid:5}.{tid:06}][ T{tid}] remoteproc remoteproc{n}: remote processor cdsp is now up",
    "[{pid:05}/02]  34:12.{n:03}  {tid:x}:e85: CDSP: remote_handle_open: opened handle 0x{tid:x}",
    "load_tensors: layer {n} assigned to device HTP0, is_swa = 0",
    "ggml-hex: HTP0 allocating new session, 0x{tid:08x} bytes",
    "llama_model_loader: - kv {n:3}: general.name str = model-{pid}",
    "     0.0ms [  INFO ] QnnDsp <I> QnnGraph_execute started. graph = 0x{tid:x}",
    "[INFO] [Qnn ExecuTorch]: Deserializing processed data, {tid} bytes at 0x8000{n:04x}",
    "2026-08-{day:02} {clock} [V:onnxruntime:, session.cc:{n} Run] node {pid} took {tid} us",
    "[dsp] HIGH scale.c:{n}: processed {tid} elements",
    "",
)


def ordinary(chance: random.Random) -> str:
    hour, minute, second = (chance.randrange(limit) for limit in (24, 60, 60))
    return chance.choice(ORDINARY).format(
        month=chance.randint(1, 12),
        day=chance.randint(1, 28),
        clock=f"{hour:02}:{minute:02}:{second:02}.{chance.randrange(1000):03}",
        pid=chance.randint(300, 32000),
        tid=chance.randint(300, 999999),
        n=chance.randint(1, 999),
    )


def with_noise(chance: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        if chance.random() < 0.05:
            yield chance.choice(chance.choice([*OF_CLASS[BENIGN].values()])["example"])
        else:
            yield ordinary(chance)


def symptoms(chance: random.Random, codes: list[int]) -> Iterator[str]:
    """What follows: an error with one of the codes of the cause, and other consequences."""
    if codes:
        yield f"app: remote_handle64_open: open failed: error 0x{codes[0]:08x}"
    for row in chance.sample([*OF_CLASS[CONSEQUENCE].values()], 4):
        yield from row["example"][:2]


@pytest.mark.parametrize("seed", range(10))
def test_the_cause_comes_first(seed: int) -> None:
    chance = random.Random(seed)
    # Noise can have what makes the others harmless.
    name = chance.choice([name for name, row in OF_CLASS[CAUSE].items() if not row["unless"]])
    row = OF_CLASS[CAUSE][name]
    lines = [*with_noise(chance, chance.randint(100, 4000))]
    place = len(lines) + 1
    lines += [row["example"][0]]
    for symptom in symptoms(chance, row["codes"]):
        lines += [*with_noise(chance, chance.randint(0, 40)), symptom]
    lines += with_noise(chance, chance.randint(2000, 4000))

    said = explain_lines(lines)

    assert [finding.condition.name for finding in said.causes] == [name]
    assert said.causes[0].evidence[0].line == place
    assert said.events[0].condition.name == name
    assert not said.symptoms
    assert {f.condition.kind for f in said.consequences} == {CONSEQUENCE}
    assert {f.condition.kind for f in said.benign} == {BENIGN}


def test_a_log_without_a_failure() -> None:
    chance = random.Random(11)

    said = explain_lines(with_noise(chance, 6000))

    assert len(said.benign) > 5
    assert not (said.causes)
    assert not (said.symptoms)
    assert not (said.consequences)
    assert not (said.codes)
    assert not (said.events)


def test_of_two_causes_that_comes_first_which_explains_the_code() -> None:
    colon = CONDITIONS["library-path-colon"]["example"][1]
    shared = CONDITIONS["shared-memory-exhausted"]["example"][0]

    opened = explain_lines([shared, colon, "remote_handle64_open: error 0x80000406"])
    allocated = explain_lines([colon, shared, "rpcmem_alloc failed: 0x2"])

    assert opened.causes[0].condition.name == "library-path-colon"
    assert allocated.causes[0].condition.name == "shared-memory-exhausted"


def test_a_symptom_is_explained_by_a_cause_of_its_code() -> None:
    symptom = CONDITIONS["qnn-skel-not-loaded"]["example"][0]
    cause = CONDITIONS["library-path-colon"]["example"][1]

    alone, both = explain_lines([symptom]), explain_lines([cause, symptom])

    assert [f.condition.name for f in alone.symptoms] == ["qnn-skel-not-loaded"]
    assert not alone.codes
    assert not both.symptoms
    assert [f.condition.name for f in both.consequences] == ["qnn-skel-not-loaded"]


def test_a_code_that_no_line_explains() -> None:
    said = explain_lines(["app: open returned 0x80000442", "app: open returned 0x80000442"])

    ((code, evidence),) = said.codes
    assert (code.names, evidence.line) == (("AEE_ENOSUCHSYMBOL",), 1)


def test_lines_of_one_condition_are_one_event() -> None:
    crash = CONDITIONS["dsp-process-crashed"]["example"]
    died = CONDITIONS["queue-process-died"]["example"][0]

    said = explain_lines(["x", *crash, "y", died, *crash])

    assert len(crash) == 5
    assert [(e.first, e.last, e.lines, e.condition.name) for e in said.events] == [
        (2, 6, 5, "dsp-process-crashed"),
        (8, 8, 1, "queue-process-died"),
        (9, 13, 5, "dsp-process-crashed"),
    ]
    assert said.causes[0].lines == 10


def test_a_cause_does_not_count_beside_what_makes_it_harmless() -> None:
    denied = CONDITIONS["selinux-denied"]["example"][0]
    hal = CONDITIONS["opened-through-hal"]["example"][0]

    assert [f.condition.name for f in explain_lines([denied]).causes] == ["selinux-denied"]
    for lines in ([denied, hal], [hal, denied]):
        assert not explain_lines(lines).causes


def test_a_code_in_a_line_with_a_cause_is_not_open() -> None:
    mapped = CONDITIONS["map-limit"]["example"][0]  # which ends with error: 0x1

    assert not explain_lines([mapped]).codes
    assert len(explain_lines([mapped, "fastrpc error: 0x1"]).codes) == 1


def test_the_directories_that_libraries_were_opened_from() -> None:
    """The texts are those of qualcomm/fastrpc at 29851fde, src/apps_std_imp.c."""
    found = explain_lines(
        [
            "apps_std_fopen_fd done for /opt/a/cdsp/./libx_skel.so with fopen:30us, read:0us,"
            " rpc_alloc:0us, mmap:0us fd 0x0 error_code 0x2",
            "app: Successfully opened file /opt/a/libx_skel.so",
            "app: Successfully opened file /opt/a/libx_skel.so",
            "apps_std_fopen_fd done for /usr/lib/dsp/cdsp/libc++.so.1 with fopen:3us, read:0us,"
            " rpc_alloc:0us, mmap:0us fd 0x7 error_code 0x0",
        ]
    )
    assert [(each.line, each.path) for each in found.opened] == [
        (2, "/opt/a/libx_skel.so"),
        (4, "/usr/lib/dsp/cdsp/libc++.so.1"),
    ]
    assert found.says_something
