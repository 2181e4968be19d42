"""A failed test that names a file of this machine, which the device does not have, is explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.testing.deployment import PathMap
from buildtool.testing.unsent_files import ARGUMENT, MOST, Hints, SentFiles

THERE = "/data/p+tests/releases/1f"
ADD = "add it to 'test-files' of [dsp.app]"
BUILD = "p/.buildtool/build/app"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A directory with spaces, and in it a project."""
    folder = tmp_path / "of a+b"
    for name in ("p/shared.txt", "p/src/a.bin", "p/src/sent.bin", f"{BUILD}/copied.txt"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (folder / "outside.txt").touch()
    return folder


def hints(here: Path, *, is_here: bool = False) -> Hints:
    tests = "tests/app"
    paths = PathMap(
        {
            f"{here}/p": f"{tests}/project",
            f"{here}/p/src": f"{tests}/source",
            f"{here}/{BUILD}": f"{tests}/build",
        }
    )
    sent = SentFiles("dsp.app", THERE, paths, {f"{tests}/source/sent.bin"}, is_here)
    return Hints(sent, (f"{here}/{BUILD}", f"{here}/p/src"), ("old/*",))


def explained(here: Path, output: str, *missing: str, is_here: bool = False) -> list[str]:
    return hints(here, is_here=is_here).add("t", output, f"{here}/{BUILD}", missing)


@pytest.mark.parametrize(
    ("output", "file", "what"),
    [
        ("copied.txt: No such file or directory", f"{BUILD}/copied.txt", ADD),
        ("cannot open './copied.txt'.\n", f"{BUILD}/copied.txt", ADD),
        ("no ../../../src/a.bin", "p/src/a.bin", ADD),
        (f"no {THERE}/tests/app/source/a.bin.", "p/src/a.bin", ADD),
        (f"path={THERE}/tests/app/build/copied.txt\n", f"{BUILD}/copied.txt", ADD),
        (f'"{THERE}/tests/app/project/shared.txt"', "p/shared.txt", ARGUMENT),
        ("(HERE/p/src/a.bin)", "p/src/a.bin", ARGUMENT),
        ("HERE/p/src/sent.bin: missing", "p/src/sent.bin", ARGUMENT),
    ],
)
def test_files_that_the_device_does_not_have(here: Path, output: str, file: str, what: str) -> None:
    found = explained(here, output.replace("HERE", str(here)))
    assert found == [f"the device has no {here}/{file}: {what}"]


@pytest.mark.parametrize(
    "output",
    [
        "",
        "sent.bin",
        "../../../src/sent.bin",
        f"{THERE}/tests/app/source/sent.bin",
        "HERE/p/src/a.bin:12: Failure",
        "../../../src/a.bin(7): error",
        "HERE/p/src/none.bin",
        "HERE/outside.txt",
        "HERE/p/src/../../outside.txt",
        "../../../../outside.txt",
        "/etc/passwd ../../../../../../../../../../etc/passwd",
        f"copied.txt\0 {'x./' * 5000}",
        ". .. / ./ ...",
        "\udcff.\udc80/",
        "@" * 100_000 + ":1",
    ],
)
def test_what_is_no_explanation(here: Path, output: str) -> None:
    assert explained(here, output.replace("HERE", str(here))) == []


def test_a_device_that_is_here_has_the_files_of_this_machine(here: Path) -> None:
    output = f"{here}/p/src/a.bin and copied.txt"
    found = explained(here, output, is_here=True)
    assert found == [f"the device has no {here}/{BUILD}/copied.txt: {ADD}"]


def test_a_few_files_are_named_once(here: Path) -> None:
    for number in range(9):
        (here / f"p/src/{number}.bin").touch()
    output = "".join(
        f"../../../src/{number}.bin {'x' * 999}\n" for number in range(9) for _ in "ab"
    )
    assert len(set(explained(here, output))) == MOST


@pytest.mark.parametrize(
    ("missing", "file", "what"),
    [
        ("source/a.bin", "p/src/a.bin", ADD),
        ("build/copied.txt", f"{BUILD}/copied.txt", ADD),
        ("project/shared.txt", "p/shared.txt", ARGUMENT),
        ("project", "", ""),
        ("source/none.bin", "", ""),
    ],
)
def test_paths_that_a_program_opens_in_vain(here: Path, missing: str, file: str, what: str) -> None:
    found = explained(here, "", f"{THERE}/tests/app/{missing}", "/etc/none", is_here=True)
    assert found == ([f"the device has no {here}/{file}: {what}"] if file else [])


def test_test_files_are_proposed_for_all_tests(here: Path) -> None:
    for name in ("data/[1]/x.json", "data/[1]/y.json", "data/plain", "only/a/file"):
        file = here / "p/src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    found = hints(here)
    assert found.proposal() == ""
    for number, name in enumerate(
        (
            "source/data/[1]/x.json",
            "source/data/[1]/y.json",
            "source/data/plain",
            "source/only",
            "source/a.bin",
            "build/copied.txt",
            "project/shared.txt",
        )
    ):
        assert found.add(f"t{number}", "", str(here), [f"{THERE}/tests/app/{name}"])
    assert found.proposal() == (
        "7 tests look for files that the device does not have. In buildtool.toml:\n"
        "  [dsp.app]\n"
        '  test-files = ["old/*", "a.bin", "copied.txt", "data/[[]1]/*.json", "data/plain", "only"]'
    )
