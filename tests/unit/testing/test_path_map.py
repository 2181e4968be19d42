"""Paths of this machine become those of the device, wherever arguments and variables have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.testing.deployment import PathMap

MAP = PathMap({"/p": "/d/project", "/p/src": "/d/source", "/p/.b/a+b (1)": "/d/build"})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("/p/src/x", "/d/source/x"),
        ("/p/src", "/d/source"),
        ("/p/srcs/x", "/d/project/srcs/x"),
        ("/p/.b/a+b (1)/x y", "/d/build/x y"),
        ("--data=/p/src/x", "--data=/d/source/x"),
        ("--out=xml:/p/.b/a+b (1)/o.xml", "--out=xml:/d/build/o.xml"),
        ("-I/p/src/include", "-I/d/source/include"),
        ("/p/src/a:/p/x;/usr/lib", "/d/source/a:/d/project/x;/usr/lib"),
        ('{"file": "/p/src/x"}', '{"file": "/d/source/x"}'),
        ("/usr/p/src", "/usr/p/src"),
        ("./p/src", "./p/src"),
        ("a/p/src", "a/p/src"),
        ("/px", "/px"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_text(text: str, wanted: str) -> None:
    assert MAP.text(text) == wanted


def test_arguments_that_lead_out_of_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "x").touch()
    paths = PathMap({f"{tmp_path}/.b/a": "/d/build", str(tmp_path): "/d/source"})
    folder = f"{tmp_path}/.b/a/tests"
    assert paths.argument("../../../data/x", folder) == "../../source/data/x"
    assert paths.argument(f"{tmp_path}/data/x", folder) == "/d/source/data/x"
    for text in ("../../../data/none", "../../../../x", "..", "data/x", "-"):
        assert paths.argument(text, folder) == text
    assert PathMap({}).argument("../data/x", str(tmp_path / ".b")) == "../data/x"


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/p/src/../data/x", "/d/project/data/x"),
        ("/p/src/.", "/d/source"),
        ("/p/.b/a+b (1)/x", "/d/build/x"),
        ("/q", ""),
        ("/", ""),
    ],
)
def test_path(path: str, wanted: str) -> None:
    assert MAP.path(path) == wanted


def test_named_paths() -> None:
    text = "--a=/p/src/x y,/p/src/../z:/usr/lib:/p/.b/a+b (1)"
    assert list(MAP.named_in(text)) == ["/p/src/x y", "/p/z", "/p/.b/a+b (1)"]
    assert not list(PathMap({}).named_in(text))
    assert PathMap({}).text(text) == text
