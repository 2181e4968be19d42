/* units.c: the arch, the vector units, VTCM and HMX. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "AEEStdErr.h"
#include "checks.h"

enum { ELEMENTS = 1 << 15, RUNS = 20 };

int check_arch(remote_handle64 handle)
{
    int32_t arch = 0, units = 0;
    const int code = device_probe_info(handle, &arch, &units);

    if (code == 0)
        printf("arch %" PRId32 "\nunits %" PRId32 "\n", arch, units);
    return code;
}

static void print_wrong(int wrong, int wrong_runs)
{
    printf("elements %d\nruns %d\nwrong %d\nwrong_runs %d\n", ELEMENTS, RUNS, wrong, wrong_runs);
}

int check_hvx_integer(remote_handle64 handle)
{
    int16_t *a = calloc(ELEMENTS, 3 * sizeof *a), *b = a + ELEMENTS, *result = b + ELEMENTS;
    int code = 0, wrong = 0, wrong_runs = 0;

    if (a == NULL)
        return AEE_ENOMEMORY;
    for (int i = 0; i < ELEMENTS; i++) {
        a[i] = (int16_t)(i * 40503);
        b[i] = (int16_t)(i * 30011 + 7);
    }
    for (int run = 0; run < RUNS && code == 0; run++) {
        const int before = wrong;

        code = device_probe_add_mul_i16(handle, a, ELEMENTS, b, ELEMENTS, result, ELEMENTS);
        for (int i = 0; i < ELEMENTS; i++)
            wrong += (uint16_t)result[i] != (uint16_t)(a[i] * b[i] + a[i]);
        wrong_runs += wrong > before;
    }
    free(a);
    print_wrong(wrong, wrong_runs);
    return code;
}

/* Whether `sum` is a + b but for the rounding of three operations. */
static int is_close(float sum, float a, float b)
{
    return fabsf(sum - (a + b)) <= (fabsf(a) + fabsf(b)) * 4 * FLT_EPSILON;
}

/* The formats of HVX round otherwise than IEEE: qfloat keeps half of a last place in each result. */
int check_hvx_float(remote_handle64 handle)
{
    float *a = calloc(ELEMENTS, 3 * sizeof *a), *b = a + ELEMENTS, *result = b + ELEMENTS;
    int code = 0, wrong = 0, wrong_runs = 0;

    if (a == NULL)
        return AEE_ENOMEMORY;
    for (int i = 0; i < ELEMENTS; i++) {
        a[i] = (float)(i % 2047 - 1023);
        b[i] = (float)(i % 1021 - 510) / 4;
    }
    for (int run = 0; run < RUNS && code == 0; run++) {
        const int before = wrong;

        code = device_probe_add_mul_f32(handle, a, ELEMENTS, b, ELEMENTS, result, ELEMENTS);
        for (int i = 0; i < ELEMENTS; i++)
            wrong += !is_close(result[i], a[i] * b[i], a[i]);
        wrong_runs += wrong > before;
    }
    free(a);
    print_wrong(wrong, wrong_runs);
    return code;
}

int check_vtcm(remote_handle64 handle)
{
    uint32_t total = 0, acquired = 0, nonzero = 0, wrong = 0;
    const int code = device_probe_vtcm(handle, &total, &acquired, &nonzero, &wrong);

    if (code == 0) {
        printf("total %" PRIu32 "\nacquired %" PRIu32 "\n", total, acquired);
        printf("nonzero %" PRIu32 "\nwrong %" PRIu32 "\n", nonzero, wrong);
    }
    return code;
}

int check_hmx(remote_handle64 handle)
{
    int32_t power = 0, acquire = 0, lock = 0, half = 0, byte = 0;
    const int code = device_probe_hmx(handle, &power, &acquire, &lock, &half, &byte);

    if (code == 0) {
        printf("power %" PRId32 "\nacquire %" PRId32 "\nlock %" PRId32 "\n", power, acquire, lock);
        printf("half %" PRId32 "\nbyte %" PRId32 "\n", half, byte);
    }
    return code;
}
