/* htp-probe's check of rms_norm_f32: random values, compared within the reference's tolerance. */
#include <stdlib.h>

#include "htp_ops.h"
#include "probe_ops.h"
#include "probe_random.h"
#include "reference.h"

static const float EPSILON = 1e-6f;

/* Draws random values from 1/4 to 1, of both signs.  None is near zero, so that the tolerance,
 * which is a part of the magnitude, excludes each other element's result. */
static void draw_values(uint64_t *seed, size_t count, float *values)
{
    for (size_t i = 0; i < count; i++) {
        const float value = 0.625f + 0.375f * random_float(seed);

        values[i] = random_bits(seed) & 1 ? value : -value;
    }
}

static void run(remote_handle64 handle, const float *x, const float *weight,
                const struct probe_buffer *output, struct reference_value *wanted,
                struct probe_result *result)
{
    const int count = (int)result->cols;
    float *y = (float *)(void *)output->data;
    const double start = probe_now();
    double middle;
    int code;

    reference_rms_norm_f32(x, weight, result->cols, EPSILON, wanted);
    middle = probe_now();
    code = htp_ops_rms_norm_f32(handle, EPSILON, x, count, weight, count, y, count);
    result->dsp_seconds = probe_now() - middle;
    result->cpu_seconds = middle - start;

    probe_judge_call(result, code, output);
    for (size_t i = 0; i < result->cols && code == 0; i++)
        probe_compare(result, i, (double)y[i], wanted[i].value, wanted[i].tolerance);
}

void probe_rms_norm_f32(remote_handle64 handle, uint64_t seed, struct probe_result *result)
{
    const size_t size = result->cols * sizeof(float);
    struct probe_buffer x = {0}, weight = {0}, y = {0};
    struct reference_value *wanted = malloc(result->cols * sizeof *wanted);

    if (wanted != NULL && probe_buffer_allocate(&x, size) && probe_buffer_allocate(&weight, size) &&
        probe_buffer_allocate(&y, size)) {
        draw_values(&seed, result->cols, (float *)(void *)x.data);
        draw_values(&seed, result->cols, (float *)(void *)weight.data);
        run(handle, (float *)(void *)x.data, (float *)(void *)weight.data, &y, wanted, result);
    } else {
        result->verdict = PROBE_NO_MEMORY;
    }
    probe_buffer_free(&x);
    probe_buffer_free(&weight);
    probe_buffer_free(&y);
    free(wanted);
}
