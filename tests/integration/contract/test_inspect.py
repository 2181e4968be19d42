"""`buildtool inspect` on files, directories and releases."""

from __future__ import annotations

import json
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from buildtool.contract.inspection import RULES
from tests.command_line import Buildtool
from tests.json_documents import validate

from .binaries import Linker, entry
from .conftest import Make
from .releases import TestRelease


@pytest.fixture
def broken(make: Make) -> TestRelease:
    """A release with two errors in one file, and a warning."""
    release = make()
    release.host("lib/libm.so.6", "int part;", "-Wl,-rpath,/opt/demo")
    release.put("share/notes", b"/home/somebody/demo/notes")
    release.declare()
    return release


def test_findings_by_file_and_a_verdict(
    broken: TestRelease, buildtool: Buildtool, tmp_path: Path
) -> None:
    done = buildtool("inspect", "release", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[:2] == [
        "lib/libm.so.6:",
        "  error: libm.so.6 shadows libm.so.6 of the device [no-shadowed-library]",
    ]
    assert lines[4].startswith("  error: libm.so.6 has a RUNPATH that points outside the release")
    assert lines[7] == "share/notes:"
    assert lines[8].startswith("  warning: notes contains a path of the build machine: /home/")
    assert lines[9].startswith("    ")
    assert lines[10].startswith("    → ")
    assert lines[-1] == "release: 6 files, 2 errors, 1 warning"

    quiet = buildtool("inspect", "release", "--quiet", cwd=tmp_path)
    assert quiet.stdout.splitlines() == lines[:-1]
    assert quiet.returncode == 1


def test_warnings_do_not_fail(broken: TestRelease, buildtool: Buildtool, tmp_path: Path) -> None:
    (broken.root / "lib/libm.so.6").unlink()
    broken.declare()

    done = buildtool("inspect", "release", cwd=tmp_path)

    assert done.returncode == 0
    assert done.stdout.endswith("release: 5 files, 0 errors, 1 warning\n")


def test_the_documents(broken: TestRelease, buildtool: Buildtool, tmp_path: Path) -> None:
    done = buildtool("inspect", "release", "release/lib", "--json", cwd=tmp_path)

    document = json.loads(done.stdout)
    validate("inspect", document)
    assert done.returncode == 1
    release, folder = document["inspected"]
    assert (release["kind"], release["releases"], release["error_count"]) == ("release", 1, 2)
    assert (folder["kind"], folder["releases"], folder["error_count"]) == ("directory", 0, 0)
    assert [f["rule"] for f in release["findings"]] == [
        *("no-shadowed-library", "runpath-in-release", "no-build-paths")
    ]
    assert release["findings"][0]["severity"] == "error"

    rules = json.loads(buildtool("inspect", "--rules", "--json", cwd=tmp_path).stdout)
    validate("inspect", rules)
    assert [rule["name"] for rule in rules["rules"]] == [rule.name for rule in RULES]
    listed = buildtool("inspect", "--rules", cwd=tmp_path).stdout
    for rule in RULES:
        text = f"{rule.name}\n  {rule.requirement}\n  {rule.reason}\n"
        assert text in listed


SARIF: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["$schema", "version", "runs"],
    "properties": {
        "$schema": {"type": "string", "pattern": r"sarif-schema-2\.1\.0\.json$"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "version", "rules"],
                                "properties": {"rules": {"items": {"$ref": "#/$defs/rule"}}},
                            }
                        },
                    },
                    "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
                },
            },
        },
    },
    "$defs": {
        "message": {
            "type": "object",
            "additionalProperties": False,
            "required": ["text"],
            "properties": {"text": {"type": "string", "minLength": 1}},
        },
        "rule": {
            "type": "object",
            "additionalProperties": False,
            "required": ["id"],
            "properties": {
                "id": {"type": "string"},
                "shortDescription": {"$ref": "#/$defs/message"},
                "fullDescription": {"$ref": "#/$defs/message"},
            },
        },
        "result": {
            "type": "object",
            "additionalProperties": False,
            "required": ["ruleId", "ruleIndex", "level", "message", "locations"],
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": 0},
                "level": {"enum": ["none", "note", "warning", "error"]},
                "message": {"$ref": "#/$defs/message"},
                "locations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {
                            "physicalLocation": {
                                "type": "object",
                                "additionalProperties": False,
                                "properties": {
                                    "artifactLocation": {
                                        "type": "object",
                                        "additionalProperties": False,
                                        "properties": {
                                            "uri": {"type": "string", "pattern": "^[!-~]+$"}
                                        },
                                    }
                                },
                            },
                            "logicalLocations": {"type": "array"},
                        },
                    },
                },
            },
        },
    },
}
"""The part of the standard's schema that describes what is printed; the whole is not at hand."""


def test_sarif(broken: TestRelease, buildtool: Buildtool, tmp_path: Path) -> None:
    import jsonschema

    done = buildtool("inspect", "release", "--sarif", cwd=tmp_path)

    document = json.loads(done.stdout)
    assert done.returncode == 1
    jsonschema.Draft202012Validator(SARIF).validate(document)
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(RULES)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    first, _, last = run["results"]
    assert (first["ruleId"], first["level"]) == ("no-shadowed-library", "error")
    assert first["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "release/lib/libm.so.6"
    }
    assert last["level"] == "warning"


def packed(release: TestRelease, archive: Path) -> Path:
    """The release in an archive, in a directory as archives usually have it."""
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w") as out:
            for path in sorted(release.root.rglob("*")):
                out.write(path, Path("demo-1", path.relative_to(release.root)))
    else:
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(release.root, "demo-1")
    return archive


@pytest.mark.parametrize(
    "name", ["demo.zip", pytest.param("demo.tar.gz", marks=pytest.mark.long), "demo.tgz"]
)
def test_archives_are_checked_as_what_is_in_them(
    name: str, broken: TestRelease, buildtool: Buildtool, tmp_path: Path
) -> None:
    packed(broken, tmp_path / name)
    as_directory = json.loads(buildtool("inspect", "release", "--json", cwd=tmp_path).stdout)

    done = buildtool("inspect", name, cwd=tmp_path)
    as_json = buildtool("inspect", name, "--json", cwd=tmp_path)
    as_sarif = buildtool("inspect", name, "--sarif", cwd=tmp_path)

    assert done.returncode == 1
    assert re.search(r"^demo-1/lib/libm\.so\.6 +[0-9,]+ B$", done.stdout, re.MULTILINE)
    assert "demo-1/lib/libm.so.6:\n  error: libm.so.6 shadows" in done.stdout
    assert done.stdout.endswith(f"{name}: 1 release, 6 files, 2 errors, 1 warning\n")
    (row,) = json.loads(as_json.stdout)["inspected"]
    assert (row["path"], row["kind"], row["releases"], row["files"]) == (name, "archive", 1, 6)
    for finding in row["findings"]:
        finding["path"] = finding["path"].removeprefix("demo-1/")
    assert row["findings"] == as_directory["inspected"][0]["findings"]
    location = json.loads(as_sarif.stdout)["runs"][0]["results"][0]["locations"][0]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == name
    (inside,) = location["logicalLocations"]
    assert inside["fullyQualifiedName"] == "demo-1/lib/libm.so.6"


def test_a_damaged_release_in_an_archive_is_an_error(
    broken: TestRelease, buildtool: Buildtool, tmp_path: Path
) -> None:
    (broken.root / "release.json").write_text("{}")
    packed(broken, tmp_path / "demo.zip")

    done = buildtool("inspect", "demo.zip", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith("error: demo.zip/demo-1/release.json is damaged, or of another")


def test_a_malicious_archive_is_an_error(buildtool: Buildtool, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as out:
        out.writestr("../../escaped", b"x")

    done = buildtool("inspect", "a.zip", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith("error: a.zip: ")
    assert "Traceback" not in done.stderr


def test_an_elf_file_has_facts_and_findings(
    linker: Linker, buildtool: Buildtool, tmp_path: Path
) -> None:
    source = '_Thread_local int x; asm(".text\\n.globl part\\npart: .quad run\\n");'
    flags = ("-Wl,-z,notext", "-Wl,-z,execstack", "-Wl,-rpath,$ORIGIN", "-Wl,--build-id=0xabcd")
    library = linker.host("libpart.so", source, *flags, stripped=False)

    done = buildtool("inspect", str(library), cwd=tmp_path)
    as_json = buildtool("inspect", str(library), "--json", cwd=tmp_path)

    assert done.returncode == as_json.returncode == 1
    for line in (
        "machine          183 (AArch64, 64 bits)\n",
        "soname           libpart.so\n",
        "runpath          $ORIGIN\n",
        "build id         abcd\n",
        "load alignments  0x10000, 0x10000, 0x10000\n",
        "tls size         4\n",
        "text relocations yes\n",
        "executable stack yes\n",
        "stripped         no\n",
        f"{library.name}:\n  error: {library.name} has text relocations [no-text-relocations]\n",
        f"{library}: 1 file, 2 errors, 1 warning\n",
    ):
        assert line in done.stdout
    document = json.loads(as_json.stdout)
    validate("inspect", document)
    assert document["build_id"] == "abcd"
    assert [finding["rule"] for finding in document["findings"]] == [
        *("no-text-relocations", "no-executable-stack", "stripped")
    ]


def test_a_file_alone_is_not_checked_for_what_is_beside_it(
    linker: Linker, buildtool: Buildtool, tmp_path: Path
) -> None:
    skel = linker.skel(entry(), *linker.skel_needing("libc++.so.1", "libmore.so"))
    library = linker.host("libpart.so", "int part;", *linker.needing("libc.so.6", "libmore.so"))

    done = buildtool("inspect", str(skel), str(library), cwd=tmp_path)

    assert done.returncode == 0
    assert done.stdout.count(": 1 file, 0 errors, 0 warnings\n") == 2


def test_skels_by_their_arch(linker: Linker, buildtool: Buildtool, tmp_path: Path) -> None:
    skel, library = str(linker.skel(entry())), str(linker.skel("int more;"))

    assert buildtool("inspect", skel, "--skel", "v68", cwd=tmp_path).returncode == 0
    document = json.loads(buildtool("inspect", skel, "--skel=v68", "--json", cwd=tmp_path).stdout)
    validate("inspect", document)
    newer = buildtool("inspect", skel, "--skel", "v73", cwd=tmp_path)
    assert newer.returncode == 1
    assert "is built for v68, not for v73" in newer.stderr
    assert "Ship a file that is built for v73" in newer.stderr
    assert "-mcpu" not in newer.stderr
    other = buildtool("inspect", skel, library, "--skel", "v68", cwd=tmp_path)
    assert other.returncode == 1
    assert "has no entry point" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "there is nothing to inspect"),
        ([".", "--json", "--sarif"], "--json cannot be used with --sarif"),
        (["a", "b", "--skel", "v68", "--json"], "--skel with --json checks one file"),
    ],
)
def test_wrong_command_lines(
    arguments: list[str], says: str, buildtool: Buildtool, tmp_path: Path
) -> None:
    done = buildtool("inspect", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
