/* Works on a shared buffer in place. */
#include "HAP_mem.h"
#include "share.h"

int share_open(const char *uri, remote_handle64 *h)
{
    (void)uri;
    *h = 1;
    return 0;
}

int share_close(remote_handle64 h)
{
    (void)h;
    return 0;
}

AEEResult share_twice(remote_handle64 _h, int buffer, uint32_t bufferOffset, uint32_t bufferLen,
                      int count, unsigned int *length)
{
    void *memory = HAP_mmap(NULL, (int)bufferLen, HAP_PROT_READ | HAP_PROT_WRITE, 0, buffer, 0);
    int *values = (int *)(void *)((char *)memory + bufferOffset);

    (void)_h;
    if (memory == (void *)-1) {
        return AEE_ENOMEMORY;
    }
    for (int i = 0; i < count; i++) {
        values[i] *= 2;
    }
    *length = bufferLen;
    return HAP_munmap(memory, (int)bufferLen);
}
