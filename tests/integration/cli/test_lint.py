"""`buildtool lint` of projects: templates, this repository, git, the last release."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import REPOSITORY, Buildtool, Edit

WRONG = "int f(void *p) { return HAP_power_set(&p, 0); }\n"


def lint(buildtool: Buildtool, root: Path, *words: str) -> dict[str, Any]:
    done = buildtool("lint", *words, "--json", cwd=root)
    document: dict[str, Any] = json.loads(done.stdout)
    assert done.stderr == ""
    assert done.returncode == bool(document["findings"])
    return document


def places(document: dict[str, Any]) -> list[str]:
    return [f"{each['path']}:{each['line']}" for each in document["findings"]]


def git(root: Path, *words: str) -> None:
    own = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *own, *words], cwd=root, check=True, capture_output=True)


@pytest.mark.parametrize("template", ["hvx", "float", "cpp", "wheel", "dsp-tests", "android"])
def test_nothing_is_found_in_a_template(
    template: str, buildtool: Buildtool, tmp_path: Path
) -> None:
    buildtool("init", "--template", template, "my-project", cwd=tmp_path)

    document = lint(buildtool, tmp_path / "my-project")

    assert document["files"] >= 3
    assert document["findings"] == []
    assert document["skipped"] == []


def test_nothing_is_found_in_this_repository(buildtool: Buildtool) -> None:
    document = lint(buildtool, REPOSITORY)
    all_of_it = lint(buildtool, REPOSITORY, "buildtool", "cmake", "dsp", "host", "emulator")

    assert document["findings"] == all_of_it["findings"] == []
    assert document["files"] > 50
    assert all_of_it["files"] > 250
    assert all("@IDENT@" in each["path"] for each in all_of_it["skipped"])


def test_a_project_and_parts_of_it(buildtool: Buildtool, project: Path) -> None:
    (project / "dsp/src/wrong.c").write_text(WRONG)
    (project / "scripts").mkdir()
    (project / "scripts/run.sh").write_text("#!/bin/sh\nexport ADSP_LIBRARY_PATH=/a:/b\n")
    (project / ".buildtool/build").mkdir(parents=True)
    (project / ".buildtool/build/copy.sh").write_text("export ADSP_LIBRARY_PATH=/a:/b\n")
    both = ["dsp/src/wrong.c:1", "scripts/run.sh:2"]

    assert places(lint(buildtool, project)) == both
    assert places(lint(buildtool, project, "dsp")) == both[:1]
    assert places(lint(buildtool, project / "dsp", "../scripts/run.sh")) == both[1:]
    assert places(lint(buildtool, project, "host")) == []
    done = buildtool("lint", cwd=project)
    assert "dsp/src/wrong.c:1:25: warning: HAP_power_set gets the address of `p`" in done.stdout


def test_what_the_rest_of_the_project_does_counts_for_a_part(
    buildtool: Buildtool, project: Path
) -> None:
    (project / "host/src/map.c").write_text("void f(void) { fastrpc_mmap(3, fd, p, 0, n, 2); }\n")
    assert places(lint(buildtool, project, "host/src/map.c")) == ["host/src/map.c:1"]

    (project / "host/src/unmap.c").write_text("void g(void) { fastrpc_munmap(3, fd, p, n); }\n")
    assert places(lint(buildtool, project, "host/src/map.c")) == []


def test_prebuilt_components_have_no_sources(buildtool: Buildtool, project: Path) -> None:
    with (project / "buildtool.toml").open("a") as file:
        file.write('\n[host.tools]\nfiles = ["tools/*"]\n')
    (project / "tools").mkdir()
    (project / "tools/wrong.c").write_text(WRONG)

    assert places(lint(buildtool, project)) == []


def test_what_git_ignores_is_not_checked(buildtool: Buildtool, project: Path) -> None:
    (project / "dsp/generated").mkdir()
    (project / "dsp/generated/wrong.c").write_text(WRONG)
    assert places(lint(buildtool, project)) == ["dsp/generated/wrong.c:1"]

    git(project, "init", "-q")
    (project / ".gitignore").write_text("generated/\n")
    assert places(lint(buildtool, project)) == []
    done = buildtool("lint", "--json", cwd=project, environment={"GIT_DIR": "elsewhere"})
    assert places(json.loads(done.stdout)) == []  # as in a hook of git


def test_without_git_the_project_is_searched(
    buildtool: Buildtool, project: Path, tmp_path: Path
) -> None:
    (project / "dsp/src/wrong.c").write_text(WRONG)
    (project / "dsp/build").mkdir()
    (project / "dsp/build/CMakeCache.txt").touch()
    (project / "dsp/build/wrong.c").write_text(WRONG)

    done = buildtool(
        "lint", "--json", cwd=project, environment={"PATH": str(tmp_path / "no programs")}
    )

    assert places(json.loads(done.stdout)) == ["dsp/src/wrong.c:1"]


def test_the_last_release(buildtool: Buildtool, project: Path, tmp_path: Path, edit: Edit) -> None:
    idl = project / "dsp/demo_dsp.idl"
    method = "AEEResult first(in long a);\n    AEEResult "
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    git(project, "tag", "v1")
    copy = tmp_path / "copy" / "dsp"
    copy.mkdir(parents=True)
    (copy / idl.name).write_text(idl.read_text())
    edit(idl, "AEEResult ", method)

    # Without an IDL_VERSION, interfaces are compared only if that is asked for.
    assert places(lint(buildtool, project)) == []
    for against in ("v1", "HEAD", str(copy.parent), str(copy / idl.name)):
        (finding,) = lint(buildtool, project, "--against", against)["findings"]
        assert finding["path"] == "dsp/demo_dsp.idl"
        assert "set IDL_VERSION to 1.0.0" in finding["remedy"]

    edit(idl, "\ninterface", '\nconst string IDL_VERSION = "1.0.0";\n\ninterface')
    assert places(lint(buildtool, project, "--against", "v1")) == []
    git(project, "commit", "-qam", "second")
    git(project, "tag", "v2")
    edit(idl, method, "AEEResult ")
    findings = lint(buildtool, project)["findings"]  # against the newest tag
    assert {finding["message"] for finding in findings} == {
        "method first is gone",
        "the number of method scale_add changed",
    }
    assert all("set IDL_VERSION to 2.0.0" in finding["remedy"] for finding in findings)


def test_a_release_that_does_not_exist(buildtool: Buildtool, project: Path) -> None:
    git(project, "init", "-q")
    (project / "other.idl").write_text("interface other { long f(); };")

    for against, message in (
        ("v9", "'v9' names no commit"),
        ("--output=x", "names no commit"),
        ("other.idl", "the project has no interface of this name"),
    ):
        done = buildtool("lint", f"--against={against}", cwd=project)
        assert done.returncode == 2
        assert message in done.stderr
        assert "Traceback" not in done.stderr


def test_scripts_of_every_kind(buildtool: Buildtool, tmp_path: Path) -> None:
    line = "export ADSP_LIBRARY_PATH=/a:/b\n"
    texts = {
        "a.bash": line,
        "deploy": f"#!/bin/sh\n{line}",
        "on device/run": f"#!/usr/bin/env bash\n{line}",
        "push": f"#!/system/bin/sh\n{line}",
        "tool": f"#!/usr/bin/env python3\n{line}",
        "shebang": f"#!/usr/bin/fishy\n{line}",
        "README": line,
        "empty": "",
        "large.c": "a" * (3 << 20),
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    document = lint(buildtool, tmp_path, ".")

    assert places(document) == ["a.bash:1", "deploy:2", "on device/run:2", "push:2"]
    assert [each["path"] for each in document["skipped"]] == ["large.c"]
    assert places(lint(buildtool, tmp_path, "deploy")) == ["deploy:2"]
    assert buildtool("lint", "README", cwd=tmp_path).returncode == 2
    assert buildtool("lint", "large.c", cwd=tmp_path).returncode == 1
    for name in ("a.bash", "deploy", "on device/run", "push"):
        (tmp_path / name).unlink()
    assert buildtool("lint", ".", cwd=tmp_path).returncode == 0


# Of each place of an assignment: wrong, and as the remedy for that place says.
REMEDIES = {
    "export ADSP_LIBRARY_PATH=/a:/b; app": 'export ADSP_LIBRARY_PATH="/a;/b"; app',
    "ADSP_LIBRARY_PATH=/a;/b app": 'ADSP_LIBRARY_PATH="/a;/b" app',
    'adb shell "cd / && ADSP_LIBRARY_PATH=/a;/b app"': (
        'adb shell "cd / && ADSP_LIBRARY_PATH=\\"/a;/b\\" app"'
    ),
    "adb shell 'ADSP_LIBRARY_PATH=/a:/b app'": "adb shell 'ADSP_LIBRARY_PATH=\"/a;/b\" app'",
    'adb shell ADSP_LIBRARY_PATH="/a;/b" app': "adb shell 'ADSP_LIBRARY_PATH=\"/a;/b\" app'",
    'adb -s X shell ADSP_LIBRARY_PATH="$A:$B" app': (
        "adb -s X shell \"ADSP_LIBRARY_PATH='$A;$B' app\""
    ),
    'ssh -p 22 q6a ADSP_LIBRARY_PATH="/a;/b" app': (
        "ssh -p 22 q6a 'ADSP_LIBRARY_PATH=\"/a;/b\" app'"
    ),
    'CMD="ADSP_LIBRARY_PATH=/a;/b app"; adb shell "$CMD"': (
        'CMD="ADSP_LIBRARY_PATH=\\"/a;/b\\" app"; adb shell "$CMD"'
    ),
}
SHELLS = """\
app() { printf '<%s>' "$ADSP_LIBRARY_PATH"; }
other() { eval "$*"; }
adb() { while [ "$1" != shell ]; do shift; done; shift; other "$@"; }
ssh() { shift 3; other "$@"; }
A=/a B=/b
"""
"""What adb and ssh do with arguments: another shell gets them with blanks between them."""


@pytest.mark.parametrize("wrong", REMEDIES)
def test_a_remedy_is_clean_and_does_the_right_thing(
    wrong: str, buildtool: Buildtool, tmp_path: Path
) -> None:
    printed = {}
    for text in (wrong, REMEDIES[wrong]):
        (tmp_path / "run.sh").write_text(text + "\n")
        done = subprocess.run(
            ["sh", "-c", f"{SHELLS}{text}"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        printed[text] = (done.stdout, len(lint(buildtool, tmp_path, "run.sh")["findings"]))

    assert printed[REMEDIES[wrong]] == ("</a;/b>", 0)
    assert printed[wrong][0] != "</a;/b>"
    assert printed[wrong][1] == 1
