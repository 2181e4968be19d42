"""The .aar of a release that is built with a stand-in NDK.

Only the structure is checked: no app is built, and none runs.
"""

from __future__ import annotations

import re
import shutil
import zipfile
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest

from buildtool.core.elf.read import read_elf
from tests.project import Project
from tests.standins.fixtures import MakeNdk

ANDROID = "{http://schemas.android.com/apk/res/android}"
PROJECT = """
[project]
name = "Jni-Test"
version = "1.2"
description = "Answers questions"

[host.app]
source = "host"

[skel.dsp]
source = "dsp"
defines = {{ ARCH = "{{arch}}" }}

[tool.android-ndk]
path = "{ndk}"
"""
TARGET = """
[target.{name}]
platform = "android"
api = 31
archs = {archs}
formats = ["jnilibs"]
"""
FILES = {
    "host/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(app C)
add_library(part SHARED part.c)
add_executable(app main.c)
target_link_libraries(app PRIVATE part)
install(TARGETS app part)
""",
    "host/main.c": "int part(void);\nint main(void) { return part(); }\n",
    "host/part.c": "int part(void);\nint part(void) { return 7; }\n",
    "dsp/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(dsp C)
add_library(b_skel SHARED entry.c)
if(NAMED)
    set_target_properties(b_skel PROPERTIES OUTPUT_NAME b-${ARCH})
endif()
install(TARGETS b_skel LIBRARY DESTINATION .)
""",
    "dsp/entry.c": """
int b_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; (void)p; return (int)s; }
""",
}
LIBRARY = {"AndroidManifest.xml", "R.txt", "classes.jar", "res/", "README.md"}
HOST = "jni/arm64-v8a/libpart.so"


@pytest.fixture(scope="module")
def project(stand_in_ndk: MakeNdk, tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("jni") / "project")
    text = PROJECT.format(ndk=stand_in_ndk("r28"))
    for name, archs in (("one", ["v73"]), ("two", ["v73", "v75"]), ("named", ["v73", "v75"])):
        text += TARGET.format(name=name, archs=archs)
    text += "\n[target.named.defines]\nNAMED = true\n"
    text += TARGET.format(name="none", archs=[])
    project.lay_out({"buildtool.toml": text, **FILES})
    return project


def copy_of(project: Project, root: Path) -> Project:
    copy = Project(root)
    project.copy_sources(root)
    shutil.rmtree(root / "dist", ignore_errors=True)
    return copy


def contents(project: Project, target: str) -> dict[str, bytes]:
    project.succeeds("package", target)
    with zipfile.ZipFile(project.root / f"dist/Jni-Test-1.2-{target}.aar") as archive:
        assert archive.testzip() is None
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        return {name: archive.read(name) for name in archive.namelist()}


def shipped(project: Project, target: str, path: str) -> bytes:
    return (project.release(target) / path).read_bytes()


@pytest.mark.parametrize(
    ("target", "skels"),
    [
        ("one", {"jni/arm64-v8a/libb_skel.so": "dsp/v73/libb_skel.so"}),
        (
            "named",
            {
                "jni/arm64-v8a/libb-v73.so": "dsp/v73/libb-v73.so",
                "jni/arm64-v8a/libb-v75.so": "dsp/v75/libb-v75.so",
            },
        ),
        pytest.param(
            "two",
            {
                "assets/dsp/v73/libb_skel.so": "dsp/v73/libb_skel.so",
                "assets/dsp/v75/libb_skel.so": "dsp/v75/libb_skel.so",
            },
            marks=pytest.mark.long,
        ),
        ("none", {}),
    ],
)
def test_where_libraries_and_skels_lie_in_an_aar_of_a_stand_in_ndk_whose_app_is_not_run(
    target: str, skels: dict[str, str], project: Project
) -> None:
    files = contents(project, target)

    own = {name for name in files if not name.startswith("licenses/ziglang/")}
    assert own == {*LIBRARY, HOST, *skels}
    assert files[HOST] == shipped(project, target, "lib/libpart.so")
    for path, original in skels.items():
        assert files[path] == shipped(project, target, original)
    readme = files["README.md"].decode()
    for path in (HOST, *skels):
        assert f"- `{path}`\n" in readme
    assert ("ADSP_LIBRARY_PATH" in readme) is bool(skels)


def test_the_manifest_and_the_mandatory_files_of_an_app_that_is_not_built(
    project: Project, tmp_path: Path
) -> None:
    files = contents(project, "one")
    manifest = ElementTree.fromstring(files["AndroidManifest.xml"])
    assert manifest.tag == "manifest"
    assert re.fullmatch(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+", manifest.attrib["package"])
    sdk, application = manifest
    assert (sdk.tag, sdk.attrib) == ("uses-sdk", {f"{ANDROID}minSdkVersion": "31"})
    (library,) = application
    assert (application.tag, library.tag) == ("application", "uses-native-library")
    assert library.attrib == {
        f"{ANDROID}name": "libcdsprpc.so",
        f"{ANDROID}required": "false",
    }
    with zipfile.ZipFile(BytesIO(files["classes.jar"])) as jar:
        assert jar.namelist() == ["META-INF/MANIFEST.MF"]
    assert files["R.txt"] == b""
    (tmp_path / "part").write_bytes(files[HOST])
    assert min(read_elf(tmp_path / "part").load_alignments) == 16384


def test_the_readme_says_how_an_app_that_is_not_built_finds_the_skels(project: Project) -> None:
    beside = contents(project, "one")["README.md"].decode()
    assert 'setenv("ADSP_LIBRARY_PATH", context.applicationInfo.nativeLibraryDir, true)' in beside
    assert "useLegacyPackaging = true" in beside
    assert 'keepDebugSymbols += setOf("**/libb_skel.so")' in beside
    assets = contents(project, "two")["README.md"].decode()
    assert '"$directory;${context.applicationInfo.nativeLibraryDir}"' in assets
    assert "The arch is one of: v73, v75." in assets
    assert 'implementation(files("libs/Jni-Test-1.2-two.aar"))' in assets


def test_an_aar_is_inspected_without_an_error(project: Project) -> None:
    contents(project, "two")
    project.succeeds("inspect", "dist/Jni-Test-1.2-two.aar")


def test_a_library_that_android_does_not_install(project: Project, tmp_path: Path) -> None:
    other = copy_of(project, tmp_path / "other")
    other.edit("host/CMakeLists.txt", "add_exec", 'set_target_properties(part PROPERTIES SUFFIX '
        '.so.3)\nadd_exec')  # fmt: skip
    message = other.fails("package", "none")
    assert "an Android app cannot have the library lib/libpart.so.3" in message
    assert not [*other.root.glob("dist/*")]


@pytest.mark.long
def test_another_clone_makes_the_same_aar(project: Project, tmp_path: Path) -> None:
    wanted = contents(project, "one")
    other = copy_of(project, tmp_path / "another place")
    other.variables["TZ"] = "Asia/Kolkata"
    other.prefix = ["sh", "-c", 'umask 077; exec "$@"', "sh"]
    assert contents(other, "one") == wanted
    name = "dist/Jni-Test-1.2-one.aar"
    assert (other.root / name).read_bytes() == (project.root / name).read_bytes()


def test_the_format_is_for_android_only(project: Project, tmp_path: Path) -> None:
    done = project.run("package", "sim", "--format", "jnilibs")
    assert done.returncode == 2
    assert "'jnilibs' is a format for android" in done.stderr
    done = project.run("package", "one", "--format", "deb")
    assert done.returncode == 2
    assert "'deb' is a format for ubuntu-aarch64" in done.stderr
