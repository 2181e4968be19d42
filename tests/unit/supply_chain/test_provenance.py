"""The statement of how an archive was made."""

from __future__ import annotations

import json
from typing import Any

import pytest

from buildtool.release.supply_chain.attach import provenance
from tests.unit.supply_chain.releases import CALC, PARTS, changed, release

SUBJECTS = {"demo-1.2-board.zip": "2" * 64, "demo-1.2-board.tar.zst": "1" * 64}


def statement(document: Any = None, **options: Any) -> dict[str, Any]:
    text = provenance(document or release(), SUBJECTS, PARTS, options)
    read: dict[str, Any] = json.loads(text)
    return read


def dependencies(document: dict[str, Any]) -> dict[str, Any]:
    rows = document["predicate"]["buildDefinition"]["resolvedDependencies"]
    # in-toto's ResourceDescriptor: at least one of uri, digest and content.
    assert all(row.keys() & {"uri", "digest", "content"} for row in rows)
    return {row["name"]: row for row in rows}


def test_the_statement_has_the_fields_of_in_toto_and_slsa() -> None:
    found = statement(build_type="Debug")

    assert found["_type"] == "https://in-toto.io/Statement/v1"
    assert found["predicateType"] == "https://slsa.dev/provenance/v1"
    assert found["subject"] == [
        {"name": "demo-1.2-board.tar.zst", "digest": {"sha256": "1" * 64}},
        {"name": "demo-1.2-board.zip", "digest": {"sha256": "2" * 64}},
    ]
    built, run = (found["predicate"][key] for key in ("buildDefinition", "runDetails"))
    assert {*built} == {
        *("buildType", "externalParameters", "internalParameters", "resolvedDependencies")
    }
    assert built["externalParameters"] == {
        "project": "demo",
        "version": "1.2",
        "target": "board",
        "options": {"build_type": "Debug"},
    }
    assert built["internalParameters"]["sourceDateEpoch"] == 1_700_000_000
    assert run["builder"]["version"] == {"buildtool": "0.1.0"}
    assert run["metadata"] == {"invocationId": release()["id"]}


def test_what_it_was_made_of() -> None:
    found = dependencies(statement())

    assert found["source"] == {"name": "source", "digest": {"gitCommit": "c" * 40}}
    assert found["hexagon-v73"]["digest"] == {"sha256": "b" * 64}
    assert found["hexagon-v73"]["annotations"]["tools"]["compiler"] == "clang 22"
    assert found["calc/1.0"]["uri"] == CALC.purl
    assert found["calc/1.0"]["digest"] == {"revision": CALC.revision}


@pytest.mark.parametrize("dirty", [True, None])
def test_sources_that_the_commit_does_not_identify(dirty: bool | None) -> None:
    source = {"revision": "c" * 40, "dirty": dirty}

    found = dependencies(statement(changed(release(), "source", source)))

    assert found["source"]["annotations"] == {"dirty": dirty}


def test_sources_without_a_commit() -> None:
    source = {"revision": None, "dirty": None}

    assert "source" not in dependencies(statement(changed(release(), "source", source)))


def test_equal_releases_have_equal_statements() -> None:
    reverse = dict(reversed(SUBJECTS.items()))
    document = release()
    document["steps"].reverse()

    assert provenance(document, reverse, PARTS[::-1]) == provenance(release(), SUBJECTS, PARTS)
