"""Without pytest, its suite says what is missing."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError
from buildtool.project.model import Header, Project, Test
from buildtool.testing.pytest_suite import PytestSuite


def test_pytest_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    project = Project(tmp_path, Header(name="p"), {}, {}, {})
    suite = PytestSuite(project, "accuracy", Test(pytest=("tests",)), 1.0)

    with pytest.raises(BuildtoolError, match="pytest is not installed") as error:
        suite.names()
    assert "pip install pytest" in error.value.remedy
