"""`init --ci`: workflows whose commands work."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from buildtool.core.trees import STATE
from buildtool.run.bundle.write import FOLDER
from tests.command_line import Buildtool

yaml: Any = importlib.import_module("yaml")  # installed with Conan, has no types
BUNDLES = f"{STATE}/{FOLDER}"
SUMMARY = 'buildtool report --markdown >>"$GITHUB_STEP_SUMMARY"'
FILES = {"github": ".github/workflows/buildtool.yml", "gitlab": ".gitlab-ci.yml"}


def workflow(project: Path, service: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((project / FILES[service]).read_text())
    return found


def commands(project: Path, service: str) -> list[str]:
    found = workflow(project, service)
    if service == "gitlab":
        return [str(line) for line in found["release"]["script"]]
    return [step["run"] for step in found["jobs"]["release"]["steps"] if "run" in step]


@pytest.mark.parametrize(
    "service",
    [
        pytest.param("github", marks=pytest.mark.long),
        pytest.param("gitlab", marks=pytest.mark.long),
    ],
)
def test_the_commands_of_a_workflow_work_with_a_stand_in_for_apt_and_pip(
    service: str, tmp_path: Path, buildtool: Buildtool
) -> None:
    root = tmp_path / "demo"
    done = buildtool("init", "--template", "hvx", "--ci", service, str(root), cwd=tmp_path)
    assert (done.returncode, f"{FILES[service]}\n" in done.stdout) == (0, True), done.stderr
    stand_ins = tmp_path / "bin"
    stand_ins.mkdir()
    for name in ("apt-get", "pip", "sudo"):
        (stand_ins / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{tmp_path}/installed\n')
        (stand_ins / name).chmod(0o755)
    path = f"{stand_ins}:{Path(sys.executable).parent}:{os.environ['PATH']}"

    output = ""
    for command in commands(root, service):
        step = subprocess.run(
            ["sh", "-euc", command],
            cwd=root,
            env={
                **{**os.environ, "PATH": path, "BUILDTOOL": "hexagon-buildtool"},
                "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert step.returncode == 0, step.stderr
        output += step.stdout

    assert "1 of 1 tests succeeded on sim" in output
    assert (root / "debug/dsp/v68/libdemo_dsp_skel.so.debug").is_file()
    assert not [path for path in (root / "debug").rglob("*") if path.is_symlink()]
    assert "<testcase" in (root / "results.xml").read_text()
    assert (root / "dist/demo-0.1.0-sim.tar.zst").is_file()
    installed = (tmp_path / "installed").read_text()
    assert "qemu-user libc6-arm64-cross" in installed
    assert "pip install hexagon-buildtool" in installed
    if service == "github":
        assert "- Tests: ✅ 1 of 1 succeeded" in (tmp_path / "summary.md").read_text("utf-8")


def test_both_run_the_same_and_keep_the_cache_the_release_and_bundles(
    tmp_path: Path, buildtool: Buildtool
) -> None:
    buildtool("init", "demo", cwd=tmp_path)
    for service in FILES:
        buildtool("init", "--ci", service, cwd=tmp_path / "demo")
    steps = workflow(tmp_path / "demo", "github")["jobs"]["release"]["steps"]
    used = {step["uses"].partition("@")[0]: step["with"] for step in steps if "with" in step}
    kept = used["actions/cache"]["path"].splitlines()
    assert kept == ["~/.cache/buildtool", "!~/.cache/buildtool/toolchains"]
    uploads = [step for step in steps if step.get("uses", "").startswith("actions/upload-artifact")]
    places = [(step.get("if"), step["with"]["path"]) for step in uploads]
    bundles = ("failure()", f"{BUNDLES}/")
    assert places == [
        *(("always()", "results.xml"), bundles),
        *((None, "dist/"), (None, "debug/")),
    ]
    assert [step["with"].get("include-hidden-files") for step in uploads] == [
        None,
        True,
        None,
        True,
    ]
    of_github, of_gitlab = (commands(tmp_path / "demo", service) for service in FILES)
    assert [command.replace("sudo ", "") for command in of_github] == [*of_gitlab, SUMMARY]
    job = workflow(tmp_path / "demo", "gitlab")["release"]
    assert job["cache"]["paths"] == [".cache/buildtool"]
    assert job["artifacts"] == {
        "when": "always",
        "paths": ["dist/", "debug/", "report.html", f"{BUNDLES}/"],
        "reports": {"junit": "results.xml"},
    }
    assert job["after_script"] == [
        "buildtool report --output report.html",
        "rm -rf .cache/buildtool/toolchains",
    ]


def test_a_target_for_phones_is_built_and_packaged_only(
    tmp_path: Path, buildtool: Buildtool
) -> None:
    buildtool("init", "demo", cwd=tmp_path)
    root = tmp_path / "demo"
    file = root / "buildtool.toml"
    text = (
        file.read_text()
        .replace("[target.sim]", "[target.phone]")
        .replace("ubuntu-aarch64", "android")
    )
    file.write_text(text.replace("[project]", '[project]\ndefault-target = "phone"'))
    done = buildtool("init", "--ci", "github", cwd=root)
    assert done.returncode == 0, done.stderr
    assert commands(root, "github") == [
        'pip install "$BUILDTOOL"',
        "buildtool build phone",
        "buildtool package phone",
        "cp -RL .buildtool/debug/phone debug",
        SUMMARY,
    ]


def test_errors(tmp_path: Path, buildtool: Buildtool) -> None:
    done = buildtool("init", "--ci", "github", cwd=tmp_path)
    assert (done.returncode, "there is no buildtool.toml in" in done.stderr) == (2, True)
    buildtool("init", "demo", cwd=tmp_path)
    done = buildtool("init", "--ci", "jenkins", cwd=tmp_path / "demo")
    assert (done.returncode, "Take one of: github, gitlab." in done.stderr) == (2, True)
    (tmp_path / "demo" / ".gitlab-ci.yml").write_text("mine")
    done = buildtool("init", "--ci", "gitlab", cwd=tmp_path / "demo")
    assert (done.returncode, "already exists" in done.stderr) == (2, True)
    assert (tmp_path / "demo" / ".gitlab-ci.yml").read_text() == "mine"


def test_prebuilt_files_get_the_cxx_library(tmp_path: Path, buildtool: Buildtool) -> None:
    project = '[project]\nname = "it"\n[host.it]\nfiles = ["lib/*.so"]\n'
    (tmp_path / "buildtool.toml").write_text(project)
    buildtool("init", "--ci", "github", cwd=tmp_path)

    text = (tmp_path / FILES["github"]).read_text()
    assert "qemu-user libc6-arm64-cross libstdc++6-arm64-cross\n" in text
