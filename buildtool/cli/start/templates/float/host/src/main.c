/* The ARM64 side of @NAME@: runs the kernels on the DSP and checks them against the CPU. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "@IDENT@_dsp.h"
#include "remote.h"
#include "rpcmem.h"

#define EPSILON 1e-6f
#define ALLOWED 1e-5 /* of a result's magnitude, or of the largest one */

/* Whole vectors, after which the memory ends with --strict, and whole vectors and a rest. */
static const int counts[] = {1024, 1001};
enum { MAX_COUNT = 1024 };

/* What the DSP reads and writes, in memory that it sees without a copy. */
struct numbers {
    float x[MAX_COUNT], y[MAX_COUNT];
    _Float16 a[MAX_COUNT], b[MAX_COUNT];
};

/* The first open decides what kind of process the DSP makes: skels that are not signed
 * need an unsigned one. */
static int open_dsp(remote_handle64 *handle)
{
    struct remote_rpc_control_unsigned_module module = {.domain = CDSP_DOMAIN_ID, .enable = 1};
    const int code = remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &module, sizeof module);

    return code != 0 ? code : @IDENT@_dsp_open(@IDENT@_dsp_URI CDSP_DOMAIN, handle);
}

static void fill(struct numbers *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        numbers->x[i] = (float)(i * 37 % 1000 - 500) / 60;
        numbers->y[i] = NAN; /* so that output that was never written is seen */
        numbers->a[i] = (_Float16)((float)(i * 29 % 200) / 100);
        numbers->b[i] = (_Float16)((float)(i * 31 % 200) / 100);
    }
}

static int is_near(const char *method, int i, double is, double wanted, double magnitude)
{
    if (fabs(is - wanted) <= ALLOWED * magnitude)
        return 1;
    fprintf(stderr, "@NAME@: %s: element %d is %.9g, should be %.9g\n", method, i, is, wanted);
    return 0;
}

static int has_failed(const char *method, int code)
{
    if (code != 0)
        fprintf(stderr, "@NAME@: %s failed: 0x%08x\n", method, (unsigned)code);
    return code != 0;
}

static int check_rms_norm(remote_handle64 handle, struct numbers *numbers, int count)
{
    double squares = 0;
    const int code = @IDENT@_dsp_rms_norm(handle, EPSILON, numbers->x, count, numbers->y, count);

    if (has_failed("rms_norm", code))
        return 1;
    for (int i = 0; i < count; i++)
        squares += (double)numbers->x[i] * numbers->x[i];
    for (int i = 0; i < count; i++) {
        const double wanted = numbers->x[i] / sqrt(squares / count + EPSILON);
        if (!is_near("rms_norm", i, numbers->y[i], wanted, fabs(wanted)))
            return 1;
    }
    return 0;
}

static int check_softmax(remote_handle64 handle, struct numbers *numbers, int count)
{
    double sum = 0;
    const int code = @IDENT@_dsp_softmax(handle, numbers->x, count, numbers->y, count);

    if (has_failed("softmax", code))
        return 1;
    for (int i = 0; i < count; i++)
        sum += exp(numbers->x[i]);
    for (int i = 0; i < count; i++) {
        const double wanted = exp(numbers->x[i]) / sum;
        if (!is_near("softmax", i, numbers->y[i], wanted, wanted))
            return 1;
    }
    return 0;
}

static int check_dot_f16(remote_handle64 handle, struct numbers *numbers, int count)
{
    double wanted = 0;
    float result = NAN;
    const int code = @IDENT@_dsp_dot_f16(handle, (const uint16_t *)numbers->a, count,
                                      (const uint16_t *)numbers->b, count, &result);

    if (has_failed("dot_f16", code))
        return 1;
    for (int i = 0; i < count; i++)
        wanted += (double)numbers->a[i] * (double)numbers->b[i];
    return !is_near("dot_f16", 0, result, wanted, wanted);
}

static int check(remote_handle64 handle, int count)
{
    struct numbers *numbers = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS,
                                           sizeof *numbers);
    int status;

    if (numbers == NULL) {
        fputs("@NAME@: no memory to share with the DSP\n", stderr);
        return 1;
    }
    fill(numbers, count);
    status = check_rms_norm(handle, numbers, count) || check_softmax(handle, numbers, count) ||
             check_dot_f16(handle, numbers, count);
    rpcmem_free(numbers);
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
        status = check(handle, counts[i]);
    if (status == 0)
        printf("@NAME@: rms_norm, softmax and dot_f16 of %d and %d numbers verified against the "
               "CPU\n",
               counts[0], counts[1]);
    @IDENT@_dsp_close(handle);
    rpcmem_deinit();
    return status;
}
