"""The output of every command with --json matches its published schema, also when it fails."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.command_line import Buildtool, Edit
from tests.json_documents import printing_json, validate

RELEASE = ".buildtool/release/sim"
COMMANDS = [
    ("build-plan", "build --plan"),
    ("why", "why"),
    ("build", "build"),
    ("build", "build"),
    ("why", "why"),
    ("why", "why --last"),
    ("run", "run sim"),
    ("test", "test sim"),
    ("test", "test --list"),
    ("test", "test --export out --for lava:board"),
    ("run", "run --on sim"),
    ("run", "run sim --expect-dsp"),
    ("capture", "capture sim"),
    ("bench", "bench sim"),
    ("bench", "bench --on sim"),
    ("bench", "bench sim --against-build-type Debug"),
    ("deploy", "deploy --build-type Debug"),
    ("deploy", "deploy --build-type Debug --on sim,sim:SM8350"),
    ("rollback", "rollback"),
    ("package", "package"),
    ("verify", "verify dist/demo-0.1.0-sim.tar.zst"),
    ("doctor", "doctor"),
    ("ide", "ide"),
    ("lock", "lock"),
    ("profile", "profile"),
    ("profile", "profile --arch v68"),
    ("profile", "profile --conan"),
    ("explain", "explain 0x80000406 AEE_EUNSUPPORTED -5 selinux-denied"),
    ("explain", "explain buildtool.toml"),
    ("inspect", f"inspect {RELEASE}/dsp/v68/libdemo_dsp_skel.so"),
    ("inspect", f"inspect {RELEASE}/bin/demo"),
    ("lint", "lint"),
    ("lint", "lint --explain static-map"),
    ("idl", "idl dsp/demo_dsp.idl --list"),
    ("idl", "idl dsp/demo_dsp.idl -o out --check-qaic"),
    ("init", "init --print"),
    ("init", "init new --template hvx"),
    ("cache-stats", "cache stats"),
    ("cache-verify", "cache verify"),
    ("cache-gc", "cache gc"),
    ("devices-list", "devices list"),
    ("devices-status", "devices"),
    ("devices-facts", "devices facts sim"),
    ("devices-check", "devices check sim"),
    ("sysroot-pull", "sysroot pull sim"),
    ("sysroot-show", "sysroot show sim"),
    ("sysroot-list", "sysroot list"),
    ("sysroot-stub", "sysroot stub"),
    ("clean", "clean"),
    ("cache-clear", "cache clear --all"),
]
OTHERWISE = {"bisect", "devices-add", "devices-unlock", "diverge", "probe", "sdk-install"}
"""Commands that need a repository or a server, or take long; their own tests validate their
documents."""


@pytest.fixture
def project(configured: Path) -> Path:
    """The project from the template, whose build trees are configured."""
    return configured


def document(buildtool: Buildtool, root: Path, words: str) -> dict[str, Any]:
    done = buildtool(*words.split(), "--json", cwd=root)
    assert "Traceback" not in done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_each_command_prints_output_that_matches_its_schema(
    buildtool: Buildtool, new_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {name for name, _ in COMMANDS} == (printing_json() | {"build-plan"}) - OTHERWISE
    for name, words in COMMANDS:
        if words == "cache stats":  # of results only: to look at all files of zig takes seconds
            actions = Path(os.environ["BUILDTOOL_CACHE"]) / "actions"
            shutil.copytree(actions, tmp_path / "cache" / "actions")
        with monkeypatch.context() as patch:
            if words.startswith("cache "):
                patch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
            printed = document(buildtool, new_project, words)
        assert not printed.get("error"), words
        validate(name, printed)
        with pytest.raises(jsonschema.ValidationError):
            validate(name, {**printed, "another key": 1})


def test_a_sysroot_that_cannot_be_used_is_listed_with_its_error(
    buildtool: Buildtool, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache" / "sysroots" / "broken").mkdir(parents=True)
    (tmp_path / "cache" / "sysroots" / "broken" / "facts.json").write_text("{")

    printed = document(buildtool, project, "sysroot list")

    assert [set(row) for row in printed["sysroots"]] == [{"name", "error"}]
    validate("sysroot-list", printed)


def test_the_document_of_an_idl_file_has_all_its_errors_and_warnings(
    buildtool: Buildtool, tmp_path: Path
) -> None:
    (tmp_path / "bad.idl").write_text("const octet A = 256;\ntypedef lng t;\n")
    (tmp_path / "odd.idl").write_text("enum e { A, };\n")

    bad = document(buildtool, tmp_path, "idl bad.idl")
    odd = document(buildtool, tmp_path, "idl odd.idl -o out --check-qaic")

    assert [error["line"] for error in bad["errors"]] == [1, 2]
    assert bad["error"] == bad["errors"][0]
    assert [warning["code"] for warning in odd["warnings"]] == ["idl-qaic"]
    validate("idl", bad)
    validate("idl", odd)


def test_the_place_of_an_error_is_in_its_document(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    edit(project / "dsp/demo_dsp.idl", "in int16 factor", "in int61 factor")
    edit(project / "buildtool.toml", 'platform = "ubuntu', 'platfrom = "ubuntu')

    idl = document(buildtool, project, "idl dsp/demo_dsp.idl -o out")
    read = document(buildtool, project, "build")

    assert (idl["error"]["line"], idl["error"]["column"]) == (9, 28)
    assert idl["error"]["file"].endswith("demo_dsp.idl")
    assert read["error"]["file"] == str(project / "buildtool.toml")
    validate("idl", idl)
    validate("build", read)


def test_failed_steps_are_reported_with_log_and_location(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    kernel, main = project / "dsp/src/demo_dsp_imp.c", project / "host/src/main.c"
    edit(kernel, "return AEE_SUCCESS;", "return NO_SUCH_NAME;")
    edit(main, "int main(void)\n{", "int main(void)\n{\n    return NO_SUCH_VALUE;")
    (project / "host/src/more.c").write_text("#include <stdio.h>\n\nint more = NO_SUCH_WORD;\n")
    edit(project / "host/CMakeLists.txt", "src/main.c", "src/main.c src/more.c")

    failed = buildtool("build", "--json", "-k", cwd=project)
    printed = json.loads(failed.stdout)
    run = document(buildtool, project, "run sim")

    validate("build", printed)
    validate("run", run)
    assert failed.returncode == 1
    assert "The error of each step is above." in failed.stderr  # true for standard error only
    assert "above" not in failed.stdout
    assert printed["error"]["code"] == "steps-failed"
    assert (printed["release"], printed["release"]) == (None, None)
    host, skel = printed["steps"]
    assert (host["outcome"], skel["outcome"]) == ("failed", "failed")
    assert host["error"]["code"] == "tool-failed"
    assert "NO_SUCH_WORD" in Path(host["log"]).read_text(encoding="utf-8")
    diagnostics = {
        (Path(d["file"]), d["line"], d["message"]) for d in host["diagnostics"] if d["file"]
    }
    assert (
        project / "host/src/more.c",
        3,
        "use of undeclared identifier 'NO_SUCH_WORD'",
    ) in diagnostics
    assert {main, project / "host/src/more.c"} == {file for file, _, _ in diagnostics}
    assert {d["file"] for d in skel["diagnostics"] if d["file"]} == {str(kernel)}
    assert [set(step) for step in run["steps"]] == [set(step) for step in printed["steps"]]
