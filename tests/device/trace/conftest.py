"""The template's project with events on both sides."""

from __future__ import annotations

import pytest

from tests.project import Project

MAIN = "host/src/main.c"
SKEL = "dsp/src/my_project_dsp_imp.c"
WORKERS = r"""
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "bt_trace.h"

/* With SLOW_CLOCKS a thread waits in the first readings of a clock, as on a busy machine. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int readings;

    if (getenv("SLOW_CLOCKS") && readings++ < 6) usleep(20000);
    return (int)syscall(SYS_clock_gettime, clock, time);
}

static remote_handle64 shared_handle;

static void *work(void *number)
{
    int16_t a[64], b[64], out[64];
    const char *calls = getenv("CALLS");

    bt_trace_begin(number ? "worker 1" : "worker 0");
    for (int i = 0; i < (calls ? atoi(calls) : 5); i++) {
        bt_trace_begin("step");
        check(shared_handle, 64, a, b, out);
        bt_trace_end();
    }
    bt_trace_end();
    return NULL;
}

static int map_and_unmap(void)
{
    const int size = 1 << 20;
    void *memory = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, size);
    int file = rpcmem_to_fd(memory);
    int code = fastrpc_mmap(CDSP_DOMAIN_ID, file, memory, 0, (size_t)size, FASTRPC_MAP_FD);

    code = code ? code : fastrpc_munmap(CDSP_DOMAIN_ID, file, memory, (size_t)size);
    rpcmem_free(memory);
    return code;
}

int main(void)
"""
RUN = r"""    if (map_and_unmap()) return 9;
    shared_handle = handle;
    if (getenv("SAYS")) fprintf(stderr, "%s\n", getenv("SAYS"));
    if (getenv("THREADS")) {
        pthread_t threads[2];
        for (int i = 0; i < 2; i++)
            if (pthread_create(&threads[i], NULL, work, i ? &threads[i] : NULL)) return 8;
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    } else {
        work(NULL);
    }
    for (int i = 0; i < 2"""
IN_SKEL = """    FARF(HIGH, "%d elements, %s", a_len,
         "and a text that is longer than the name of one record: it goes on and on");
    bt_trace_begin("vectors");
    for (; i + LANES"""


@pytest.fixture(scope="session")
def traced_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose program maps a buffer and calls the DSP in one thread, or with THREADS in
    two, CALLS times in each."""
    project = Project(tmp_path_factory.mktemp("traced") / "my-project")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    project.edit(MAIN, "int main(void)\n", WORKERS)
    project.edit(MAIN, "    for (int i = 0; i < 2", RUN)
    farf = '#define FARF_HIGH 1\n#include "HAP_farf.h"\n'
    project.edit(SKEL, '#include "HAP_power.h"\n', f'{farf}#include "HAP_power.h"\n')
    project.edit(SKEL, '#include "my_project', '#include "bt_trace.h"\n#include "my_project')
    project.edit(SKEL, "    for (; i + LANES", IN_SKEL)
    project.edit(SKEL, "    if (i < a_len) {", "    bt_trace_end();\n    if (i < a_len) {")
    return project
