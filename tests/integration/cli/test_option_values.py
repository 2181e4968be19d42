"""Wrong values of options are refused before anything is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import Buildtool


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("run sim --strict=front", 125, "error: Option '--strict' does not take a value."),
        ("test sim --strict --strict-front", 2, "error: --strict cannot be used with --strict-f"),
        ("test --export out", 2, "error: the export is incomplete"),
        ("test --for qdc:SM8750", 2, "error: the export is incomplete"),
        ("test --export out --for qdc", 2, "error: --for qdc: it names no device"),
        ("test --export out --for ec2:x", 2, "error: --for ec2:x: it names no service"),
        ("test --export out --for lava:a,b", 2, "a job of lava has one device"),
        ("test --export out --for google-device-run:a", 2, "the target is for ubuntu-aarch64"),
        ("test --export . --for lava:a", 2, "error: --export .: it is not an export of tests"),
        ("test --export out --for lava:a --list", 2, "--export cannot be used with --list"),
        ("test --export out --import out", 2, "error: out is not an export of tests"),
        ("test --log-url https://ci.example", 2, "error: --log-url is without a matrix"),
        ("test --markdown buildtool.toml", 2, "buildtool.toml: it is not a directory"),
        ("run sim --wait", 125, "error: Option '--wait' requires an argument."),
        ("run sim --wait=soon", 125, "Without a limit: --wait forever"),
        ("run sim --bundle-file=", 125, "error: --bundle-file= has no value"),
        ("run sim --bundle-file=absent/x.zip", 125, "there is no directory "),
        ("run sim --pull=:trace", 125, "error: --pull ':trace': a file has the form"),
        ("run sim --pull=/", 125, "error: --pull '/': a file has the form"),
        ("run sim --pull=a:dsp", 125, "error: --pull a:dsp: dsp is a directory"),
        ("run sim --pull=a:no/b", 125, "error: --pull a:no/b: no/b is in no directory that exists"),
        ("cache gc --limit=", 2, "error: --limit= has no value"),
        ("cache gc --limit=5", 2, "error: --limit: '5' is not a size"),
    ],
)
def test_a_wrong_value(
    command: str, status: int, said: str, sample: Path, buildtool: Buildtool
) -> None:
    before = sorted(sample.rglob("*"))
    done = buildtool(*command.split(), cwd=sample)
    assert (done.returncode, done.stdout) == (status, "")
    assert said in done.stderr
    assert sorted(sample.rglob("*")) == before


def test_an_empty_path_is_not_pulled(sample: Path, buildtool: Buildtool) -> None:
    done = buildtool("run", "sim", "--pull", "", cwd=sample)
    assert done.returncode == 125
    assert "error: --pull '': a file has the form FILE or FILE:HERE" in done.stderr
    assert not (sample / ".buildtool").exists()
