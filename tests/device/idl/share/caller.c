/* Passes a shared buffer to the DSP, whole and from an offset, and one without a buffer. */
#include <stdio.h>

#include "rpcmem.h"
#include "share.h"

enum { SIZE = 4096 };

int main(void)
{
    struct remote_rpc_control_unsigned_module unsigned_module = {CDSP_DOMAIN_ID, 1};
    remote_handle64 h = 0;
    unsigned length = 0;
    int *values, fd, status;

    remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &unsigned_module,
                           sizeof(unsigned_module));
    status = share_open(share_URI "&_dom=cdsp", &h);
    if (status != 0) {
        printf("open: %x\n", (unsigned)status);
        return 1;
    }
    values = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, SIZE);
    fd = rpcmem_to_fd(values);
    for (int i = 0; i < 4; i++) {
        values[i] = i + 1;
    }
    status = share_twice(h, fd, 0, SIZE, 4, &length);
    printf("doubled %x: %d %d %d %d\n", (unsigned)status, values[0], values[1], values[2],
           values[3]);
    values[2] = 3;
    values[3] = 4;
    status = share_twice(h, fd, 2 * sizeof(int), SIZE, 2, &length);
    printf("offset %x: %d %d\n", (unsigned)status, values[2], values[3]);
    status = share_twice(h, 1000, 0, SIZE, 2, &length);
    printf("closed descriptor: %s\n", status != 0 ? "refused" : "accepted");
    rpcmem_free(values);
    return share_close(h);
}
