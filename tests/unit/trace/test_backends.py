"""Lines of backends about operators become slices, whatever is in them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from buildtool.core.events import BackendPrinted, Event
from buildtool.run.trace.perfetto import TraceWriter, log_lines
from buildtool.run.trace.recorder import reporting, write_backends
from tests.trace_database import open_trace

BATCH = "ggml-hex: HTP0 profile-op OPBATCH|----|n-ops 2|----|----|----|usec 700 cycles 7000 start "
OPERATOR = "0.1 D ggml-hex: HTP0 profile-op {}|w x a -> b|1:2|f32|4:8|hmx|usec {} cycles 1 start {}"
EVENT = "ggml-hex: HTP0 trace-evt {}: thread {} info {} {} {}"


def rows(lines: Sequence[tuple[int, str]]) -> list[tuple[str, str, int, int]]:
    """Track, name, start and duration of each slice."""
    writer = TraceWriter({})
    write_backends(writer, "phone", [BackendPrinted("phone", *line) for line in lines])
    return (
        open_trace(writer.data())
        .execute(
            "select track.name, slice.name, ts, dur from slice join track on track.id = track_id"
            " order by slice.id"
        )
        .fetchall()
    )


def test_operators_of_a_batch_are_where_the_counter_says() -> None:
    wraps = (1 << 32) - 1000
    found = rows(
        [
            (10**9, f"{BATCH}{wraps} mhz 10.0"),
            (10**9, OPERATOR.format("MUL_MAT", 100, wraps)),
            (10**9 + 5, OPERATOR.format("ADD", 50, 1000) + " mhz 2.0 pmu [1,2,3,4,5,6,7,8]"),
            (10**9 + 5, EVENT.format("HVX_COMP", 3, 0, "start", 1000)),
            (10**9 + 5, EVENT.format("HVX_COMP", 3, 1, "stop", 1010)),
            (10**9 + 5, EVENT.format("HVX_COMP", 3, 0, "stop", 1200)),
        ]
    )
    first = 10**9 - 700_000
    assert found == [
        ("HTP0", "OPBATCH", first, 700_000),
        ("HTP0", "MUL_MAT", first, 100_000),
        ("HTP0", "ADD", first + 200_000, 50_000),
        ("HTP0 thread 3", "HVX_COMP", first + 200_000, 20_000),
    ]


def test_operators_without_a_counter_follow_each_other() -> None:
    old = "ggml-hex: HTP1 profile-op ADD: a x b : 1 : f32 : 4 : {}usec 10 {}cycles 99{}"
    lines = [
        (10**6, old.format("", "", "")),
        (10**6, old.format("HTP0 : op-", "op-", " op-pkts 7 (0.5) call-usec 12")),
    ]
    assert rows(lines) == [
        ("HTP1", "ADD", 10**6 - 20_000, 10_000),
        ("HTP1", "ADD", 10**6 - 10_000, 10_000),
    ]


def test_lines_are_found_in_any_parts_of_the_output() -> None:
    events: list[Event] = []
    written: list[bytes] = []
    report = reporting(written.append, "phone", events.append)
    text = f"hello\n{BATCH}1\n{'x' * 9999}\nno profile-op \n{EVENT}".encode()
    for at in range(0, len(text), 7):
        report(text[at : at + 7])
    assert b"".join(written) == text
    assert [event.text for event in events if isinstance(event, BackendPrinted)] == [
        f"{BATCH}1",
        "no profile-op ",
    ]


@given(st.lists(st.tuples(st.integers(1, 10**10), st.integers(0, 1 << 33), st.booleans())))
def test_any_numbers(values: list[tuple[int, int, bool]]) -> None:
    lines = [
        (at, f"{BATCH}{number}" if batch else OPERATOR.format("ADD", number, number))
        for at, number, batch in values
    ]
    assert all(start > 0 < long for _, _, start, long in rows(lines))


def test_lines_of_logs_with_a_time_are_instants() -> None:
    log = (
        b"logcat -v time\n"
        b"     1732699200.250 I/adsprpc( 77): a: b\n"
        b"1732699100.000001 board cdsprpcd[7]: CDSP0: \x1b[2J\n"
        b"99999999999.1 x\n"
    )
    found = log_lines(log, shift=-1732699000 * 10**9)
    assert [(line.start, line.name, line.instant) for line in found] == [
        (100 * 10**9 + 1000, "CDSP0: \\x1b[2J", True),
        (200_250_000_000, "I/adsprpc( 77): a: b", True),
    ]
