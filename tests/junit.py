"""The schema of JUnit XML that Jenkins' xUnit plugin accepts."""

from __future__ import annotations

import functools
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema

from tests.command_line import REPOSITORY

SCHEMA = REPOSITORY / ".venv" / "junit" / "junit-10.xsd"


@functools.cache
def _schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(SCHEMA)


def valid_junit(data: bytes) -> ElementTree.Element:
    """The root of a document that matches the schema; raises `xmlschema.XMLSchemaException`.

    Skips the test if there is no schema.
    """
    if not SCHEMA.is_file():
        pytest.skip("there is no schema of JUnit XML: scripts/setup tests")
    root = ElementTree.fromstring(data)
    _schema().validate(root)
    return root


def read_junit(file: Path) -> ElementTree.Element:
    """The same of a file."""
    return valid_junit(file.read_bytes())
