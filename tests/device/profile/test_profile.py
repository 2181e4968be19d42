"""`run sim --profile`: a planted hot loop is named; counts are exact; files are for other tools."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import REPOSITORY
from tests.device.qemu import newer_qemu
from tests.json_documents import validate
from tests.project import Project

from .conftest import HOT, KERNEL

SVG = "{http://www.w3.org/2000/svg}"
PLUGINS = REPOSITORY / ".venv/qemu"  # is there when the installed QEMU is an old one, with plugins


def hot_line(project: Project) -> int:
    """The number of the line that the loop executes."""
    return (project.root / KERNEL).read_text().split("\n").index(HOT.rstrip("\n")) + 1


def profile(project: Project, *options: str) -> dict[str, Any]:
    output = project.succeeds("run", "sim", "--profile", "--json", *options)
    document: dict[str, Any] = json.loads(output)
    validate("run", document)
    return document


def functions(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in document["profile"]["functions"]}


def test_a_hot_loop_is_named_with_its_line(project: Project, tmp_path: Path) -> None:
    done = project.run("run", "sim", "--profile-dir", str(tmp_path), "--annotate", "mix")
    found = functions(json.loads((tmp_path / "dsp.json").read_text().join(('{"profile":', "}"))))
    first = next(iter(found.values()))

    assert done.returncode == 0, done.stderr
    assert first["name"] == "mix"
    assert (first["file"], first["line"]) == (KERNEL, hot_line(project))
    assert first["self_samples"] > 0.8 * sum(row["self_samples"] for row in found.values())
    assert found["mix_few"]["total_samples"] > found["mix_few"]["self_samples"]
    table = done.stderr.partition("function ")[2].split("\n")
    assert table[1].split()[0] == "mix"
    assert table[1].endswith(f"_imp.c:{hot_line(project)}")
    assert max(map(len, table[:12])) <= 80
    assert "time of the emulator" in done.stderr
    annotated = done.stderr.partition("mix, libmy_project_dsp_skel.so+0x")[2]
    assert f"my_project_dsp_imp.c:{hot_line(project)}  {HOT.strip()}" in annotated


@pytest.mark.skipif(not PLUGINS.is_dir(), reason="the installed QEMU loads no plugins")
def test_packets_of_functions_are_exact(project: Project) -> None:
    runs = [profile(project) for _ in range(10)]
    found = [functions(run) for run in runs]
    plain = json.loads(project.succeeds("run", "sim", "--json"))
    packets = [
        {name: (row["packets"], row["instructions"], row["hvx"]) for name, row in rows.items()}
        for rows in found
    ]
    counted = [{name: row for name, row in rows.items() if row[0]} for rows in packets]

    assert all(run["profile"]["uncounted"] == "" for run in runs)
    assert all(rows == counted[0] for rows in counted)
    assert all(run["methods"] == plain["methods"] for run in runs)
    (method,) = [row for row in plain["methods"] if row["name"].endswith("scale_add")]
    names = ("mix", "mix_few", "my_project_dsp_scale_add")
    for number, kind in enumerate(("packets", "instructions", "hvx")):
        # The rest are the generated function that calls the method, and memcpy.
        difference = method[kind] - sum(counted[0][name][number] for name in names)
        assert 0 <= difference < 2000, kind
    assert counted[0]["my_project_dsp_scale_add"][2] == method["hvx"] > 0


def test_a_newer_qemu_samples_too(project: Project) -> None:
    qemu = newer_qemu()
    assert qemu is not None, "run scripts/setup"
    text = (project.root / "buildtool.toml").read_text()
    plain = json.loads(project.succeeds("run", "sim", "--json"))
    project.write("buildtool.toml", f'{text}\n[tool.qemu]\npath = "{qemu}"\n')
    document = profile(project)
    first = document["profile"]["functions"][0]

    assert (first["name"], first["file"]) == ("mix", KERNEL)
    assert document["methods"] == plain["methods"]
    if document["profile"]["uncounted"]:
        assert "plugins" in document["profile"]["uncounted"]
        assert first["packets"] is None
        assert first["line"] == hot_line(project)


def test_other_tools_read_the_files(project: Project, tmp_path: Path) -> None:
    document = profile(project, "--profile-dir", str(tmp_path))
    samples = document["profile"]["samples"]
    picture = ET.fromstring((tmp_path / "dsp.svg").read_text())
    titles = [title.text or "" for title in picture.iter(f"{SVG}title")]
    folded = dict(
        line.rsplit(" ", 1) for line in (tmp_path / "dsp.folded").read_text().splitlines()
    )
    speedscope = json.loads((tmp_path / "dsp.speedscope.json").read_text())
    (stacks,) = speedscope["profiles"]
    names = [frame["name"] for frame in speedscope["shared"]["frames"]]

    assert sorted(document["profile"]["files"]) == sorted(map(str, tmp_path.iterdir()))
    assert sum(map(int, folded.values())) == sum(stacks["weights"]) == samples
    assert any(line.endswith("my_project_dsp_scale_add;mix") for line in folded)
    assert any(line.endswith("my_project_dsp_scale_add;mix_few;mix") for line in folded)
    assert [";".join(names[n] for n in stack) for stack in stacks["samples"]] == sorted(
        folded, key=lambda line: line.split(";")
    )
    assert stacks["endValue"] == samples
    assert f"all: {samples:,} of {samples:,} samples, 100.0 %" in titles
    assert any(title.startswith("mix: ") for title in titles)


def test_an_unknown_function_has_a_suggestion(project: Project) -> None:
    done = project.run("run", "sim", "--annotate", "mixx")

    assert done.returncode == 0
    assert "no skel of this release has such a function" in done.stderr
    assert "Did you mean 'mix'?" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--profile", "--debug"), "--debug cannot be used with --profile"),
        (("--profile", "--watch"), "--watch cannot be used with --profile"),
        (
            ("--profile-dir", "buildtool.toml"),
            "--profile-dir buildtool.toml: it is not a directory",
        ),
    ],
)
def test_options_that_exclude_each_other(
    project: Project, options: tuple[str, ...], message: str
) -> None:
    done = project.run("run", "sim", *options)

    assert done.returncode == 125
    assert message in done.stderr
    assert project.run("run", "--on", "sim", "--profile").returncode == 125
