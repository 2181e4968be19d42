/* The ARM64 side of @NAME@: runs scale_add on the DSP and checks it against the CPU. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "@IDENT@_dsp.h"
#include "remote.h"
#include "rpcmem.h"

enum { COUNT = 1001, FACTOR = 3, SIZE = COUNT * (int)sizeof(int16_t) };

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

static int check(remote_handle64 handle, int16_t *a, int16_t *b, int16_t *out)
{
    int code;

    for (int i = 0; i < COUNT; i++) {
        a[i] = (int16_t)(i * 37 + 1);
        b[i] = (int16_t)(20000 - i * 11);
    }
    memset(out, 0xff, SIZE); /* so that output that was never written is seen */
    code = @IDENT@_dsp_scale_add(handle, FACTOR, a, COUNT, b, COUNT, out, COUNT);
    if (code != 0) {
        fprintf(stderr, "@NAME@: scale_add failed: 0x%08x\n", (unsigned)code);
        return 1;
    }
    for (int i = 0; i < COUNT; i++) {
        if (out[i] != expected(a, b, i)) {
            fprintf(stderr, "@NAME@: element %d is %d, should be %d\n", i, out[i],
                    expected(a, b, i));
            return 1;
        }
    }
    printf("@NAME@: scale_add of %d elements verified against the CPU\n", COUNT);
    return 0;
}

int main(void)
{
    remote_handle64 handle;
    int16_t *a, *b, *out;
    int status = 1, code;

    rpcmem_init();
    /* Memory that the DSP sees without a copy. */
    a = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, SIZE);
    b = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, SIZE);
    out = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, SIZE);
    code = open_dsp(&handle);
    if (a == NULL || b == NULL || out == NULL)
        fputs("@NAME@: no memory to share with the DSP\n", stderr);
    else if (code != 0)
        fprintf(stderr, "@NAME@: cannot open the skel on the DSP: 0x%08x\n", (unsigned)code);
    else
        status = check(handle, a, b, out);
    if (code == 0)
        @IDENT@_dsp_close(handle);
    rpcmem_free(a);
    rpcmem_free(b);
    rpcmem_free(out);
    rpcmem_deinit();
    return status;
}
