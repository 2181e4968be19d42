"""On the emulated device, the first finding after a failure is its cause."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.json_documents import validate
from tests.project import Project

SKEL = "libdemo_dsp_skel.so"
AS_ARGUMENT = {
    "uri-without-domain": ("uri-without-domain", "remote_handle64_open refuses a URI"),
    "other-dsp": ("dsp-missing-on-sim", "The emulated device has no such DSP."),
    "other-entry": (
        "skel-uri",
        f"bin/demo opens {SKEL} and asks for demo_skel_handle_invoke; {SKEL} exports",
    ),
    "other-skel": (
        "skel-uri",
        "bin/demo opens libother_skel.so, which dsp/v68 of the release does",
    ),
    "signed-process": ("unsigned-skel-in-signed-process", "The DSP process is a signed one"),
    "full-disk": ("disk-full", "A file system of the device is full."),
}


def finding_of(project: Project, *arguments: str, status: int = 3) -> dict[str, Any] | None:
    done = project.run("run", "sim", "--json", *arguments)
    assert done.returncode == status, done.stderr
    document = json.loads(done.stdout)
    validate("run", document)
    found: dict[str, Any] | None = document["finding"]
    return found


@pytest.mark.parametrize("fault", AS_ARGUMENT)
def test_a_program_with(fault: str, built: Project) -> None:
    found = finding_of(built, "--", "bin/demo", fault)

    assert found
    name, cause = AS_ARGUMENT[fault]
    assert (found["name"], found["cause"][: len(cause)]) == (name, cause)
    assert found["evidence"].startswith("stderr:1: ")
    assert found["remedy"]


def test_a_program_with_a_fault_of_its_own_has_no_finding(built: Project) -> None:
    assert finding_of(built, "--", "bin/demo", "own-fault") is None


def test_a_program_that_succeeds_has_no_finding(built: Project) -> None:
    assert finding_of(built, status=0) is None


def test_the_screen_ends_with_the_cause_the_line_and_the_remedy(built: Project) -> None:
    built.run("run", "sim", "--", "bin/demo", "other-skel")

    assert built.messages.splitlines()[-3] == (
        "cause: bin/demo opens libother_skel.so, which dsp/v68 of the release does not have; it has"
        f" {SKEL}"
    )
    *_, line, remedy = built.messages.splitlines()
    assert line.startswith("  stderr:1: libcdsprpc: libother_skel.so for cdsp is not in")
    assert remedy.startswith("  → Ship the skel under that name")


def test_a_skel_of_another_name(project: Project) -> None:
    more = "\nset_target_properties(demo_dsp_skel PROPERTIES OUTPUT_NAME other_skel)\n"
    project.write("dsp/CMakeLists.txt", (project.root / "dsp/CMakeLists.txt").read_text() + more)
    found = finding_of(project)

    assert found
    assert found["cause"].endswith("does not have; it has libother_skel.so")


def test_a_stub_of_another_interface(project: Project) -> None:
    idl = (project.root / "dsp/demo_dsp.idl").read_text()
    other = idl.replace("in int16 factor", "in int16 factor, in sequence<int16> more")
    project.write("host/demo_dsp.idl", other)
    project.edit("host/CMakeLists.txt", "../dsp/demo_dsp.idl", "demo_dsp.idl")
    project.edit("host/src/main.c", "handle, 3, a", "handle, 3, a, 2, a")
    found = finding_of(project)

    assert found
    assert found["name"] == "idl-digest"
    assert found["cause"] == f"{SKEL} and the stub are generated from different IDL"


def test_a_kernel_that_refuses_its_arguments(project: Project) -> None:
    project.edit("dsp/src/demo_dsp_imp.c", "b_len != a_len ||", "a_len > 0 || b_len != a_len ||")
    cause = (
        "demo_dsp_scale_add (method 2) itself returned AEE_EBADPARM (0x8000040e); bytes of its"
        " buffers: in "
    )
    found = finding_of(project)

    assert found
    assert found["name"] == "method-error"
    assert found["cause"].startswith(cause)
    assert "; out " in found["cause"]
    tests = json.loads(project.run("test", "sim", "--json").stdout)["tests"]
    assert [test["finding"]["cause"][: len(cause)] for test in tests] == [cause]


VOTE = """
static int vote(void)
{
    HAP_power_request_t request = {.type = HAP_power_set_HMX, .hmx = {.power_up = TRUE}};
    return HAP_power_set(NULL, &request);
}
"""


def test_a_kernel_that_demands_hmx_of_a_soc_without(project: Project) -> None:
    include = '#include "demo_dsp.h"\n'
    project.edit("dsp/src/demo_dsp_imp.c", include, include + VOTE)
    project.edit("dsp/src/demo_dsp_imp.c", "b_len != a_len ||", "vote() || b_len != a_len ||")
    found = finding_of(project, "--soc", "SM8635")

    assert found
    assert found["name"] == "hmx-missing-on-sim"
    assert found["cause"].startswith("The skel demands HMX, which this SoC does not have")
    line = "[dsp] ERROR: HAP_power_set: the SM8635 has no HMX that can be powered up"
    assert found["evidence"] == f"stderr:1: {line}"
    assert finding_of(project, "--soc", "SM8550", status=0) is None


def test_a_program_that_hangs_after_a_failure(built: Project) -> None:
    done = built.run("run", "sim", "--timeout", "3s", "--", "bin/demo", "hang")

    assert done.returncode == 125
    error = built.messages[built.messages.index("error: ") :]
    assert error.splitlines()[0] == "error: bin/demo did not end in 3 s"
    assert "bin/demo opens libother_skel.so, which dsp/v68 of the release does not have" in error
    assert "→ Ship the skel under that name" in error


def test_tests_with_one_cause_show_it_once(project: Project) -> None:
    text = (project.root / "buildtool.toml").read_text()
    for name in ("one", "two"):
        text += f'\n[test.{name}]\nprogram = "bin/demo"\nargs = ["other-skel"]\n'
    project.write("buildtool.toml", text)
    done = project.run("test", "sim")

    assert done.returncode == 1
    assert "test/one, test/two: cause: bin/demo opens libother_skel.so" in done.stdout
    assert done.stdout.count("cause: ") == 1
    tests = json.loads(project.run("test", "sim", "--json").stdout)["tests"]
    names = {test["name"]: (test["finding"] or {}).get("name") for test in tests}
    assert names == {"verified": None, "one": "skel-uri", "two": "skel-uri"}
