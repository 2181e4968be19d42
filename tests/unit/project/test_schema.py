"""The JSON schema refuses the same files as the reader."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from buildtool.project.schema import json_schema

ROOT = Path(__file__).parents[3]


def test_this_project_satisfies_the_schema() -> None:
    jsonschema.validate(tomllib.loads((ROOT / "buildtool.toml").read_text()), json_schema())


@pytest.mark.parametrize(
    "text",
    [
        'name = "x"',
        '[project]\nname = "x"\ncolour = "red"',
        '[project]\nname = "x"\n[host.a]\ninstall = true',
        '[project]\nname = "x"\n[target.a]\nplatform = "windows"',
        '[project]\nname = "x"\n[skel.a]\nsource = "."\narchs = ["v67"]',
        '[project]\nname = "x"\n[host.a]\nsource = "."\ndefines = { A = [] }',
    ],
)
def test_what_the_reader_refuses_the_schema_refuses(text: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(text), json_schema())


def test_the_published_schema_is_the_model_s() -> None:
    published = json.loads((ROOT / "docs" / "buildtool.schema.json").read_text())

    assert published == json_schema(), "run: buildtool init --schema > docs/buildtool.schema.json"
