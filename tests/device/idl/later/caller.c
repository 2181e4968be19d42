/* Submits calls one after the other and then waits for all of them. */
#include <stdio.h>
#include <string.h>

#include "later.h"
#include "rpcmem.h"

enum { JOBS = 24, SIZE = 4096 };

int main(void)
{
    struct remote_rpc_control_unsigned_module unsigned_module = {CDSP_DOMAIN_ID, 1};
    static char text[JOBS][JOBS + 1];
    fastrpc_async_descriptor_t jobs[JOBS];
    int sums[JOBS][2];
    remote_handle64 h = 0;
    int *memory = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, SIZE);
    const _dmahandle1_t buffer = {rpcmem_to_fd(memory), 0, SIZE};
    int status, wrong = 0;

    remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &unsigned_module,
                           sizeof(unsigned_module));
    status = later_open(later_URI "&_dom=cdsp", &h);
    memory[0] = 1000;
    memset(sums, 0, sizeof(sums));
    for (int i = 0; status == 0 && i < JOBS; i++) {
        const _cstring1_t texts[2] = {{text[i], i + 1}, {text[i], i + 1}};

        memset(text[i], 'x', (size_t)i);
        memset(&jobs[i], 0, sizeof(jobs[i]));
        jobs[i].type = FASTRPC_ASYNC_POLL;
        status = later_add(h, &jobs[i], i, texts, 2, &buffer, 1, sums[i], 2);
    }
    for (int i = 0; status == 0 && i < JOBS; i++) {
        int result = -1;

        status = fastrpc_async_get_status(jobs[i].jobid, -1, &result);
        status = status == 0 ? fastrpc_release_async_job(jobs[i].jobid) : status;
        wrong += result != 0 || sums[i][0] != 1000 + i || sums[i][1] != 2 * (i + 1);
    }
    printf("%x, %d wrong\n", (unsigned)status, wrong);
    return later_close(h);
}
