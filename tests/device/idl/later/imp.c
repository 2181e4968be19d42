/* Adds what an asynchronous call passes. */
#include "HAP_mem.h"
#include "later.h"

int later_open(const char *uri, remote_handle64 *h)
{
    (void)uri;
    *h = 1;
    return 0;
}

int later_close(remote_handle64 h)
{
    (void)h;
    return 0;
}

int later_add(remote_handle64 _h, fastrpc_async_descriptor_t *asyncDesc, int number,
              const _cstring1_t *texts, int textsLen, const _dmahandle1_t *buffers, int buffersLen,
              int *sums, int sumsLen)
{
    (void)_h;
    (void)asyncDesc;
    if (sumsLen != 2) {
        return AEE_EBADPARM;
    }
    sums[0] = number;
    sums[1] = 0;
    for (int i = 0; i < textsLen; i++) {
        sums[1] += texts[i].dataLen;
    }
    for (int i = 0; i < buffersLen; i++) {
        int len = (int)buffers[i].len;
        int *memory = HAP_mmap(NULL, len, HAP_PROT_READ, 0, buffers[i].fd, 0);

        if (memory == (void *)-1) {
            return AEE_ENOMEMORY;
        }
        sums[0] += memory[0];
        HAP_munmap(memory, len);
    }
    return 0;
}
