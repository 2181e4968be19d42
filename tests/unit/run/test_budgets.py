"""What runs needed, against the limits of `[budget.NAME]`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from buildtool.core.errors import UsageError
from buildtool.core.history import BUDGETS, RELEASES, append_history, read_history
from buildtool.project.model import Project
from buildtool.project.read import read_project
from buildtool.run.budget_names import check_budgets
from buildtool.run.budgets import (
    BudgetSubject,
    BudgetVerdict,
    judge,
    lines_of,
    uses_of,
    uses_of_calls,
    wants_stack,
    with_stacks,
)
from buildtool.run.dsp_calls import DspCalls, DspMethod
from buildtool.run.method_counts import QUEUES, MethodCounts

COUNTS = {"calls": 20, "packets": 130_000, "bytes_in": 4096}
LIMITS = '[budget.demo_add]\npackets = 130_000\ncalls = 20\nbytes = "4 KiB"\n'
IDL = "interface demo { long add(in long a); long sub(in long a); };"


def counts(name: str = "demo_add", method: int = 2, **changes: int) -> MethodCounts:
    numbers = {**COUNTS, **changes}
    return MethodCounts(
        skel="libdemo_skel.so",
        method=method,
        name=name,
        calls=numbers["calls"],
        packets=numbers["packets"],
        instructions=1,
        hvx=0,
        bytes_in=numbers["bytes_in"],
        bytes_out=0,
        bytes_copied=0,
        exact=not numbers.get("within", 0),
        within=numbers.get("within", 0),
    )


def project_of(folder: Path, budgets: str = LIMITS) -> Project:
    """A project with a skel, a test, a bench and these budgets."""
    (folder / "dsp").mkdir(exist_ok=True)
    (folder / "dsp" / "CMakeLists.txt").touch()
    (folder / "dsp" / "demo.idl").write_text(IDL)
    skel = '[skel.demo]\nsource = "dsp"\nidl = "dsp/demo.idl"\narchs = ["v68"]\n'
    program = 'program = "bin/demo"\n'
    head = f'[project]\nname = "demo"\n{skel}[test.unit]\n{program}[bench.speed]\n{program}'
    (folder / "buildtool.toml").write_text(f"{head}{budgets}")
    return read_project(folder / "buildtool.toml")


def judged(
    project: Project,
    *methods: MethodCounts,
    release: str = "1",
    functions: Mapping[str, int] | None = None,
) -> tuple[BudgetVerdict, ...]:
    """The verdicts on a run of the bench with these counts, by a release that git knows."""
    row = {"release": release, "revision": f"{release * 40}", "dirty": release == "3"}
    append_history(project.state, RELEASES, row)
    subject = BudgetSubject(project, "bench speed", "sim QCS6490 v68", release)
    uses = uses_of(("speed",), methods)
    return judge(subject, ("speed",), uses, lambda: functions or {})


def test_what_is_exactly_the_limit_is_within_it(tmp_path: Path) -> None:
    verdicts = judged(project_of(tmp_path), counts())

    assert [one.key for one in verdicts] == ["packets", "calls", "bytes"]
    assert not any(one.exceeded for one in verdicts)


@pytest.mark.parametrize(
    ("field", "key", "line"),
    [
        ("packets", "packets", "demo_add: 130,001 packets, 1 more than its limit"),
        ("calls", "calls", "demo_add: 21 calls, 1 more than its limit"),
        ("bytes_in", "bytes", "demo_add: 4,097 bytes sent, 1 more than its limit"),
    ],
)
def test_one_more_is_found(tmp_path: Path, field: str, key: str, line: str) -> None:
    more = counts()._replace(**{field: COUNTS[field] + 1})
    verdicts = judged(project_of(tmp_path), more)

    exceeded = [one for one in verdicts if one.exceeded]
    assert [one.key for one in exceeded] == [key]
    assert list(exceeded[0].lines()) == [line]


def test_stacks_and_vtcm_are_the_most_of_all_methods(tmp_path: Path) -> None:
    project = project_of(tmp_path, '[budget.speed]\nstack = "2 KiB"\nvtcm = "1 MiB"\n')
    rows = (counts(), counts("demo_sub", 3)._replace(vtcm=1 << 20))
    thread = counts("", 0)._replace(skel="", stack=2049)
    stacks = [*with_stacks(rows, (rows[0]._replace(stack=2048), thread))]
    stack, vtcm = judged(project, *stacks[:2])
    more, _ = judged(project, *stacks)

    assert wants_stack(project)
    assert (stack.value, stack.exceeded, vtcm.value, vtcm.exceeded) == (2048, False, 1 << 20, False)
    assert next(iter(more.lines())) == "speed: 2,049 bytes of stack, 1 more than its limit"
    assert (stacks[2].calls, stacks[2].packets) == (0, 0)
    assert judged(project, *rows)[0].why == "the stack of this run was not measured"


def test_a_bench_has_the_sum_of_its_methods_and_no_messages_as_calls(tmp_path: Path) -> None:
    budgets = '[budget.speed]\ncalls = 25\npackets = 260_000\n[budget."speed/demo_sub"]\ncalls = 4'
    rows = (counts(), counts("demo_sub", 3, calls=5), counts("callbacks of dspqueue", QUEUES))
    packets, whole, method = judged(project_of(tmp_path, budgets), *rows)

    assert (whole.key, whole.value, whole.exceeded) == ("calls", 25, False)
    assert (packets.key, packets.value, packets.exceeded) == ("packets", 390_000, True)
    assert (method.budget, method.value, method.exceeded) == ("speed/demo_sub", 5, True)


def test_packets_that_are_not_exact_are_not_judged(tmp_path: Path) -> None:
    verdicts = judged(project_of(tmp_path), counts(packets=10**9, within=8))

    assert [one.exceeded for one in verdicts] == [False] * 3
    assert next(lines_of(verdicts)) == (
        "! demo_add: the limit of 130,000 packets is not judged: counts of this run are not exact"
    )


def test_a_method_that_the_bench_should_call_is_not_judged_without(tmp_path: Path) -> None:
    (verdict,) = judged(project_of(tmp_path, '[budget."speed/demo_sub"]\ncalls = 4'), counts())

    assert (verdict.value, verdict.exceeded) == (None, False)
    assert verdict.why == "the run has not called it"


def test_calls_and_bytes_are_judged_on_a_device_that_counts_them(tmp_path: Path) -> None:
    limits = '[budget.speed]\ncalls = 5\nbytes = "100"\npackets = 9\n'
    limits += '[budget."speed/demo_add"]\ncalls = 2\n[budget.demo_sub]\ncalls = 1\n'
    project = project_of(tmp_path, limits)
    append_history(project.state, RELEASES, {"release": "1", "revision": "1" * 40, "dirty": False})
    subject = BudgetSubject(project, "bench speed", "board", "1", emulated=False)
    method = DspMethod("libdemo_skel.so", 2, "demo_add", 3, 0, 0.1, 101, 0)
    counted = DspCalls(opened=1, closed=1, methods=(method,))
    verdicts = judge(subject, {"speed"}, uses_of_calls({"speed"}, counted))
    assert [(each.budget, each.key, each.value, each.exceeded) for each in verdicts] == [
        ("speed", "packets", None, False),
        ("speed", "calls", 5, False),
        ("speed", "bytes", 101, True),
        ("speed/demo_add", "calls", 3, True),
    ]
    assert verdicts[0].why == "it is measured on sim only"

    without = judge(subject, {"speed"}, {})
    assert {(each.key, each.why) for each in without} == {
        ("packets", "it is measured on sim only"),
        *(
            (key, "it is measured on sim, and on a device with --expect-dsp")
            for key in ("calls", "bytes")
        ),
    }


def test_what_grew_is_known_since_the_revision_that_made_it_grow(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    small = {"add": 100_000, "main": 30_000}
    judged(project, counts(packets=129_000), release="1", functions=small)
    judged(project, counts(packets=129_000), release="2")
    large = {"add": 101_002, "main": 30_000, "helper": 2}
    judged(project, counts(packets=130_002), release="3", functions=large)
    fewer_calls = counts(packets=130_002, calls=19)
    verdicts = judged(project, fewer_calls, release="4", functions=large)

    assert list(lines_of(verdicts)) == [
        "✗ demo_add: 130,002 packets, 2 more than its limit\n"
        "  129,000 until 11111111, 130,002 since 33333333 with changes\n"
        "  add: 101,002 packets, 1,002 more\n"
        "  helper: 2 packets, 2 more",
        "budget: 2 of 3 limits are kept; closest: 4,096 of 4,096 bytes sent in demo_add",
    ]
    assert len(read_history(project.state, BUDGETS).lines) == 3


def test_a_line_of_markdown_has_all_of_it(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    judged(project, counts(calls=19), release="1")
    first, _ = lines_of(judged(project, counts(calls=21), release="2"), in_a_line=True)

    assert first == (
        "✗ demo_add: 21 calls, 1 more than its limit; 19 until 11111111, 21 since 22222222"
    )


@pytest.mark.parametrize(
    ("budget", "message", "remedy"),
    [
        ("[budget.demo_ad]\ncalls = 1", "there is nothing of this name", "mean 'demo_add'?"),
        ('[budget."sped/demo_add"]\ncalls = 1', "there is nothing", "mean 'speed/demo_add'?"),
        ('[budget."speed/demo_mul"]\ncalls = 1', "there is nothing of this name", "Known:"),
        ('[budget.demo_add]\ncode = "1"', "code and data are limits of skels", "Known: demo."),
        ("[budget.demo]\ncalls = 1", "a skel has limits of code and data only", "Move"),
    ],
)
def test_budgets_of_nothing_are_refused(
    tmp_path: Path, budget: str, message: str, remedy: str
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        check_budgets(project_of(tmp_path, budget))

    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    "name", ["demo_add", "speed", "unit", "test/unit", "unit/demo_sub", "speed/demo_add"]
)
def test_methods_tests_and_benches_have_budgets(tmp_path: Path, name: str) -> None:
    check_budgets(project_of(tmp_path, f'[budget."{name}"]\ncalls = 1'))


def test_tests_of_ctest_have_budgets_where_they_are_known(tmp_path: Path) -> None:
    project = project_of(tmp_path, "[budget.ctest-of-demo]\ncalls = 1")

    check_budgets(project, {"ctest-of-demo"})
    check_budgets(project, None)
    with pytest.raises(UsageError):
        check_budgets(project, {"another"})
