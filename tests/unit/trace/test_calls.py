"""Calls of programs are paired with what the DSP did for them, and slices are nested."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from buildtool.run.trace.calls import Slice, Thread, mapped_bytes, nested, pair_calls, slices_of
from buildtool.run.trace.records import Kind, Record

SKEL = "libdemo_skel.so"
HOST, DSP = Thread(7, 7, dsp=False), Thread(7, 70, dsp=True)


def call(start: int, end: int, method: int = 2, *, kind: Kind = Kind.CALL, code: int = 0) -> Record:
    return Record(kind, 7, 7, start, end, method, code, 10, 20, SKEL)


def part(start: int, end: int, method: int = 2) -> Record:
    return Record(Kind.DSP_CALL, 7, 70, start, end, method, 0, 0, 0, SKEL)


def no_names(_: str, __: int) -> str:
    return ""


def test_a_call_has_its_part() -> None:
    records = [part(20, 30), call(10, 50)]
    threads = slices_of(records, lambda skel, method: f"{skel[3:7]}_{method}")

    (host,), (dsp,) = threads[HOST], threads[DSP]
    assert (host.name, host.leads, dsp.follows) == ("demo_2", 1, 1)
    assert host.arguments["DSP ns"] == 10
    assert host.arguments["libcdsprpc ns"] == 30
    assert host.arguments["bytes out"] == 20


def test_a_part_whose_times_can_be_wrong_is_moved_into_its_call() -> None:
    early, late = part(6, 14)._replace(bytes_in=5), part(64, 73)._replace(bytes_in=5)
    records = [early, late, call(10, 30), call(40, 70)]
    dsp = slices_of(records, no_names)[DSP]
    assert [(each.start, each.end, each.follows) for each in dsp] == [(10, 14, 2), (64, 70, 1)]
    assert dsp[0].arguments["wrong by up to ns"] == 5
    far = part(4, 14)._replace(bytes_in=5)
    assert pair_calls([far, call(10, 30)]) == {}


def test_calls_of_several_threads_have_the_parts_within_them() -> None:
    # The inner part fits into both calls, the outer one only into the long one.
    records = [call(0, 100), call(10, 40), part(5, 90), part(15, 35)]
    assert pair_calls(records) == {0: 2, 1: 3}


def test_another_method_or_process_is_no_part() -> None:
    other = part(11, 12)._replace(process=8)
    assert pair_calls([call(10, 50), part(20, 30, 3), other]) == {}
    assert slices_of([call(10, 50)], no_names)[HOST][0].leads == 0


def test_open_and_close_have_the_methods_0_and_1() -> None:
    uri = f"file:///{SKEL}?demo_skel_handle_invoke&_modver=1.0"
    records = [
        call(0, 9, kind=Kind.OPEN)._replace(name=uri),
        call(20, 29, kind=Kind.CLOSE),
        part(3, 4, 0),
        part(22, 23, 1),
    ]
    assert pair_calls(records) == {0: 2, 1: 3}


def test_an_asynchronous_call_has_a_later_part() -> None:
    records = [
        call(0, 1, kind=Kind.CALL_ASYNC),
        call(2, 3, kind=Kind.CALL_ASYNC),
        call(4, 30),
        part(10, 20),
        part(21, 25),
        part(26, 28),
    ]
    pairs = pair_calls(records)
    assert set(pairs) == {0, 1, 2}
    assert len(set(pairs.values())) == 3


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(4, 30)), max_size=12))
def test_every_call_that_contains_a_part_of_its_own_has_one(calls: list[tuple[int, int]]) -> None:
    records = [call(start, start + long) for start, long in calls]
    parts = [part(start + 1, start + long - 1) for start, long in calls]
    pairs = pair_calls([*records, *reversed(parts)])
    everything = [*records, *reversed(parts)]
    assert len(pairs) == len(calls)
    assert len(set(pairs.values())) == len(calls)
    for host, dsp in pairs.items():
        assert everything[host].start <= everything[dsp].start
        assert everything[dsp].end <= everything[host].end


def test_events_of_users_are_nested_around_calls() -> None:
    begin = Record(Kind.BEGIN, 7, 7, 5, 5, name="layer")
    records = [
        begin,
        begin._replace(start=6, name="tile"),
        call(7, 8),
        begin._replace(kind=Kind.END, start=9, name=""),
        begin._replace(kind=Kind.END, start=10, name=""),
        begin._replace(kind=Kind.END, start=11, name=""),  # of nothing
    ]
    found = slices_of(records, no_names)[HOST]
    assert [(each.name, each.start, each.end) for each in found] == [
        ("layer", 5, 10),
        ("tile", 6, 9),
        (f"method 2 of {SKEL}", 7, 8),
    ]


def test_an_event_without_an_end_ends_with_the_recording() -> None:
    begin = Record(Kind.BEGIN, 7, 7, 5, 5, name="layer")
    (layer, _) = slices_of([begin, call(7, 80)], no_names)[HOST]
    assert (layer.end, layer.arguments) == (80, {"ended": "no"})


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=20))
def test_slices_never_overlap_and_are_never_empty(spans: list[tuple[int, int]]) -> None:
    slices = [Slice(start, start + long, "") for start, long in spans]
    outer: list[Slice] = []
    found = nested(slices)
    assert len(found) == len(slices)
    for each in found:
        assert each.end > each.start
        while outer and outer[-1].end <= each.start:
            outer.pop()
        assert not outer or each.end <= outer[-1].end
        outer.append(each)


def test_what_is_mapped_is_counted() -> None:
    records = [
        call(1, 2, kind=Kind.MAP),
        call(3, 4, kind=Kind.MAP),
        call(5, 6, kind=Kind.MAP, code=1),
        call(7, 8, kind=Kind.UNMAP),
    ]
    assert mapped_bytes(records) == {7: [(1, 0), (2, 10), (4, 20), (8, 10)]}
