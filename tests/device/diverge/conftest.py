"""A project whose program makes 500 calls of three methods, and in which one lane can be wrong.

Numbers are floats in buffers, halves in memory that both sides see, and integers in messages of a
queue.  The skel has a state, so that replays need each call before.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import Project

SKEL = "dsp/src/my_project_dsp_imp.c"
IDL = """
#include "AEEStdDef.idl"
#include "remote.idl"
interface my_project_dsp : remote_handle64 {
    AEEResult add(in int32 number, in sequence<float> a, rout sequence<float> sum);
    AEEResult twice(in int32 number, in int32 fd, in int32 count, rout int32 calls);
    AEEResult mix(in sequence<octet> data, inrout long long state);
    AEEResult connect(in uint64 queue);
    AEEResult leave();
};
"""
KERNELS = r"""
#include <stdint.h>
#include <string.h>

#include "AEEStdErr.h"
#include "HAP_mem.h"
#include "dspqueue.h"
#include "my_project_dsp.h"

static int32_t calls;
static dspqueue_t queue;

int my_project_dsp_open(const char *uri, remote_handle64 *handle)
{
    *handle = 1;
    return 0;
}

int my_project_dsp_close(remote_handle64 handle)
{
    return 0;
}

AEEResult my_project_dsp_add(remote_handle64 handle, int32_t number, const float *a, int a_len,
                             float *sum, int sum_len)
{
    calls++;
    for (int i = 0; i < a_len; i++)
        if (i != 17 || number != UNWRITTEN_CALL)
            sum[i] = a[i] + (float)number;
    if (number == WRONG_CALL && a_len > 17)
        sum[17] += 0.25f;
    return 0;
}

AEEResult my_project_dsp_twice(remote_handle64 handle, int32_t number, int32_t fd, int32_t count,
                               int32_t *made)
{
    uint16_t *values = NULL;
    uint64_t physical;
    if (HAP_mmap_get(fd, (void **)&values, &physical) != 0)
        return AEE_EBADPARM;
    for (int i = 0; i < count; i++)
        values[count + i] = (uint16_t)(values[i] * 2 + number);
    if (number == WRONG_CALL)
        values[count + 2100]++;
    HAP_mmap_put(fd);
    *made = ++calls;
    return 0;
}

AEEResult my_project_dsp_mix(remote_handle64 handle, const unsigned char *data, int size,
                             int64 *state)
{
    calls++;
    for (int i = 0; i < size; i++)
        *state = *state * 31 + data[i];
    return 0;
}

static void serve(dspqueue_t from, AEEResult error, void *context)
{
    int32_t request[2], answer;
    uint32_t flags, count, length;
    while (dspqueue_read_noblock(from, &flags, 0, &count, NULL, sizeof request, &length,
                                 (uint8_t *)request) == AEE_SUCCESS) {
        answer = request[0] * request[1] + (request[0] == WRONG_CALL);
        dspqueue_write(from, 0, 0, NULL, sizeof answer, (const uint8_t *)&answer, 1000000);
    }
}

static void ignore(dspqueue_t from, AEEResult error, void *context)
{
}

AEEResult my_project_dsp_connect(remote_handle64 handle, uint64_t id)
{
    return dspqueue_import(id, serve, ignore, NULL, &queue);
}

AEEResult my_project_dsp_leave(remote_handle64 handle)
{
    return dspqueue_close(queue);
}
"""
MAIN = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dspqueue.h"
#include "my_project_dsp.h"
#include "remote.h"
#include "rpcmem.h"

enum { COUNT = 4000 };

/* program [CALLS]: prints a checksum of all results. */
int main(int argc, char **argv)
{
    struct remote_rpc_control_unsigned_module module = {.domain = CDSP_DOMAIN_ID, .enable = 1};
    const int calls = argc > 1 ? atoi(argv[1]) : 500;
    static float a[3000], sum[3000];
    remote_handle64 handle;
    dspqueue_t queue;
    uint64_t id;
    uint32_t checksum = 0;
    int64 state = 7;

    remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &module, sizeof module);
    if (my_project_dsp_open(my_project_dsp_URI CDSP_DOMAIN, &handle)) return 2;
    uint16_t *values = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, COUNT * 4);
    const int fd = rpcmem_to_fd(values);
    if (fastrpc_mmap(CDSP_DOMAIN_ID, fd, values, 0, COUNT * 4, FASTRPC_MAP_FD)) return 3;
    if (dspqueue_create(CDSP_DOMAIN_ID, 0, 4096, 4096, NULL, NULL, NULL, &queue)) return 4;
    if (dspqueue_export(queue, &id) || my_project_dsp_connect(handle, id)) return 5;
    for (int i = 0; i < 3000; i++) a[i] = (float)(i % 50) * 0.5f;
    for (int i = 0; i < COUNT; i++) values[i] = (uint16_t)i;
    for (int number = 1; number <= calls; number++) {
        int made = 0, size = 20 + number % 3 * 1400;
        uint32_t flags, count, length;
        int32_t answer = 0;
        switch (number % 4) {
        case 0:
            if (my_project_dsp_add(handle, number, a, size, sum, size)) return 6;
            for (int i = 0; i < size; i++) checksum = checksum * 31 + (uint32_t)(sum[i] * 4);
            break;
        case 1:
            values[number] ^= 5;
            if (my_project_dsp_twice(handle, number, fd, COUNT, &made)) return 7;
            for (int i = 0; i < COUNT; i++) checksum = checksum * 31 + values[COUNT + i];
            break;
        case 2:
            if (my_project_dsp_mix(handle, (unsigned char *)sum, size, &state)) return 8;
            break;
        default:
            if (dspqueue_write(queue, 0, 0, NULL, 8, (uint8_t *)(int32_t[]){number, 3}, 1000000))
                return 9;
            if (dspqueue_read(queue, &flags, 0, &count, NULL, 4, &length, (uint8_t *)&answer,
                              DSPQUEUE_TIMEOUT_NONE))
                return 10;
            checksum += (uint32_t)answer;
        }
        if (getenv("ENDS_AT") && number == atoi(getenv("ENDS_AT"))) _exit(9);
    }
    my_project_dsp_leave(handle);
    dspqueue_close(queue);
    fastrpc_munmap(CDSP_DOMAIN_ID, fd, values, COUNT * 4);
    rpcmem_free(values);
    my_project_dsp_close(handle);
    printf("%08x %llx\n", checksum, (unsigned long long)state);
    return 0;
}
"""

REFERENCE = r"""
#include "AEEStdErr.h"
#include "my_project_dsp.h"

int my_project_dsp_open(const char *uri, remote_handle64 *handle)
{
    *handle = 7;
    return 0;
}

int my_project_dsp_close(remote_handle64 handle)
{
    return handle == 7 ? 0 : AEE_EBADPARM;
}

AEEResult my_project_dsp_scale_add(remote_handle64 handle, int16_t factor, const int16_t *a,
                                   int a_len, const int16_t *b, int b_len, int16_t *result,
                                   int result_len)
{
    if (handle != 7 || a_len != b_len || a_len != result_len)
        return AEE_EBADPARM;
    for (int i = 0; i < a_len; i++)
        result[i] = (int16_t)(factor * a[i] + b[i] + (i == WRONG_ELEMENT));
    return 0;
}
"""
MESSAGES = r"""
#include <stdint.h>
#include <string.h>

int buildtool_reference_answer(const uint8_t *message, uint32_t length, const void *buffers,
                               uint32_t count, uint8_t *answer, uint32_t room)
{
    int32_t request[2], product;
    if (length != sizeof request || room < sizeof product)
        return 0;
    memcpy(request, message, length);
    product = request[0] * request[1];
    memcpy(answer, &product, sizeof product);
    return sizeof product;
}
"""
BUILD_MESSAGES = """
add_library(messages_ref SHARED src/messages_ref.c)
install(TARGETS messages_ref LIBRARY DESTINATION lib)
"""
BUILD_REFERENCE = """
buildtool_add_skel(kernels_ref IDL ../dsp/my_project_dsp.idl SOURCES src/kernels_ref.c)
set_target_properties(kernels_ref PROPERTIES OUTPUT_NAME kernels_ref)
install(TARGETS kernels_ref LIBRARY DESTINATION lib)
"""


@pytest.fixture(scope="module")
def calling_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project for boards and phones."""
    return made(tmp_path_factory.mktemp("board"))


@pytest.fixture(scope="module")
def project_on_sim(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The same project."""
    return made(tmp_path_factory.mktemp("sim"))


def made(folder: Path) -> Project:
    """The project; `wrong` says in which call a lane is wrong, or not written."""
    project = Project(folder / "my-project")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    project.write("dsp/my_project_dsp.idl", IDL)
    project.write("host/src/main.c", MAIN)
    project.write("host/src/messages_ref.c", MESSAGES)
    cmake = (project.root / "host/CMakeLists.txt").read_text()
    project.write("host/CMakeLists.txt", cmake + BUILD_MESSAGES)
    project.edit("buildtool.toml", 'archs = ["v68"]', 'archs = ["v68", "v79"]')
    project.edit("dsp/CMakeLists.txt", "-Wextra", "-Wextra -Wno-unused-parameter")
    wrong(project, -1)
    return project


def wrong(project: Project, call: int, unwritten: int = -1) -> None:
    """Make the skel compute a wrong lane in the call with that number, or not write one."""
    calls = f"#define WRONG_CALL {call}\n#define UNWRITTEN_CALL {unwritten}\n"
    project.write(SKEL, calls + KERNELS)
