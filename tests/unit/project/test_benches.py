"""The checks of `[bench.NAME]`, `[metric.NAME]` and `[check.NAME]`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.project.read import ProjectError, read_project

HEAD = '[project]\nname = "demo"\n'
METRIC = "[metric.time]\nmatch = 'time (.*) us'\n"
CHECK = '[check.ok]\nmatch = "ok"\n'
BENCH = '[bench.b]\nprogram = "bin/b"\n'
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a project file with this text after its header."""

    def file(text: str) -> Path:
        (tmp_path / "buildtool.toml").write_text(HEAD + text)
        return tmp_path / "buildtool.toml"

    return file


def test_a_bench_has_defaults(write: Write) -> None:
    project = read_project(write(METRIC + CHECK + BENCH))
    bench = project.benches["b"]
    assert (bench.repeat, bench.warmup, bench.precision, bench.limit) == (10, 1, 0.02, "2m")
    assert not bench.takes_seed
    assert (project.metrics["time"].better, project.checks["ok"].type) == ("lower", "u8")


@pytest.mark.parametrize("where", ['args = ["--seed={seed}"]', 'env = { SEED = "{seed}" }'])
def test_a_seed_is_named_in_arguments_or_variables(write: Write, where: str) -> None:
    assert read_project(write(f'{BENCH}output = "o"\n{where}\n')).benches["b"].takes_seed


def test_a_tolerance_is_a_whole_number_or_a_fraction(write: Write) -> None:
    (write("").parent / "right").write_bytes(b"")
    text = '[check.c]\nreference = "right"\nabsolute = 1\nrelative = 1e-3\n'
    check = read_project(write(text)).checks["c"]
    assert (check.absolute, check.relative) == (1.0, 0.001)


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ("[metric.m]\n", "metric.m: needs one of the keys 'match' and 'json'", "Say where"),
        ('[metric.m]\nmatch = "(.)"\njson = "a"\n', "metric.m: needs one of", "Say where"),
        ('[metric.m]\nmatch = "no group"\n', "metric.m.match: has no group", "parentheses"),
        ('[metric.m]\nmatch = "(("\n', "metric.m.match: is not a regular expression", "re module"),
        ("[check.c]\n", "check.c: checks nothing", "Add one of"),
        ("[check.c]\nno-match = '['\n", "check.c.no-match: is not a regular", "re module"),
        ('[check.c]\nreference = "no"\n', "check.c.reference: there is no file", "right output"),
        (
            '[check.c]\nmatch = "x"\nabsolute = nan\n',
            "check.c.absolute: is not a tolerance",
            "not negative",
        ),
        (
            '[check.c]\nmatch = "x"\nrelative = -1\n',
            "check.c.relative: is not a tolerance",
            "not negative",
        ),
        ('[check.c]\nmatch = "x"\nabsolute = "1"\n', "check.c.absolute: must be a number", "It is"),
        (f"{BENCH}metrics = ['tim']\n{METRIC}", "there is no [metric.tim]", "Did you mean 'time'"),
        (f"{BENCH}checks = ['k']\n{CHECK}", "there is no [check.k]", "Known: ok"),
        (f"{BENCH}repeat = 2\n", "bench.b.repeat: is out of range", "from 3 to 100,000"),
        (f"{BENCH}warmup = -1\n", "bench.b.warmup: is out of range", "from 0 to 1,000"),
        (f"{BENCH}precision = 0\n", "bench.b.precision: is out of range", "0.02"),
        (f'{BENCH}limit = "soon"\n', "bench.b.limit: 'soon' is not a duration", "90s"),
        (f'{BENCH}limit = "501h"\n', "bench.b.limit: '501h' is longer than 500h", "90s"),
        (f'{BENCH}timeout = "soon"\n', "bench.b.timeout: 'soon' is not a duration", "90s"),
        (f'{BENCH}env = {{ "1" = "a" }}\n', "bench.b.env: '1' is not the name of a", "letters"),
        ('[bench.b]\nprogram = ""\n', "bench.b.program: is empty", "Name a program"),
        (f'{BENCH}args = ["{{seed}}"]\n', "bench.b: takes a seed, but nothing", "output"),
        (f'{BENCH}output = "/etc/x"\n', "bench.b.output: '/etc/x' is not a path inside", "below"),
        (f'{BENCH}output = "../x"\n', "bench.b.output: '../x' is not a path inside", "below"),
        (f"{BENCH}parameters = {{ seed = 1 }}\n", "'seed' cannot be the name", "built in"),
        ("[bench.b]\n", "bench.b: lacks the key 'program'", "bin/demo"),
    ],
)
def test_what_is_wrong_is_named_with_a_remedy(
    write: Write, text: str, message: str, remedy: str
) -> None:
    with pytest.raises(ProjectError) as caught:
        read_project(write(text))
    assert message in caught.value.message
    assert remedy in caught.value.remedy


def test_a_reference_needs_the_file_that_it_is_for(write: Write) -> None:
    (write("").parent / "right").write_bytes(b"")
    check = '[check.c]\nreference = "right"\n'
    with pytest.raises(ProjectError, match=r"bench\.b\.output: is missing, and \[check\.c\]"):
        read_project(write(f"{BENCH}checks = ['c']\n{check}"))
