/* kernel_speed.c: how long the floating-point kernels of the sample take. bench/floats.py uses it. */
#include "../../../../dsp/src/gated_delta_step_f32.c"
#include "../../../../dsp/src/rms_norm_f32.c"
#include "HAP_perf.h"
#include "cases.h"

#define SIDE 64
#define COUNT 4096 /* SIDE * SIDE */

static float x[COUNT] __attribute__((aligned(128))), y[COUNT] __attribute__((aligned(128)));

static void fill(const int32_t in[4])
{
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)((i * 37 + in[0]) % 512 - 255) / 256;
    }
}

/* Each stores microseconds. */
static int rms_norm(const int32_t in[4], int32_t out[8])
{
    fill(in);
    const uint64_t start = HAP_perf_get_time_us();
    rms_norm_f32(x, x, COUNT, 1e-6f, y);
    out[0] = (int32_t)(HAP_perf_get_time_us() - start);
    return 0;
}

static int delta_step(const int32_t in[4], int32_t out[8])
{
    fill(in);
    const uint64_t start = HAP_perf_get_time_us();
    gated_delta_step_f32(x, x + SIDE, SIDE, x + 2 * SIDE, SIDE, 0.5f, 0.25f, y, x + 3 * SIDE);
    out[0] = (int32_t)(HAP_perf_get_time_us() - start);
    return 0;
}

const struct named_case cases[] = {CASE(rms_norm), CASE(delta_step), {NULL, NULL}};
