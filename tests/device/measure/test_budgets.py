"""Budgets on sim: one packet, one call and one byte more are found."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.device.measure.measured import commit, git
from tests.json_documents import validate
from tests.project import Project

METHOD = "verified/my_project_dsp_scale_add"
BUDGETS = f"""
[budget.verified]
packets = 1

[budget."{METHOD}"]
calls = 1
bytes = "1"

[budget.my_project_dsp_open]
stack = "1"

[budget.my_project_dsp]
code = "1"
data = "1"
"""
SOURCE = "dsp/src/my_project_dsp_imp.c"
OPEN = "    (void)uri;\n"
CLOSE = "    free(session);\n    return AEE_SUCCESS;\n"
PACKET = '    __asm__ volatile("{ nop }");\n'
USE = '__asm__ volatile("" ::"r"(deep) : "memory");  /* keeps the array as large as it is */'
MORE = "1 more than its limit"


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The template in a repository; its limits are exactly what it needs, and it is measured."""
    project = Project(tmp_path_factory.mktemp("to keep small") / "my-project")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    text = (project.root / "buildtool.toml").read_text()
    project.write("buildtool.toml", f"{text}{BUDGETS}")
    git(project, "init", "-q")
    commit(project, "as it was")
    found = json.loads(project.run("bench", "--json").stdout)
    validate("bench", found)
    assert [row["exceeded"] for row in found["budgets"]] == [True] * len(found["budgets"])
    for row in found["budgets"]:
        quote = "" if row["key"] in ("packets", "calls") else '"'
        limit = f"{row['key']} = {quote}{{}}{quote}\n"
        edit(project, "buildtool.toml", limit.format(1), limit.format(row["value"]))
    commit(project, "with limits")
    for command in ("bench", "test", "build"):
        project.succeeds(command)
    return project


@pytest.fixture
def project(measured: Project) -> Iterator[Project]:
    """The project with the limits, as it was committed."""
    head = git(measured, "rev-parse", "HEAD").strip()
    yield measured
    git(measured, "reset", "--hard", "-q", head)


def edit(project: Project, file: str, old: str, new: str) -> None:
    text = (project.root / file).read_text()
    assert old in text
    project.write(file, text.replace(old, new, 1))


def exceeded(project: Project) -> dict[tuple[str, str], int]:
    """By how much limits are exceeded in a bench."""
    rows = json.loads(project.run("bench", "--json").stdout)["budgets"]
    return {(r["budget"], r["key"]): r["value"] - r["limit"] for r in rows if r["exceeded"]}


def test_one_packet_is_found_with_its_function_and_revision(project: Project) -> None:
    before = git(project, "rev-list", "--max-parents=0", "HEAD")[:8]
    (project.root / ".buildtool/history/budgets.jsonl").unlink()  # of other tests
    for command in ("bench", "test"):
        project.succeeds(command)
    edit(project, SOURCE, OPEN, OPEN + PACKET)
    commit(project, "one packet more")
    bench = project.run("bench")
    test = project.run("test", "sim", "test/*")
    markdown = project.run("bench", "--markdown")

    assert bench.returncode == test.returncode == markdown.returncode == 1
    lines = bench.stdout.split("\n")
    at = next(at for at, line in enumerate(lines) if line.startswith("✗ verified: "))
    said = lines[at : at + 3]
    assert said[0].endswith(f" packets, {MORE}")
    assert f" until {before}, " in said[1]
    assert said[1].endswith(f" since {git(project, 'rev-parse', 'HEAD')[:8]}")
    assert said[2].startswith("  my_project_dsp_open: ")
    assert said[2].endswith(" packets, 1 more")
    assert max(map(len, said)) <= 80
    assert "✗ test/verified failed: verified: " in test.stdout
    assert MORE in test.stdout
    assert "; ".join(map(str.strip, said)) in markdown.stdout


def test_one_call_and_its_bytes_are_found(project: Project) -> None:
    edit(project, "host/src/main.c", "{1024, 1001}", "{1024, 1001, 1}")
    edit(project, "host/src/main.c", "i < 2", "i < 3")

    more = exceeded(project)
    assert more[METHOD, "calls"] == 1
    assert more[METHOD, "bytes"] > 4


def test_one_byte_is_found_in_what_is_sent_and_in_data(project: Project) -> None:
    edit(project, "host/src/main.c", "{1024, 1001}", "{1024, 1002}")
    edit(project, SOURCE, OPEN, f"    static volatile char one = 1;\n    one = 2;\n{OPEN}")

    more = exceeded(project)
    assert more[METHOD, "bytes"] == 2 * 2  # an element of each of two inputs
    assert more["my_project_dsp", "data"] >= 1
    build, test = project.run("build"), project.run("test", "sim", "budget/*")
    assert build.returncode == test.returncode == 1
    assert "error: my_project_dsp: " in build.stderr
    assert "than its limit" in build.stderr
    assert "✗ budget/my_project_dsp failed: my_project_dsp: " in test.stdout


def test_one_byte_of_stack_is_found(project: Project) -> None:
    more = {}
    for size in (2000, 2001):
        array = f"    volatile char deep[{size}];\n    {USE}\n    deep[0] = 1;\n"
        edit(project, SOURCE, OPEN, f"{array}{OPEN}")
        more[size] = exceeded(project)["my_project_dsp_open", "stack"]
        git(project, "checkout", "-q", ".")

    assert 0 < more[2000] < more[2001] <= more[2000] + 8


def test_limits_are_written_with_a_margin(project: Project) -> None:
    edit(project, "buildtool.toml", "[budget.verified]\n", "[budget.verified]  # all of it\n")
    wrote = project.succeeds("bench", "sim", "--write-budget", "--margin", "100")
    assert " limits, 100 % above, are in buildtool.toml\n" in wrote
    with_margin = (project.root / "buildtool.toml").read_text()
    assert "[budget.verified]  # all of it\n" in with_margin
    assert '[budget."verified/my_project_dsp_close"]\npackets = ' in with_margin
    edit(project, SOURCE, CLOSE, PACKET + CLOSE)
    assert not exceeded(project)
    git(project, "checkout", "-q", SOURCE)
    project.succeeds("bench", "sim", "--write-budget", "--margin", "0")
    edit(project, SOURCE, CLOSE, PACKET + CLOSE)

    assert exceeded(project)["verified/my_project_dsp_close", "packets"] == 1


def test_a_budget_of_nothing_is_refused_before_a_run(project: Project) -> None:
    edit(project, "buildtool.toml", METHOD, METHOD.removesuffix("d"))
    for command in ("bench", "test"):
        done = project.run(command)
        assert done.returncode == 2
        assert f"Did you mean '{METHOD}'?" in " ".join(done.stderr.split())
