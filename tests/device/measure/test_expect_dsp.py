"""`--expect-dsp`: what a program asks of the DSP is counted between it and libcdsprpc."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.device.devices.emulated_board import emulated_board
from tests.device.measure.measured import document
from tests.json_documents import validate
from tests.project import Project

MAIN = "host/src/main.c"
# The program returns as if the DSP had done the work.
ON_THE_CPU = """    (void)handle;
    for (int i = 0; i < count; i++) out[i] = (int16_t)(FACTOR * (int16_t)(i * 37 + 1)
                                                       + (int16_t)(20000 - i * 11));
    code = 0;
    for (int i = 0; i < count; i++) {
        a[i] = (int16_t)(i * 37 + 1);
        b[i] = (int16_t)(20000 - i * 11);
    }
"""
CALL = "    code = my_project_dsp_scale_add(handle, FACTOR, a, count, b, count, out, count);\n"
LEAK = """    {
        void *kept = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, 1 << 20);
        if (fastrpc_mmap(CDSP_DOMAIN_ID, rpcmem_to_fd(kept), kept, 0, 1 << 20, FASTRPC_MAP_FD))
            return 7;
    }
"""
QUEUE = """    {
        dspqueue_t queue; /* without a message */
        if (dspqueue_create(CDSP_DOMAIN_ID, 0, 0, 0, NULL, NULL, NULL, &queue)) return 8;
    }
"""
LOADED = r"""
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include "remote.h"
int main(void)
{
    remote_handle64 handle;
    void *library = dlopen("libcdsprpc.so", RTLD_NOW);
    int (*control)(uint32_t, void *, uint32_t), (*open)(const char *, remote_handle64 *);
    int (*invoke)(remote_handle64, uint32_t, remote_arg *);
    int (*create)(int, uint32_t, uint32_t, uint32_t, void *, void *, void *, void **);
    int (*write)(void *, uint32_t, uint32_t, void *, uint32_t, const void *, uint32_t);
    void *queue;
    struct remote_rpc_control_unsigned_module module = {.domain = CDSP_DOMAIN_ID, .enable = 1};
    if (!library) return 2;
    *(void **)&control = dlsym(library, "remote_session_control");
    *(void **)&open = dlsym(library, "remote_handle64_open");
    *(void **)&invoke = dlsym(library, "remote_handle64_invoke");
    if (!control || control(DSPRPC_CONTROL_UNSIGNED_MODULE, &module, sizeof module)) return 3;
    if (open("file:///libmy_project_dsp_skel.so?my_project_dsp_skel_handle_invoke&_modver=1.0"
             "&_dom=cdsp", &handle)) return 4;
    *(void **)&create = dlsym(library, "dspqueue_create");
    *(void **)&write = dlsym(library, "dspqueue_write");
    if (!create || create(CDSP_DOMAIN_ID, 0, 4096, 4096, NULL, NULL, NULL, &queue)) return 5;
    if (!write || write(queue, 0, 0, NULL, 4, "abc", 1000000)) return 6;
    return invoke(handle, 9u << 24, NULL) == 0; /* there is no such method */
}
"""


@pytest.fixture(scope="module", params=["sim", pytest.param("board", marks=pytest.mark.long)])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Project, str]]:
    """The template's project, and the device: sim, or a board behind sshd."""
    folder = tmp_path_factory.mktemp("calls of the dsp")
    project = Project(folder / "my-project")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    if request.param == "sim":
        yield project, "sim"
        return
    with emulated_board(tmp_path_factory.mktemp("board")) as board:
        project.variables = board.client.environment
        how = f'transport = "ssh"\naddress = "{board.client.host}"\n'
        root = f'root = "{board.device.home / "root"}"\n'
        project.write("devices.toml", f"[device.board]\n{how}{root}")
        yield project, "board"


@pytest.fixture
def program(place: tuple[Project, str]) -> Iterator[tuple[Project, str]]:
    """The same; the program is restored after the test."""
    main = place[0].root / MAIN
    before = main.read_text()
    yield place
    main.write_text(before)


def test_calls_are_counted_with_names(program: tuple[Project, str]) -> None:
    project, device = program
    done = project.run("run", device, "--expect-dsp", "--json")
    found = json.loads(done.stdout)
    again = project.run("run", device)

    validate("run", found)
    assert done.returncode == 0, done.stderr
    calls = found["dsp_calls"]
    assert (calls["opened"], calls["closed"]) == (1, 1)
    (row,) = calls["methods"]
    assert (row["name"], row["calls"], row["failed"]) == ("my_project_dsp_scale_add", 2, 0)
    assert (row["bytes_out"], row["seconds"] > 0) == (2 * (1024 + 1001), True)
    # What is current, and what ships, is as before.
    assert (
        again.stdout == "my-project: scale_add of 1024 and 1001 elements verified against the CPU\n"
    )
    assert not [*project.root.glob(".buildtool/release/sim/lib/libcdsprpc*")]
    assert not [*project.root.glob(".buildtool/counted-*")]


def test_a_skel_that_is_not_called_after_its_idl_has_names(program: tuple[Project, str]) -> None:
    project, device = program
    uri = '"file:///libmy-htp.so?my_project_dsp_skel_handle_invoke&_modver=1.0"'
    project.edit(MAIN, "my_project_dsp_URI", uri)
    listing = project.root / "dsp/CMakeLists.txt"
    before = listing.read_text()
    listing.write_text(before + "set_target_properties(my_project_dsp_skel PROPERTIES"
                                " OUTPUT_NAME my-htp)\n")  # fmt: skip
    done = project.run("run", device, "--expect-dsp", "--json")
    listing.write_text(before)

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    (row,) = found["dsp_calls"]["methods"]
    assert (row["skel"], row["name"]) == ("libmy-htp.so", "my_project_dsp_scale_add")
    names = [row["name"] for row in found["methods"]]  # only sim counts these
    assert set(names) <= {f"my_project_dsp_{name}" for name in ("open", "close", "scale_add")}
    assert "my_project_dsp_scale_add: 2 calls" in done.stderr


def test_a_program_that_falls_back_to_the_cpu_has_failed(program: tuple[Project, str]) -> None:
    project, device = program
    project.edit(MAIN, CALL, ON_THE_CPU)
    trusting = project.run("run", device)
    done = project.run("run", device, "--expect-dsp")
    tests = json.loads(project.run("test", device, "--expect-dsp", "--json").stdout)

    assert (trusting.returncode, done.returncode) == (0, 125), done.stderr
    assert "0 successful calls of the DSP, 0.0 MiB mapped, 1 opened\n" in done.stderr
    assert "the program did not use the DSP as expected; the exit status is 125" in done.stderr
    (result,) = tests["tests"]
    assert (result["outcome"], result["message"]) == (
        "failed",
        "0 successful calls of the DSP, 0.0 MiB mapped, 1 opened",
    )


def test_a_bench_that_falls_back_has_no_number(project_with_kernel: Project) -> None:
    project = project_with_kernel
    project.edit(MAIN, CALL, ON_THE_CPU)
    found = document(project, "sim", "--expect-dsp", status=1)

    assert [row["check"] for row in found["failed"]] == ["dsp calls"]


def test_what_is_left_open_is_said(program: tuple[Project, str]) -> None:
    project, device = program
    project.edit(MAIN, CALL, LEAK + CALL)
    project.edit(MAIN, "    my_project_dsp_close(handle);\n", "")
    done = project.run("run", device, "--expect-dsp")

    assert done.returncode == 0, done.stderr
    assert "2 of 2 buffers not unmapped: 2.0 MiB\n" in done.stderr
    assert "1 of 1 handles not closed\n" in done.stderr


def test_a_library_that_is_loaded_at_run_time_is_counted(program: tuple[Project, str]) -> None:
    project, device = program
    project.write(MAIN, LOADED)
    done = project.run("run", device, "--expect-dsp", "--json")

    assert done.returncode == 0, done.stderr
    calls = json.loads(done.stdout)["dsp_calls"]
    (row,) = calls["methods"]
    assert calls["messages"] == 1
    assert (row["skel"], row["method"]) == ("libmy_project_dsp_skel.so", 9)
    assert (row["calls"], row["failed"], row["name"]) == (1, 1, "")


def test_a_queue_without_messages_is_no_use_of_the_dsp(program: tuple[Project, str]) -> None:
    project, device = program
    file = project.root / "buildtool.toml"
    before = file.read_text()
    project.edit(MAIN, '#include "remote.h"', '#include "dspqueue.h"\n#include "remote.h"')
    project.edit(MAIN, CALL, QUEUE + CALL)
    done = project.run("run", device, "--expect-dsp", "--json")
    file.write_text(before + '\n[project.expect-dsp]\nmy_project_dsp_scale_add = ">= 2"\n')
    expected = project.run("run", device, "--expect-dsp")
    file.write_text(before)

    assert done.returncode == 125, done.stderr
    calls = json.loads(done.stdout)["dsp_calls"]
    assert (calls["queues"], calls["messages"], calls["methods"][0]["calls"]) == (2, 0, 2)
    assert calls["problem"].startswith("0 messages in 2 queues, ")
    assert "did not use the DSP as expected; the exit status is 125" in done.stderr
    assert expected.returncode == 0, expected.stderr


def test_a_killed_program_has_counts(program: tuple[Project, str]) -> None:
    project, device = program
    project.edit(MAIN, CALL, f"{CALL}    __builtin_trap();\n")
    done = project.run("run", device, "--expect-dsp", "--json")

    assert done.returncode in (128 + 4, 128 + 5)  # SIGILL or SIGTRAP
    assert json.loads(done.stdout)["dsp_calls"]["methods"][0]["calls"] == 1


def test_the_counts_leave_nothing_on_the_device(program: tuple[Project, str]) -> None:
    project, device = program
    project.succeeds("run", device, "--expect-dsp")
    if device == "sim":
        roots = [*project.root.glob(".buildtool/device/*")]
    else:
        text = (project.root / "devices.toml").read_text()
        roots = [Path(text.partition('root = "')[2].partition('"')[0])]
    (root,) = roots
    assert not [*root.rglob("*.calls")]
