/* Maps each shared buffer to read or to write a number at its offset. */
#include "HAP_mem.h"
#include "many.h"

#ifdef many_URI
#define HANDLE remote_handle64 _h,

int many_open(const char *uri, remote_handle64 *h)
{
    (void)uri;
    *h = 1;
    return 0;
}

int many_close(remote_handle64 h)
{
    (void)h;
    return 0;
}
#else
#define HANDLE
#endif

/* Reads the number of a buffer into `value`, or replaces it. */
static int access_number(const _dmahandle1_t *buffer, int *value, int replace)
{
    int prot = HAP_PROT_READ | HAP_PROT_WRITE;
    char *memory = HAP_mmap(NULL, (int)buffer->len, prot, 0, buffer->fd, 0);
    int *number = (int *)(void *)(memory + buffer->offset);

    if (memory == (void *)-1) {
        return AEE_ENOMEMORY;
    }
    if (replace) {
        *number = *value;
    } else {
        *value = *number;
    }
    return HAP_munmap(memory, (int)buffer->len);
}

static int add(const _dmahandle1_t *buffers, int count, int64_t *sum)
{
    int result = 0, number = 0;

    for (int i = 0; result == 0 && i < count; i++) {
        result = access_number(&buffers[i], &number, 0);
        *sum += number;
    }
    return result;
}

AEEResult many_add(HANDLE const _dmahandle1_t *buffers, int buffersLen, int64_t *sum)
{
    *sum = 0;
    return add(buffers, buffersLen, sum);
}

AEEResult many_spread(HANDLE const _dmahandle1_t *buffers, int buffersLen, _dmahandle1_t *made,
                      int madeLen, int last, uint32_t lastOffset, uint32_t lastLen,
                      unsigned int *lengths, int lengthsLen)
{
    const _dmahandle1_t last_buffer = {last, lastOffset, lastLen};
    int64_t sum = 0;
    int result = add(buffers, buffersLen, &sum);

    result = result != 0 ? result : add(&last_buffer, 1, &sum);
    for (int i = 0; result == 0 && i < madeLen; i++) {
        int number = (int)sum + i;
        result = access_number(&made[i], &number, 1);
    }
    for (int i = 0; i < lengthsLen; i++) {
        int at = i - buffersLen;
        lengths[i] = at < 0 ? buffers[i].len : at < madeLen ? made[at].len : lastLen;
    }
    return result;
}
