"""The documents of a release name its Conan packages, whose licence files travel along."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from buildtool.engine.options import Options
from buildtool.flow.targets import build_release
from buildtool.flow.targets import package as package_target
from buildtool.project.read import find_project
from buildtool.release.package import Packaged
from buildtool.release.supply_chain.attach import find_parts
from buildtool.release.supply_chain.licences import (
    RedistributionError,
    check_redistribution,
    licence_files,
)
from buildtool.release.supply_chain.verify import verify_archive

from .conftest import ConanProject


def with_licence(project: ConanProject, licence: str) -> None:
    """Give the recipe of `calc` a licence, and its package a licence file."""
    project.recipe("calc")
    recipe = project.root / "recipes" / "calc" / "conanfile.py"
    text = recipe.read_text()
    text = text.replace('    version = "1.0"', f'    version = "1.0"\n    license = {licence!r}')
    text = text.replace('"CMakeLists.txt"', '"CMakeLists.txt", "LICENSE"')
    text = text.replace(
        "        CMake(self).install()\n",
        "        CMake(self).install()\n        from conan.tools.files import copy\n"
        '        copy(self, "LICENSE", self.source_folder, self.package_folder + "/licenses")\n',
    )
    recipe.write_text(text)
    project.write("recipes/calc/LICENSE", "Permission is granted\n")
    project.write("host/COPYING", "Permission is granted too\n")


def package(project: ConanProject) -> Packaged:
    return package_target(
        find_project(project.root),
        "sim",
        formats=["tar.zst", "zip"],
        attest=True,
        listener=lambda _: None,
    )


@pytest.mark.long
def test_documents_of_a_real_release(conan_project: ConanProject) -> None:
    with_licence(conan_project, "MIT")

    made = package(conan_project)

    parts = find_parts(made.build.steps, [file.path for file in made.release.files])
    named = {part.name: part for part in parts}
    assert {*named} == {"calc", "ziglang"}
    assert (named["calc"].version, named["calc"].licences) == ("1.0", ("MIT",))
    assert named["calc"].files == ("lib/libcalc.so.1",)
    assert named["calc"].purl.startswith("pkg:conan/calc@1.0?rrev=")
    for archive in made.archives:
        found = verify_archive(archive.path, None)
        assert found.release
        assert found.release["id"] == made.release.id
        assert {*found.documents} == {"sbom", "provenance"}
    bill = json.loads(Path(f"{made.archives[0].path}.cdx.json").read_text(encoding="utf-8"))
    named_rows = {row["name"]: row for row in bill["components"]}
    assert {"bin/app", "run.sh", "licenses/calc/LICENSE"} <= {*named_rows}
    calc = named_rows["calc"]
    assert calc["licenses"] == [{"license": {"id": "MIT"}}]

    project = find_project(conan_project.root)
    licences = {row.path: row.source for row in licence_files(project, made.build.steps)}
    assert licences["licenses/calc/LICENSE"].read_text() == "Permission is granted\n"
    assert licences["licenses/app/COPYING"].read_text() == "Permission is granted too\n"
    assert "licenses/ziglang/lib/libcxx/LICENSE.TXT" in licences
    check_redistribution(project, made.build.steps)

    with_licence(conan_project, "Proprietary")
    changed = find_project(conan_project.root)
    made_anew, _ = build_release(changed, "sim", lambda _: None, Options())
    with pytest.raises(RedistributionError, match=r"calc/1\.0"):
        check_redistribution(changed, made_anew.steps)


def test_the_sbom_does_not_depend_on_the_order_of_sets() -> None:
    """Python orders sets of strings by hashes, which differ from run to run."""
    code = (
        "from buildtool.release.supply_chain.sbom import sbom\n"
        "from tests.unit.supply_chain.releases import PARTS, release\n"
        "part = PARTS[0]._replace(licences=('MIT', 'Zlib', 'BSD-3-Clause'))\n"
        "print(sbom(release(), '0' * 64, [part, *PARTS[1:]]))\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "TZ": zone, "PYTHONPATH": str(Path(__file__).parents[3])},
            capture_output=True,
            check=True,
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"), ("3", "America/Lima"))
    }

    assert len(printed) == 1
