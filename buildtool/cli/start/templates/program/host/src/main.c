/* The ARM64 side of @NAME@: runs scale_add on the DSP and checks it against the CPU. */
#include <stdint.h>
#include <stdio.h>

#include "@IDENT@_dsp.h"
#include "remote.h"
#include "rpcmem.h"

enum { FACTOR = 3 };

/* Whole vectors, after which the memory ends with --strict, and whole vectors and a rest. */
static const int counts[] = {1024, 1001};

/* The first open decides what kind of process the DSP makes: skels that are not signed
 * need an unsigned one. */
static int open_dsp(remote_handle64 *handle)
{
    struct remote_rpc_control_unsigned_module module = {.domain = CDSP_DOMAIN_ID, .enable = 1};
    const int code = remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &module, sizeof module);

    return code != 0 ? code : @IDENT@_dsp_open(@IDENT@_dsp_URI CDSP_DOMAIN, handle);
}

static int16_t expected(const int16_t *a, const int16_t *b, int i)
{
    return (int16_t)(uint16_t)(FACTOR * a[i] + b[i]);
}

static int check(remote_handle64 handle, int count, int16_t *a, int16_t *b, int16_t *out)
{
    int code;

    for (int i = 0; i < count; i++) {
        a[i] = (int16_t)(i * 37 + 1);
        b[i] = (int16_t)(20000 - i * 11);
        out[i] = -1; /* so that output that was never written is seen */
    }
    code = @IDENT@_dsp_scale_add(handle, FACTOR, a, count, b, count, out, count);
    if (code != 0) {
        fprintf(stderr, "@NAME@: scale_add failed: 0x%08x\n", (unsigned)code);
        return 1;
    }
    for (int i = 0; i < count; i++) {
        if (out[i] != expected(a, b, i)) {
            fprintf(stderr, "@NAME@: element %d of %d is %d, should be %d\n", i, count, out[i],
                    expected(a, b, i));
            return 1;
        }
    }
    return 0;
}

/* Memory that the DSP sees without a copy. */
static int16_t *shared(int count)
{
    return rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, count * (int)sizeof(int16_t));
}

static int check_in_shared_memory(remote_handle64 handle, int count)
{
    int16_t *a = shared(count), *b = shared(count), *out = shared(count);
    int status = 1;

    if (a == NULL || b == NULL || out == NULL)
        fputs("@NAME@: no memory to share with the DSP\n", stderr);
    else
        status = check(handle, count, a, b, out);
    rpcmem_free(a);
    rpcmem_free(b);
    rpcmem_free(out);
    return status;
}

int main(void)
{
    remote_handle64 handle;
    int status = 0, code;

    rpcmem_init();
    code = open_dsp(&handle);
    if (code != 0) {
        fprintf(stderr, "@NAME@: cannot open the skel on the DSP: 0x%08x\n", (unsigned)code);
        return 1;
    }
    for (int i = 0; i < 2 && status == 0; i++)
        status = check_in_shared_memory(handle, counts[i]);
    if (status == 0)
        printf("@NAME@: scale_add of %d and %d elements verified against the CPU\n", counts[0],
               counts[1]);
    @IDENT@_dsp_close(handle);
    rpcmem_deinit();
    return status;
}
