"""`init --ci SERVICE --shards N`: workflows that divide the work among runners."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import parse

import jsonschema
import pytest

from tests.command_line import Buildtool
from tests.integration.cache.remote_nginx import running
from tests.integration.cli.test_init_ci import FILES

yaml: Any = importlib.import_module("yaml")  # installed with Conan, has no types
SCHEMAS = {"github": "github-workflows.json", "gitlab": "gitlab-ci.json"}
TESTS = "".join(f'\n[test.t{number}]\nprogram = "bin/demo"\n' for number in range(3))
COUNT = 2


def written(project: Path, service: str) -> dict[Any, Any]:
    """The workflow, which the schema of its service accepts."""
    found: dict[Any, Any] = yaml.safe_load((project / FILES[service]).read_text())
    schemas = resources.files("check_jsonschema") / "builtin_schemas/vendor"
    schema = json.loads((schemas / SCHEMAS[service]).read_text())
    # "on" is a boolean in YAML 1.1.
    named = {"on" if isinstance(key, bool) else key: value for key, value in found.items()}
    jsonschema.validate(named, schema)
    return found


def jobs(project: Path, service: str) -> dict[str, list[str]]:
    """The commands of each job."""
    found = written(project, service)
    if service == "gitlab":
        return {name: job["script"] for name, job in found.items() if "script" in job}
    return {
        name: [step["run"] for step in job["steps"] if "run" in step]
        for name, job in found["jobs"].items()
    }


@pytest.fixture
def demo(tmp_path: Path, buildtool: Buildtool) -> Path:
    """A project without tests, and without workflows."""
    buildtool("init", "--template", "float", str(tmp_path / "demo"), cwd=tmp_path)
    return tmp_path / "demo"


@pytest.mark.parametrize("tests", [TESTS, ""], ids=["tests", "no tests"])
def test_workflows_are_valid_and_both_services_run_the_same(
    tests: str, demo: Path, buildtool: Buildtool
) -> None:
    file = demo / "buildtool.toml"
    file.write_text(file.read_text().partition("\n[test.")[0] + tests)
    found = {}
    for service in FILES:
        done = buildtool("init", "--ci", service, "--shards", "3", cwd=demo)
        assert done.returncode == 0, done.stderr
        found[service] = jobs(demo, service)
        (demo / FILES[service]).unlink()
        buildtool("init", "--ci", service, cwd=demo)
        written(demo, service)
    ours = {
        name: [command for command in commands if "report" not in command]
        for name, commands in json.loads(
            json.dumps(found["github"])
            .replace("sudo ", "")
            .replace(
                "${{ matrix.shard }}/${{ strategy.job-total }}", "$CI_NODE_INDEX/$CI_NODE_TOTAL"
            )
        ).items()
    }
    assert ours == found["gitlab"]
    assert ("test" in ours) is bool(tests)
    assert ("buildtool run sim --target sim" in ours["release"]) is not bool(tests)


def test_what_depends_on_what(demo: Path, buildtool: Buildtool) -> None:
    with (demo / "buildtool.toml").open("a", encoding="utf-8") as file:
        file.write(TESTS)
    for service in FILES:
        buildtool("init", "--ci", service, "--shards", "3", cwd=demo)
    github = written(demo, "github")["jobs"]
    assert [*github] == ["build", "release", "test"]
    assert github["build"]["strategy"]["matrix"]["shard"] == [1, 2, 3]
    assert github["build"]["continue-on-error"]
    assert (github["release"]["needs"], github["release"]["if"]) == ("build", "${{ !cancelled() }}")
    assert github["test"]["needs"] == "release"
    gitlab = written(demo, "gitlab")
    assert gitlab["stages"] == ["build", "release", "test"]
    assert [gitlab[job]["stage"] for job in gitlab["stages"]] == gitlab["stages"]
    assert [gitlab[job].get("parallel") for job in gitlab["stages"]] == [3, None, 3]
    assert gitlab["build"]["allow_failure"]


def test_shards_are_for_workflows(tmp_path: Path, buildtool: Buildtool) -> None:
    done = buildtool("init", "--shards", "3", str(tmp_path / "demo"), cwd=tmp_path)
    assert (done.returncode, "--shards is for --ci" in done.stderr) == (2, True)
    done = buildtool("init", "--ci", "github", "--shards", "201", cwd=tmp_path)
    assert done.returncode == 2
    assert not (tmp_path / "demo").exists()


@pytest.mark.long
@pytest.mark.parametrize("service", [*FILES])
def test_the_commands_work_with_stand_ins_for_apt_and_pip(
    service: str, demo: Path, tmp_path: Path, buildtool: Buildtool
) -> None:
    with (demo / "buildtool.toml").open("a", encoding="utf-8") as file:
        file.write(TESTS)
    buildtool("init", "--ci", service, "--shards", str(COUNT), cwd=demo)
    stand_ins = tmp_path / "bin"
    stand_ins.mkdir()
    for name in ("apt-get", "pip", "sudo"):
        (stand_ins / name).write_text("#!/bin/sh\n")
        (stand_ins / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{stand_ins}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "BUILDTOOL": "hexagon-buildtool",
        "BUILDTOOL_REMOTE_CACHE_MODE": "read-write",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }

    def run(job: str, index: int = 1, total: int = 1) -> str:
        numbers = {"CI_NODE_INDEX": str(index), "CI_NODE_TOTAL": str(total)}
        script = "\n".join(jobs(demo, service)[job])
        script = script.replace("${{ matrix.shard }}", str(index))
        done = subprocess.run(
            ["sh", "-euc", script.replace("${{ strategy.job-total }}", str(total))],
            cwd=demo,
            env=environment | numbers,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    with running(tmp_path / "nginx") as nginx:
        environment["BUILDTOOL_REMOTE_CACHE"] = nginx.url
        for index in range(1, COUNT + 1):
            assert f"shard {index}/{COUNT}" in run("build", index, COUNT)
        run("release")
        assert [*(demo / "dist").iterdir()]
        ran: Counter[str] = Counter()
        for index in range(1, COUNT + 1):
            run("test", index, COUNT)
            cases = parse(demo / "results.xml").iter("testcase")
            ran.update(case.get("name", "") for case in cases)
    assert ran == {"t0": 1, "t1": 1, "t2": 1, "verified": 1}
