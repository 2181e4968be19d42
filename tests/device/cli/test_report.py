"""`buildtool report` of a project that was built, tested, run and measured on sim."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from tests.project import Project


@pytest.fixture
def project(tmp_path: Path, earlier_builds: Path) -> Project:
    """The template's project."""
    project = Project(tmp_path / "my-project", cache=earlier_builds)
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    return project


def text_of(page: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", page))


def test_what_happened_is_in_the_report(project: Project) -> None:
    project.succeeds("test", "sim")
    project.succeeds("bench", "sim")
    project.succeeds("run", "sim", "--profile")
    project.edit("dsp/src/my_project_dsp_imp.c", "i + LANES <= a_len; i +=", "i < 9 * a_len; i +=")
    assert project.run("run", "sim", "--strict").returncode == 1
    fails = 'int main(void)\n{\n    if (puts("not today")) return 3;'
    project.edit("host/src/main.c", "int main(void)\n{", fails)
    assert project.run("test", "sim").returncode == 1
    assert project.run("run", "sim").returncode == 3

    (file,) = project.succeeds("report").split()
    text = " ".join(text_of(Path(file).read_text("utf-8")).split())
    markdown = project.succeeds("report", "--markdown")

    assert file == str(project.root / ".buildtool/report.html")
    assert "host/src/main.c changed: " in text
    assert "test/verified sim QCS6490 ✗ failed 1 of 2 " in text
    assert "flaky 0" not in text
    assert re.search(r"run bin/\S+ on sim: exit status 3", text)
    assert re.search(
        r"buffer [\d,]+ bytes? past the end of parameter '\w+' of my_project_dsp_scale_add"
        r" \(\w+, 2,048 bytes\) at my_project_dsp_scale_add \(my_project_dsp_imp\.c:\d+\)",
        text,
    )
    assert "test/verified on sim QCS6490: failed" in text
    assert "last line not today" in text
    assert "my_project_dsp_scale_add" in text
    assert "Functions of the last profile of the DSP" in text
    assert 'href="profile/dsp.svg"' in Path(file).read_text("utf-8")
    assert re.search(r"Slices of sim, .* compared with ", text)
    assert "- Tests: ❌ 0 of 1 succeeded, 0 flaky" in markdown
    assert re.search(r"\| host \| 2 \| .* \| (⚠️ \+|✅ −)[\d.]+ (B|KiB) \|", markdown)


def test_options(project: Project) -> None:
    shown = project.succeeds("report", "--output", "out.html")
    both = project.run("report", "--markdown", "-o", "out.html")
    folder = project.run("report", "-o", "host")

    assert shown == f"{project.root}/out.html\n"
    assert "No build is recorded" in (project.root / "out.html").read_text("utf-8")
    assert (both.returncode, "--output cannot be used with" in both.stderr) == (2, True)
    assert (folder.returncode, "it is not a file" in folder.stderr) == (2, True)
