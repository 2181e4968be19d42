"""An archive is compared with its release.json and with the documents beside it."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from buildtool.release.supply_chain.attach import provenance
from buildtool.release.supply_chain.sbom import sbom
from buildtool.release.supply_chain.verify import VerifyError, verify_archive
from buildtool.release.unpack import ArchiveError
from tests.unit.supply_chain.releases import (
    FILES,
    LICENCES,
    LINKS,
    PARTS,
    archive,
    changed,
    release,
    with_ids,
)


def test_a_complete_archive(tmp_path: Path) -> None:
    for prefix in ("demo-1.2-board/", ""):
        found = verify_archive(archive(tmp_path, prefix=prefix), None)

        assert (found.files, found.extra) == (len(FILES) + len(LINKS) + len(LICENCES), 0)
        assert found.release
        assert found.release["id"] == release()["id"]
        assert found.signer is None
        assert found.documents == {}


def digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def refusal(path: Path) -> VerifyError:
    with pytest.raises(VerifyError) as error:
        verify_archive(path, None)
    assert str(path) in error.value.message
    assert error.value.remedy
    return error.value


@pytest.mark.parametrize(
    ("files", "links", "text"),
    [
        ({"bin/demo": None}, {}, "bin/demo is missing"),
        ({"licenses/demo/LICENSE": (0o644, b"GPL")}, {}, "LICENSE has other bytes"),
        ({"licenses/demo/COPYING": (0o644, b"GPL")}, {}, "COPYING is not listed"),
        ({}, {"lib/libcalc.so": None}, "lib/libcalc.so is missing"),
        ({"bin/demo": (0o755, b"prograM")}, {}, "bin/demo has other bytes"),
        ({"bin/demo": (0o644, b"program")}, {}, "bin/demo has the mode 0644 instead of 0755"),
        ({"bin/more": (0o755, b"")}, {}, "demo-1.2-board/bin/more is not listed"),
        ({}, {"lib/more.so": "libcalc.so.1"}, "lib/more.so is not listed"),
        ({}, {"lib/libcalc.so": "../bin/demo"}, "is a link to '../bin/demo' instead of"),
        ({"bin/demo": None}, {"bin/demo": "../run.sh"}, "is a link to '../run.sh' instead of ''"),
        ({"lib/libcalc.so": (0o644, b"x")}, {"lib/libcalc.so": None}, "is a link to '' instead"),
    ],
)
def test_archives_that_differ_from_their_list(
    tmp_path: Path, files: dict[str, Any], links: dict[str, Any], text: str
) -> None:
    def with_changes(good: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
        return {path: value for path, value in {**good, **changes}.items() if value is not None}

    path = archive(tmp_path, files=with_changes(FILES, files), links=with_changes(LINKS, links))

    assert text.removeprefix("demo-1.2-board/") in refusal(path).why


def test_a_long_list_of_differences_is_cut(tmp_path: Path) -> None:
    error = refusal(archive(tmp_path, files={f"f{n}": (0o644, b"") for n in range(20)}, links={}))

    assert error.why.count("\n") == 5
    assert error.why.endswith("more")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("slices.host.id", "the slice host has an id other than"),
        ("slices.v73.id", "the slice v73 has an id other than"),
        ("id", "the release has an id other than"),
    ],
)
def test_ids_are_computed_again(tmp_path: Path, path: str, text: str) -> None:
    assert text in refusal(archive(tmp_path, changed(release(), path, "0" * 64))).why


def test_a_file_in_the_list_of_another_slice(tmp_path: Path) -> None:
    document = release()
    document["slices"]["host"]["files"].append(document["slices"]["v73"]["files"].pop())

    assert "the slice host has an id" in refusal(archive(tmp_path, with_ids(document))).why


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", 2),
        ("project", 7),
        ("version", None),
        ("target.name", []),
        ("target", []),
        ("id", 5),
        ("slices", []),
        ("slices.host", {}),
        ("slices.host.id", []),
        ("slices.host.files", None),
        ("slices.host.files.0", {"path": "../x", "link": "y"}),
        ("slices.host.files.0", 1),
        ("steps", None),
    ],
)
def test_an_invalid_release_json(tmp_path: Path, path: str, value: Any) -> None:
    document = release()
    if path.endswith(".0"):
        document["slices"]["host"]["files"][0] = value
    else:
        document = changed(document, path, value)

    error = refusal(archive(tmp_path, document))

    assert "damaged, or of another version" in error.message or "does not hold" in error.message


@pytest.mark.parametrize(
    "data", [b"{", b"[]", b"[" * 100_000, b"\xff", b"{}", b"[" + b"0," * 600_000 + b"0]"]
)
def test_a_release_json_that_is_no_document(tmp_path: Path, data: bytes) -> None:
    assert "damaged, or of another version" in refusal(archive(tmp_path, data)).message


def test_an_archive_without_release_json(tmp_path: Path) -> None:
    assert "it has no release.json" in refusal(archive(tmp_path, b"")).message


def test_a_package_of_another_format_may_have_no_release_json(tmp_path: Path) -> None:
    path = tmp_path / "demo.whl"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("demo/__init__.py", "")

    found = verify_archive(path, None)

    assert (found.release, found.files, found.extra) == (None, 0, 1)


def test_an_sbom_beside_a_package_without_release_json(tmp_path: Path) -> None:
    path = tmp_path / "demo.whl"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("demo/__init__.py", "")
    bill = path.with_name("demo.whl.cdx.json")
    bill.write_text(sbom(release(), digest_of(path), PARTS))

    assert {*verify_archive(path, None).documents} == {"sbom"}

    bill.write_text(sbom(release(), "0" * 64, PARTS))
    assert "it is of another archive" in refusal(path).why


def test_a_package_of_another_format_may_have_more_files(tmp_path: Path) -> None:
    path = tmp_path / "demo.whl"
    with zipfile.ZipFile(path, "w") as package:
        document = release()
        document["slices"]["host"]["files"] = [
            row for row in document["slices"]["host"]["files"] if "link" not in row
        ]
        for name, (mode, data) in {**FILES, **LICENCES}.items():
            info = zipfile.ZipInfo(f"demo/files/{name}")
            info.create_system, info.external_attr = 3, (0o100000 | mode) << 16
            package.writestr(info, data)
        package.writestr("demo/files/release.json", json.dumps(with_ids(document)))
        package.writestr("demo/__init__.py", "")

    found = verify_archive(path, None)

    assert (found.files, found.extra) == (len(FILES) + len(LICENCES), 1)


def test_hostile_archives_are_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, links={"lib/out": "../../../etc"})

    with pytest.raises(ArchiveError, match="leads out of the directory"):
        verify_archive(path, None)
    with pytest.raises(VerifyError, match="cannot be read"):
        verify_archive(tmp_path / "missing.zip", None)


def test_documents_beside_the_archive(tmp_path: Path) -> None:
    path = archive(tmp_path)
    digest = digest_of(path)
    bill, statement = (path.with_name(f"{path.name}.{n}.json") for n in ("cdx", "provenance"))
    bill.write_text(sbom(release(), digest, PARTS))
    statement.write_text(provenance(release(), {path.name: digest}, PARTS))

    found = verify_archive(path, None).documents

    assert {name: document.path for name, document in found.items()} == {
        "sbom": bill,
        "provenance": statement,
    }
    assert {document.signer for document in found.values()} == {None}


def test_a_provenance_of_something_else(tmp_path: Path) -> None:
    path = archive(tmp_path)
    good = json.loads(provenance(release(), {path.name: "0" * 64}, ()))
    file = path.with_name(f"{path.name}.provenance.json")
    for document, text in (
        (good, "no subject has its sha256"),
        ({**good, "_type": "x"}, "not an in-toto statement"),
        ({**good, "predicateType": "x"}, "not SLSA's provenance"),
    ):
        file.write_text(json.dumps(document))
        assert text in refusal(path).why


def test_an_sbom_of_something_else(tmp_path: Path) -> None:
    path, other = archive(tmp_path), release()
    other["slices"]["host"]["files"][0]["sha256"] = "0" * 64
    file, digest = path.with_name(f"{path.name}.cdx.json"), digest_of(path)
    good = json.loads(sbom(release(), digest, PARTS))
    for document, text in (
        (json.loads(sbom(with_ids(other), digest, PARTS)), "it is of another release"),
        (json.loads(sbom(with_ids(other), digest, PARTS)), "it differs in the file bin/demo"),
        (json.loads(sbom(release(), "0" * 64, PARTS)), "it is of another archive"),
        ({**good, "components": good["components"][1:]}, "it differs in the file"),
        ({**good, "bomFormat": "x"}, "not a CycloneDX document"),
    ):
        file.write_text(json.dumps(document))
        assert text in refusal(path).why


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"null", b'{"_type": 1, "bomFormat": 1}'])
def test_damaged_documents(tmp_path: Path, data: bytes) -> None:
    path = archive(tmp_path)
    for name in ("cdx", "provenance"):
        file = path.with_name(f"{path.name}.{name}.json")
        file.write_bytes(data)
        with pytest.raises(VerifyError) as error:
            verify_archive(path, None)
        assert str(file) in error.value.message
        file.unlink()
