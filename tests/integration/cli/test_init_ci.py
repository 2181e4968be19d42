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
from tests.command_line import REPOSITORY, Buildtool

yaml: Any = importlib.import_module("yaml")  # installed with Conan, has no types
BUNDLES = f"{STATE}/{FOLDER}"
SUMMARY = 'buildtool report --markdown >>"$GITHUB_STEP_SUMMARY"'
FILES = {"github": ".github/workflows/buildtool.yml", "gitlab": ".gitlab-ci.yml"}


def stand_ins(directory: Path) -> dict[str, str]:
    """An environment whose programs that install something write that to `directory/installed`."""
    programs = directory / "bin"
    programs.mkdir()
    for name in ("apt-get", "pip", "sudo"):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{directory}/installed\n')
        (programs / name).chmod(0o755)
    path = f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path}


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
    environment = stand_ins(tmp_path)

    output = ""
    for command in commands(root, service):
        step = subprocess.run(
            ["sh", "-euc", command],
            cwd=root,
            env={
                **environment,
                "BUILDTOOL": "hexagon-buildtool",
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


@pytest.mark.parametrize("service", FILES)
@pytest.mark.parametrize("shards", ["0", "2"])
def test_jobs_in_an_image_install_nothing(
    service: str, shards: str, tmp_path: Path, buildtool: Buildtool
) -> None:
    image = "registry.example.com:5000/team/buildtool@sha256:0a"
    options = ("--ci", service, "--shards", shards, "--image", image)
    done = buildtool("init", "--template", "hvx", *options, "demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "demo" / FILES[service]).read_text()
    for word in ("pip install", "apt-get", "python", "sudo"):
        assert word not in text
    found = workflow(tmp_path / "demo", service)
    if service == "github":
        assert {job["container"] for job in found["jobs"].values()} == {image}
    else:
        assert image in (found.get("default", {}).get("image"), found["release"].get("image"))
    for wrong in ("a b", "-x", "a\nb", ""):
        refused = buildtool("init", "--ci", service, f"--image={wrong}\x1b", cwd=tmp_path / "demo")
        assert refused.returncode != 0
        assert "\x1b" not in refused.stderr


def test_the_action_installs_what_the_lock_says_stand_in(tmp_path: Path) -> None:
    action: dict[str, Any] = yaml.safe_load((REPOSITORY / "action/action.yml").read_text())
    (command,) = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    place = {"GITHUB_ACTION_PATH": str(REPOSITORY / "action")}
    subprocess.run(["sh", "-euc", command], env={**stand_ins(tmp_path), **place}, check=True)
    installed = (tmp_path / "installed").read_text().splitlines()
    assert installed[-2:] == [
        "pip install --require-hashes --requirement requirements.lock",
        "pip install --no-deps --no-build-isolation .",
    ]


def test_packages_of_workflows_are_those_of_the_setup(tmp_path: Path, buildtool: Buildtool) -> None:
    done = buildtool("init", "--template", "hvx", "--ci", "github", "demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (line,) = [text for text in commands(tmp_path / "demo", "github") if "apt-get install" in text]
    setup = (REPOSITORY / "scripts" / "setup").read_text().partition("= tests ]")[0]
    for package in line.split("--no-install-recommends ")[1].split():
        assert f"need {package}\n" in setup
