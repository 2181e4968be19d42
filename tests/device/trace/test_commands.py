"""`--trace` of `run`, `test` and `bench`: files, errors, and what stays as it is without it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.json_documents import validate
from tests.project import Project
from tests.trace_database import open_trace


def test_a_trace_has_a_place_of_its_own(traced_project: Project) -> None:
    done = traced_project.run("run", "sim", "--trace", "--json")
    document = json.loads(done.stdout)
    (file,) = traced_project.root.glob(".buildtool/traces/*.pftrace")

    validate("run", document)
    assert f"trace: {file} (open it in" in done.stderr
    assert document["trace"] == str(file)
    assert open_trace(file).execute("select 1 from flow").fetchone()
    assert document["dsp_calls"] is None
    # The recording is no longer on the device, and what is current there is as before.
    assert not [*traced_project.root.glob(".buildtool/device/**/*.trace")]
    assert not [*traced_project.root.glob(".buildtool/release/sim/lib/libcdsprpc*")]


def test_calls_are_counted_and_traced_together(traced_project: Project, tmp_path: Path) -> None:
    file = tmp_path / "both.pftrace"
    found = traced_project.run("run", "sim", "--trace-file", str(file), "--expect-dsp", "--json")
    (row,) = json.loads(found.stdout)["dsp_calls"]["methods"]
    arrows = open_trace(file).execute(
        "select count(*) from flow join slice on id = slice_out where name = ?", [row["name"]]
    )
    assert (row["calls"],) == arrows.fetchone() == (7,)


def test_a_run_is_traced_and_profiled_at_once(traced_project: Project, tmp_path: Path) -> None:
    file = tmp_path / "profiled.pftrace"
    options = ("--trace-file", str(file), "--profile", "-e", "CALLS=200", "--json")
    document = json.loads(traced_project.run("run", "sim", *options).stdout)
    base = open_trace(file)
    profile = document["profile"]
    arrows = base.execute("select count(*) from flow").fetchone()[0]
    assert document["status"] == 0
    assert profile["uncounted"] or any(row["packets"] for row in profile["functions"])
    assert arrows > 200


@pytest.mark.parametrize("command", ["test", "bench"])
def test_each_program_has_a_process(traced_project: Project, tmp_path: Path, command: str) -> None:
    file = tmp_path / "programs.pftrace"
    traced_project.succeeds(command, "sim", "--trace-file", str(file))
    base = open_trace(file)
    processes = base.execute(
        "select count(distinct pid) from track where name = 'my-project' and tid = 0"
    ).fetchone()[0]
    runs = base.execute("select count(*) from slice where name = 'bin/my-project'").fetchone()[0]
    assert processes == runs == {"test": 1, "bench": 3}[command]
    if command == "test":
        tests = base.execute("select name from slice where name like '%verified%'").fetchall()
        assert len(tests) == 1


def test_a_push_is_in_the_trace(traced_project: Project, tmp_path: Path) -> None:
    main = traced_project.root / "host/src/main.c"
    before, file = main.read_text(), tmp_path / "pushed.pftrace"
    main.write_text(before.replace('"my-project: scale_add of', '"my-project: again scale_add of'))
    try:
        traced_project.succeeds("run", "sim", "--trace-file", str(file))
    finally:
        main.write_text(before)
    (sent,) = open_trace(file).execute(
        "select value from args join slice on id = slice_id where name = 'push' and key = 'bytes'"
    )
    assert sent[0] > 1000


def test_a_failed_build_is_in_the_trace(traced_project: Project, tmp_path: Path) -> None:
    main = traced_project.root / "host/src/main.c"
    before, file = main.read_text(), tmp_path / "failed.pftrace"
    main.write_text("#error no\n")
    try:
        done = traced_project.run("run", "sim", "--trace-file", str(file))
    finally:
        main.write_text(before)
    outcomes = open_trace(file).execute("select value from args where key = 'outcome'")
    assert done.returncode == 125
    assert ("failed",) in outcomes.fetchall()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--trace-file", "/"), "--trace-file /: it is not a file"),
        (("--trace-file", "a.pftrace", "--on", "sim"), "--on cannot be used with --trace-file"),
        (("--trace", "--watch"), "--watch cannot be used with --trace"),
    ],
)
def test_what_cannot_be(traced_project: Project, arguments: tuple[str, ...], text: str) -> None:
    done = traced_project.run("run", *arguments)
    assert done.returncode in (2, 125)
    assert text in done.stderr


def test_nothing_of_it_is_imported_without_it(traced_project: Project) -> None:
    traced_project.succeeds("run", "sim")
    code = (
        "import sys; from buildtool.cli import main; sys.argv[1:] = ['run', 'sim']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([name for name in sys.modules if '.trace' in name and 'buildtool' in name])"
    )
    command, root = [sys.executable, "-c", code], traced_project.root
    done = subprocess.run(command, check=True, cwd=root, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


def test_the_header_is_for_c_and_cpp_and_does_nothing_by_itself(tmp_path: Path) -> None:
    from buildtool import _data

    include = _data.path("host") / "include" / "fastrpc"
    source = tmp_path / "main.cpp"
    source.write_text(
        '#include "bt_trace.h"\nint main() { bt_trace_begin("a"); bt_trace_end(); return 0; }\n'
    )
    (tmp_path / "main.c").write_text(source.read_text().replace("main()", "main(void)"))
    for name, compiler in (("main.c", "cc"), ("main.cpp", "c++")):
        program = tmp_path / f"{name}.out"
        flags = ["-Wall", "-Wextra", "-Werror", "-I", str(include)]
        zig = [sys.executable, "-m", "ziglang", compiler]
        subprocess.run([*zig, *flags, str(tmp_path / name), "-o", str(program)], check=True)
        subprocess.run([str(program)], check=True, cwd=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("main.c", "main.c.out", "main.cpp", "main.cpp.out")
    ]
