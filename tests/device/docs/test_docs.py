"""The commands in the docs work as printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.caches import share
from tests.command_line import REPOSITORY, Buildtool

DOCS = sorted(REPOSITORY.glob("docs/*.md"))
LONG_PAGES = {"conan.md", "ide.md"}  # other tests run their commands


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def shell(script: str, cwd: Path) -> str:
    """Run `script` with this environment's programs on PATH; returns its output."""
    programs = Path(sys.executable).parent
    done = subprocess.run(
        ["sh", "-euc", script],
        cwd=cwd,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture
def place(tmp_path: Path, buildtool: Buildtool) -> Path:
    """A directory with the virtual environment of the clone, in which the docs' commands run."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


@pytest.fixture
def _cache_of_the_page(doc: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """For most pages, the template as an earlier page has built it will do."""
    if doc.name == "cache.md":  # which looks at all files of the cache: those of zig are very many
        cache = share(tmp_path / "cache", ["emulator"])
        request.getfixturevalue("monkeypatch").setenv("BUILDTOOL_CACHE", str(cache))
    elif doc.name != "build.md":
        request.getfixturevalue("earlier_builds")


@pytest.mark.usefixtures("_cache_of_the_page")
@pytest.mark.parametrize(
    "doc",
    [
        pytest.param(doc, marks=pytest.mark.long if doc.name in LONG_PAGES else ())
        for doc in DOCS
        if blocks(doc.read_text(), "sh") and doc.name not in ("tutorial.md", "wheel.md")
    ],
    ids=lambda doc: doc.name,
)
def test_the_commands_work(doc: Path, place: Path, buildtool: Buildtool) -> None:
    text = doc.read_text(encoding="utf-8")
    buildtool("init", "my-project", cwd=place)
    for source in blocks(text, "idl"):
        (place / "my-project" / "calc.idl").write_text(source)

    shell("\n".join(blocks(text, "sh")), place / "my-project")

    header = place / "my-project" / "out" / "calc.h"
    header_text = " ".join(header.read_text().split()) if header.exists() else ""
    for promised in re.findall(r"^[A-Za-z]+ (calc_\w+)\((.*)\);$", text, flags=re.MULTILINE):
        name, parameters = promised
        assert f"({name})({parameters.replace(' *', '* ')})" in header_text


@pytest.mark.long
@pytest.mark.usefixtures("earlier_builds")
def test_a_wheel_runs_on_sim_in_a_python_of_debian(place: Path) -> None:
    text = (REPOSITORY / "docs" / "wheel.md").read_text()
    on_v79 = """
buildtool run sim --soc SM8750
sed -i s/qcs6490/sm8750/ sim-python
sh sim-python try.py
"""

    try:
        printed = shell("\n".join([*blocks(text, "sh"), "echo v79:", on_v79]), place)
    except AssertionError as error:
        if "Failed to fetch" in str(error):
            pytest.skip("apt-get cannot download an ARM64 Python")
        raise

    (shown,) = [block for block in blocks(text, "") if block.startswith("[")]
    assert f"\n{shown}v79:\n" in printed
    assert printed.endswith(f"\n{shown}")


def test_the_readme_s_own_project(place: Path) -> None:
    text = (REPOSITORY / "README.md").read_text()
    (script,) = blocks(text, "sh")
    after = text[text.index(script) + len(script + "```\n") :]

    assert blocks(after, "")[0] in shell(script, place)


def test_the_readme_s_two_commands_are_the_makefile_s() -> None:
    text = (REPOSITORY / "README.md").read_text()
    makefile = (REPOSITORY / "Makefile").read_text()

    assert blocks(text, "")[0] == "make demo\nmake test\n"
    assert "\ndemo: setup" in makefile
    assert "\ntest: setup-tests" in makefile


def test_every_local_link_leads_somewhere() -> None:
    for doc in [*DOCS, REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md"]:
        text = re.sub(r"^```.*?^```$", "", doc.read_text(), flags=re.DOTALL | re.MULTILINE)
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (doc.parent / link).exists(), f"{doc.name}: {link}"


def test_every_key_of_the_project_file_is_documented() -> None:
    from buildtool.project.model import SECTIONS
    from buildtool.project.schema import json_schema

    text = (REPOSITORY / "docs" / "project-file.md").read_text()
    properties = json_schema()["properties"]
    records = [properties["project"]]
    records += [properties[kind]["additionalProperties"] for kind in SECTIONS]
    for record in records:
        for key in record["properties"]:
            assert f"| `{key}` |" in text, key
