"""Errors with a known remedy end with that remedy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Buildtool, Edit
from tests.project import Project

IMP = "dsp/src/demo_dsp_imp.c"
KERNEL = "\nHVX_Vector {name}(HVX_Vector a, HVX_Vector b) {{ return {intrinsic}; }}\n"

INSTALL_ASSEMBLY = """\
enable_language(ASM)
target_sources(demo_dsp_skel PRIVATE sums.S)
install("""


@pytest.fixture
def project(configured: Path) -> Path:
    """The project from the template, whose build trees are configured."""
    return configured


def failure(buildtool: Buildtool, project: Path, *options: str) -> dict[str, Any]:
    done = buildtool("build", "--json", *options, cwd=project)
    assert done.returncode == 1, done.stdout + done.stderr
    error: dict[str, Any] = json.loads(done.stdout)["error"]
    return error


def append(file: Path, text: str) -> int:
    """Append `text`, which begins with a newline; returns the number of its first line."""
    before = file.read_text(encoding="utf-8")
    file.write_text(before + text, encoding="utf-8")
    return before.count("\n") + 2


def test_mistakes_in_a_kernel(buildtool: Buildtool, project: Path, edit: Edit) -> None:
    kernel = project / IMP
    edit(kernel, '"HAP_power.h"', '"HAP_pwoer.h"')
    remedy = failure(buildtool, project)["remedy"]
    assert remedy == (
        "HAP_pwoer.h is in none of the include directories. Did you mean HAP_power.h?"
    )
    edit(kernel, '"HAP_pwoer.h"', '"HAP_power.h"')

    line = append(kernel, KERNEL.format(name="new", intrinsic="Q6_Vh_vadd_VhVhf(a, b)"))
    append(kernel, KERNEL.format(name="later", intrinsic="Q6_Vh_equals_Vhf(a)"))
    append(kernel, KERNEL.format(name="ieee", intrinsic="Q6_Vsf_vadd_VsfVsf(a, b)"))
    remedies = failure(buildtool, project)["remedy"].splitlines()

    assert remedies[0].startswith(f"{kernel}:{line}: there is no intrinsic Q6_Vh_vadd_VhVhf. Did")
    assert "Did you mean Q6_Vh_vadd_VhVh" in remedies[0]
    assert remedies[1] == f"{kernel}:{line + 2}: Q6_Vh_equals_Vhf needs v73; this is v68."
    assert remedies[2] == f"{kernel}:{line + 4}: Q6_Vsf_vadd_VsfVsf needs the option -mhvx-ieee-fp."


def test_instructions_that_the_arch_does_not_have(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    """In C and in assembly, with the instructions to write instead."""
    edit(project / "buildtool.toml", 'archs = ["v68"]', 'archs = ["v79"]')
    kernel, assembly = project / IMP, project / "dsp/sums.S"
    f8 = append(kernel, KERNEL.format(name="small", intrinsic="Q6_V_vcvt_VhfVhf(a, b)"))
    done = buildtool("build", cwd=project)
    assert f"demo_dsp_imp.c:{f8}" in done.stderr
    assert (
        "unavailable: HVX of v79 and newer has no such instruction: compute in qf16" in done.stderr
    )

    edit(kernel, "Q6_V_vcvt_VhfVhf(a, b)", "Q6_Vsf_vdmpy_VhfVhf(a, b)")
    line = append(kernel, '\nvoid sum(void) { __asm__("{ v0.sf = vadd(v1.sf,v2.sf) }"); }\n')
    edit(project / "dsp/CMakeLists.txt", "install(", INSTALL_ASSEMBLY)
    assembly.write_text(
        "{ v0 = v3\n  v5:4.sf = vmpy(v1.hf, v2.hf) }\nv0.qf32 = vsub(v1.sf,v2.qf32)\n"
    )
    remedies = failure(buildtool, project, "-k")["remedy"].splitlines()
    ieee = "has an IEEE result, and HVX of v79 computes in qf only. Write"
    assert sorted(remedies) == [
        f"{kernel}:{line}: v0.sf = vadd(v1.sf,v2.sf) {ieee} v0.qf32 = vadd(v1.sf,v2.sf), then v0.sf"
        " = v0.qf32.",
        f"{assembly}:2: v5:4.sf = vmpy(v1.hf, v2.hf) {ieee} v5:4.qf32 = vmpy(v1.hf,v2.hf), then"
        " v5.sf = v5.qf32 and v4.sf = v4.qf32.",
        f"{assembly}:3: v0.qf32 = vsub(v1.sf,v2.qf32) needs v81; this is v79.",
    ]


def test_a_kernel_with_other_parameters_than_in_its_idl_file(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    edit(project / IMP, "int16_t factor,", "int factor,")
    place, prototype = failure(buildtool, project)["remedy"].splitlines()

    lines = (project / "dsp/demo_dsp.idl").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "scale_add(" in text)
    assert place == f"{project}/dsp/demo_dsp.idl:{line} declares it. Define it so:"
    assert prototype.startswith("AEEResult demo_dsp_scale_add(remote_handle64 _h, int16 factor,")
    assert prototype.endswith("int resultLen)")


@pytest.mark.long
def test_vector_floating_point(buildtool: Buildtool, project: Path, edit: Edit) -> None:
    """It compiles by default; if a target disables it, the error names the line and the option."""
    kernel = project / IMP
    line = append(kernel, KERNEL.format(name="sums", intrinsic="Q6_Vqf32_vadd_VsfVsf(a, b)"))
    Project(project).build_here()

    edit(project / "dsp/CMakeLists.txt", "-Wextra", "-mno-hvx-qfloat")
    remedy = failure(buildtool, project)["remedy"]
    assert remedy.startswith(f"{kernel}:{line}: Q6_Vqf32_vadd_VsfVsf is an instruction that")
    assert "-mhvx-qfloat" in remedy


def test_what_the_host_side_lacks(buildtool: Buildtool, project: Path) -> None:
    lists = project / "host/CMakeLists.txt"
    before = lists.read_text()
    for command, hint in (
        ("target_link_libraries(demo_main PRIVATE foo)", "libfoo is not found for this target"),
        ("find_package(Foo REQUIRED)", "The package Foo is not found for this target"),
        ("find_package(ZLIB REQUIRED)", "The package ZLIB is not found for this target"),
        (
            'message(FATAL_ERROR "Could NOT find ECM, try to set the path")',
            "The package ECM is not",
        ),
        (
            # What pkg_check_modules(G REQUIRED glib-2.0>=2.3) says; pkg-config may be missing here.
            'message(FATAL_ERROR "The following required packages were not found:\\n\\n'
            ' - glib-2.0>=2.3\\n")',
            "The package glib-2.0>=2.3 of pkg-config is not found for this target",
        ),
        (
            "find_library(FOO_LIB NAMES foo foo1 REQUIRED)",
            "FOO_LIB, which is one of foo, foo1, is not found for this target",
        ),
        (
            "find_library(FOO foo)\ntarget_link_libraries(demo_main PRIVATE ${FOO})",
            "What FOO should be is not found for this target",
        ),
    ):
        lists.write_text(f"{before}\n{command}\n")

        remedy = failure(buildtool, project)["remedy"]

        assert hint in remedy
        assert "name that component in 'needs'" in remedy
        assert "'conan' of the component" in remedy
    command = "find_library(log-lib log)\ntarget_link_libraries(demo_main PRIVATE ${log-lib})"
    lists.write_text(f"{before}\n{command}\n")
    remedy = failure(buildtool, project)["remedy"]
    assert "log-lib seems to be a library of Android, which only targets with platform =" in remedy


@pytest.mark.long
def test_warnings_that_the_project_makes_errors(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    """The remedy, in the project file, is one."""
    edit(project / "host/CMakeLists.txt", "-Wextra", "-Wextra -Werror")
    main = next((project / "host/src").glob("*.c*"))
    append(main, "\nstatic int nobody;\nstatic void nothing(void) {}\n")
    remedy = failure(buildtool, project)["remedy"]
    _, _, line = remedy.partition("add to its component: ")
    assert "-Wno-error=unused-function" in line
    edit(project / "buildtool.toml", 'source = "host"', f'source = "host"\n{line}')
    Project(project).build_here()


def test_a_header_of_fastrpc(buildtool: Buildtool, project: Path, edit: Edit) -> None:
    edit(project / "host/CMakeLists.txt", "install(", "add_library(plain OBJECT plain.c)\ninstall(")
    (project / "host/plain.c").write_text("#include <remote.h>\n")

    remedy = failure(buildtool, project)["remedy"]

    assert remedy == (
        "remote.h belongs to FastRPC: call find_package(Buildtool REQUIRED), and"
        " target_link_libraries(TARGET PRIVATE Buildtool::cdsprpc) for what includes it."
    )


@pytest.mark.long
def test_a_mistake_in_an_idl_file_is_shown_once_as_buildtool_idl_shows_it(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    idl = project / "dsp/demo_dsp.idl"

    def both() -> tuple[str, str]:
        """The output of a build after the lines of its steps, and the output of `buildtool idl`."""
        build = buildtool("build", "-j", "2", "-k", cwd=project).stderr
        alone = buildtool("idl", str(idl), "-o", str(project / "out"), cwd=project).stderr
        return build[build.index("error: ") :], alone

    edit(idl, "in sequence<int16> a", "in sequenc<int16> a")
    while_configuring, alone = both()
    assert "unexpected `sequenc`" in alone
    assert while_configuring == alone

    edit(idl, "in sequenc<int16> a", "in sequence<int16> a")
    Project(project).build_here()
    edit(idl, "in sequence<int16> a", "in sequence<int61> a")
    while_building, alone = both()
    assert "int61" in alone
    assert while_building == alone
