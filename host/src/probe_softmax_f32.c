/* htp-probe's check of softmax_f32: random values, compared within the reference's tolerance. */
#include <stdlib.h>

#include "htp_ops.h"
#include "probe_ops.h"
#include "probe_random.h"
#include "reference.h"

static void run(remote_handle64 handle, const float *x, const struct probe_buffer *output,
                struct reference_value *wanted, struct probe_result *result)
{
    const int count = (int)result->cols;
    float *y = (float *)(void *)output->data;
    const double start = probe_now();
    double middle;
    int code;

    reference_softmax_f32(x, result->cols, wanted);
    middle = probe_now();
    code = htp_ops_softmax_f32(handle, x, count, y, count);
    result->dsp_seconds = probe_now() - middle;
    result->cpu_seconds = middle - start;

    probe_judge_call(result, code, output);
    for (size_t i = 0; i < result->cols && code == 0; i++)
        probe_compare(result, i, (double)y[i], wanted[i].value, wanted[i].tolerance);
}

void probe_softmax_f32(remote_handle64 handle, uint64_t seed, struct probe_result *result)
{
    const size_t size = result->cols * sizeof(float);
    struct probe_buffer x = {0}, y = {0};
    struct reference_value *wanted = malloc(result->cols * sizeof *wanted);

    if (wanted != NULL && probe_buffer_allocate(&x, size) && probe_buffer_allocate(&y, size)) {
        float *values = (float *)(void *)x.data;

        /* Without the subtraction of the maximum, the sum overflows. */
        for (size_t i = 0; i < result->cols; i++)
            values[i] = 100 + 4 * random_float(&seed);
        run(handle, values, &y, wanted, result);
    } else {
        result->verdict = PROBE_NO_MEMORY;
    }
    probe_buffer_free(&x);
    probe_buffer_free(&y);
    free(wanted);
}
