"""The exact text of `buildtool why`, and its record of the last build."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from buildtool.cli.builds.why import SHOWN, _show
from buildtool.core.files import write_checksummed
from buildtool.engine.decide import LAST_BUILD, Explanation, last_build, save_last_build
from buildtool.engine.result import BuildResult, Reason, StepOutcome, StepResult
from buildtool.plan.plan import CMakeStep, Plan
from buildtool.toolchains.profile import Compiler, Profile
from tests.made_up import CMAKE

OLD, NEW = "a" * 64, "b" * 64
PROFILE = Profile("p", "hexagon", "none", {}, "", {}, Compiler("clang", "22", "", (), ()))
CHANGED = Reason("input", "{project}/host/main.c", OLD, NEW)
DEFINE = Reason("field", "cmake.defines.LEVEL", "", "{project}/two")


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (Explanation("host/app", "up-to-date"), "host/app: up to date\n"),
        (
            Explanation("host/app", "restored", "local", reasons=(CHANGED,)),
            "host/app: restored from the local cache\n"
            "    host/main.c changed: aaaaaaaa → bbbbbbbb\n",
        ),
        (
            Explanation("host/app", "restored", "remote", reasons=(Reason("first"),)),
            "host/app: restored from the remote cache\n    it was not built here before\n",
        ),
        (
            Explanation("skel/a/v68", "built", reasons=(DEFINE, CHANGED)),
            "skel/a/v68: rebuilt\n"
            "    cmake.defines.LEVEL: nothing → 'two'\n"
            "    host/main.c changed: aaaaaaaa → bbbbbbbb\n",
        ),
        (
            Explanation("host/app", "waits", waits_for="host/base"),
            "host/app: waits for host/base, which is rebuilt\n",
        ),
        (Explanation("host/app", "failed"), "host/app: failed\n"),
        (
            Explanation(
                "host/app", "built", reasons=(Reason("first"),), nearest=(CHANGED,), known=1
            ),
            "host/app: rebuilt\n"
            "    it was not built here before\n"
            "    the one state of it in the cache differs:\n"
            "      host/main.c changed: aaaaaaaa → bbbbbbbb\n",
        ),
        (
            Explanation(
                "host/app", "built", reasons=(DEFINE, CHANGED), nearest=(CHANGED,), known=3
            ),
            "host/app: rebuilt\n"
            "    cmake.defines.LEVEL: nothing → 'two'\n"
            "    host/main.c changed: aaaaaaaa → bbbbbbbb\n"
            "    of 3 states of it in the cache the most similar one differs:\n"
            "      host/main.c changed: aaaaaaaa → bbbbbbbb\n",
        ),
        (  # a difference from the last build is not printed twice
            Explanation("host/app", "built", reasons=(CHANGED,), nearest=(CHANGED,), known=2),
            "host/app: rebuilt\n    host/main.c changed: aaaaaaaa → bbbbbbbb\n",
        ),
        (
            Explanation("host/app", "built", reasons=(Reason("input", "a\x1b[2J\n\u202e.c", OLD),)),
            "host/app: rebuilt\n    a\\x1b[2J\\n\\u202e.c is gone\n",
        ),
    ],
)
def test_a_step_in_words(row: Explanation, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    _show(row, SHOWN)

    assert capsys.readouterr().out == text


def test_many_reasons_are_cut_short(capsys: pytest.CaptureFixture[str]) -> None:
    many = tuple(Reason("input", f"{number}.c", OLD) for number in range(SHOWN + 2))

    _show(Explanation("host/app", "built", reasons=many), SHOWN)

    *shown, rest = capsys.readouterr().out.splitlines()
    assert len(shown) == 1 + SHOWN
    assert rest == "    and 2 more (--all)"


def row(**changes: Any) -> dict[str, Any]:
    known = Explanation("host/app", "built", "local", reasons=(CHANGED,)).as_json()
    return {**known, **changes}


def test_the_last_build_is_read_as_it_was_saved(tmp_path: Path) -> None:
    root = tmp_path
    step = CMakeStep(
        name="host/app",
        component="app",
        arch=None,
        profile=PROFILE,
        root=root,
        source=root,
        tree=root,
        output=root,
        cmake=CMAKE,
    )
    failed = StepResult(step, StepOutcome.FAILED, reasons=(CHANGED,), error=ValueError())
    skipped = StepResult(step._replace(name="host/b"), StepOutcome.SKIPPED)
    restored = StepResult(step._replace(name="host/c"), StepOutcome.RESTORED, None, (), "local")
    plan = Plan("sim", (), tmp_path, tmp_path)
    save_last_build(tmp_path, BuildResult(plan, (failed, skipped, restored)))

    assert last_build(tmp_path, "sim") == (
        Explanation("host/app", "failed", reasons=(CHANGED,)),
        Explanation("host/b", "skipped"),
        Explanation("host/c", "restored", "local"),
    )
    assert last_build(tmp_path, "other") is None

    write_checksummed(tmp_path / "last/sim.json", {"version": LAST_BUILD, "steps": [row()]})
    assert last_build(tmp_path, "sim") == (
        Explanation("host/app", "built", "local", reasons=(CHANGED,)),
    )


@pytest.mark.parametrize(
    "rows",
    [
        7,
        None,
        [7],
        ["text"],
        [[]],
        [{}],
        [row(reasons=None)],
        [row(reasons=[{}])],
        [row(reasons="text")],
        [row(reasons=[["a"]])],
    ],
)
def test_an_invalid_note_is_ignored(rows: Any, tmp_path: Path) -> None:
    (tmp_path / "last").mkdir()
    write_checksummed(tmp_path / "last/sim.json", {"version": LAST_BUILD, "steps": rows})

    assert last_build(tmp_path, "sim") is None


@pytest.mark.parametrize("data", [b"", b"[", b"\xff", b"[" * 100_000])
def test_a_note_that_is_not_json_is_ignored(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "last").mkdir()
    (tmp_path / "last/sim.json").write_bytes(data)

    assert last_build(tmp_path, "sim") is None
