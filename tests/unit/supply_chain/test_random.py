"""Random documents and signatures raise this project's own errors only."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buildtool.release.supply_chain.attach import provenance
from buildtool.release.supply_chain.sbom import sbom
from buildtool.release.supply_chain.sign import Signature, SignatureError, read_signature
from buildtool.release.supply_chain.verify import VerifyError, verify_archive
from tests.conftest import LONG
from tests.unit.supply_chain.releases import PARTS, archive, changed, release

SIGNATURE = b"""\
-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgByY8Y1KaFsaI6h6Qa7j6F/dNm3
S1mA7fxd5lddzvofMAAAARYnVpbGR0b29sLXJlbGVhc2UAAAAAAAAABnNoYTUxMgAAAFMA
AAALc3NoLWVkMjU1MTkAAABAqQuY3+EfHaYhs1h6zKoX8LMomUoMQpSHKWKgmTmypnXLly
Bbz/gURCC6SwO5uNxp8/dZ04utgGV4iNGttezlCg==
-----END SSH SIGNATURE-----
"""
VALUES = st.recursive(
    st.sampled_from([None, True, 0, -1, 1.5, 2**70, "", "x", "../x", "\ud800", "0" * 64, "v73"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["id", "path", "link", "files", "name"]), inner, max_size=2
        )
    ),
    max_leaves=4,
)


def paths(value: Any, before: str = "") -> list[str]:
    """The paths of all values in a document."""
    rows = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, inner in rows:
        found.append(f"{before}{key}")
        if isinstance(inner, dict | list):
            found += paths(inner, f"{before}{key}.")
    return found


def documents() -> dict[str, Any]:
    return {
        "release": release(),
        "cdx": json.loads(sbom(release(), "0" * 64, PARTS)),
        "provenance": json.loads(provenance(release(), {"a": "0" * 64}, PARTS)),
    }


@pytest.mark.parametrize("kind", ["release", "cdx", "provenance"])
@settings(max_examples=2000 if LONG else 30)
@given(data=st.data())
def test_random_values_in_documents(kind: str, data: st.DataObject) -> None:
    document = documents()[kind]
    # No key of these documents has a dot in it, except the names of properties, which are values.
    where = data.draw(st.sampled_from(sorted(paths(document))))
    document = changed(document, where, data.draw(VALUES))
    with tempfile.TemporaryDirectory() as folder:
        path = archive(Path(folder), document if kind == "release" else None)
        if kind != "release":
            path.with_name(f"{path.name}.{kind}.json").write_text(json.dumps(document))
        with contextlib.suppress(VerifyError):
            verify_archive(path, None)


@given(st.data())
def test_random_changes_of_a_signature(data: st.DataObject) -> None:
    text = bytearray(SIGNATURE)
    for _ in range(data.draw(st.integers(0, 4))):
        start = data.draw(st.integers(0, len(text)))
        text[start : start + data.draw(st.integers(0, 60))] = data.draw(st.binary(max_size=4))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "file.sig")
        file.write_bytes(text)
        with contextlib.suppress(SignatureError):
            read_signature(file)


def test_the_signature_that_is_changed_is_good(tmp_path: Path) -> None:
    (tmp_path / "file.sig").write_bytes(SIGNATURE)

    assert read_signature(tmp_path / "file.sig") == Signature(
        "buildtool-release", "ssh-ed25519", "SHA256:68jSuq9IsiT3xBcdLvNNnkMS1YNRzO1R5hY254ngsSk"
    )
