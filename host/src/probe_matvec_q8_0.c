/* htp-probe's check of matvec_q8_0: random blocks, compared within the reference's tolerance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "htp_ops.h"
#include "probe_ops.h"
#include "probe_random.h"
#include "q8_0.h"
#include "reference.h"

/* Fills a row with random values.  The values of the last block beyond `cols` must not
 * affect the result.  They are not zero, so that the comparison fails if they do. */
void probe_draw_q8_0(uint64_t *seed, size_t cols, uint8_t *row)
{
    const size_t blocks = q8_0_blocks(cols);
    const size_t padding = blocks * Q8_0_VALUES - cols;

    for (size_t block = 0; block < blocks; block++) {
        float values[Q8_0_VALUES];

        for (size_t i = 0; i < Q8_0_VALUES; i++)
            values[i] = random_float(seed);
        q8_0_quantize(values, Q8_0_VALUES, row + block * Q8_0_BYTES);
    }
    memset(row + blocks * Q8_0_BYTES - padding, 0x55, padding);
}

/* Draws random inputs for which the result of each row differs from zero by more than its
 * tolerance.  Returns 0 if it finds none. */
static int draw_inputs(uint64_t *seed, size_t rows, size_t cols, uint8_t *weights, uint8_t *x,
                       struct reference_value *wanted)
{
    const size_t row_bytes = q8_0_blocks(cols) * Q8_0_BYTES;

    for (int tries = 0; tries < 100; tries++) {
        size_t telling = 0;

        probe_draw_q8_0(seed, cols, x);
        for (size_t r = 0; r < rows; r++)
            probe_draw_q8_0(seed, cols, weights + r * row_bytes);
        reference_matvec_q8_0(weights, x, rows, cols, wanted);
        while (telling < rows && fabs(wanted[telling].value) > wanted[telling].tolerance)
            telling++;
        if (telling == rows)
            return 1;
    }
    return 0;
}

static void run(remote_handle64 handle, const struct probe_buffer *weights,
                const struct probe_buffer *x, const struct probe_buffer *output,
                struct reference_value *wanted, struct probe_result *result)
{
    const int rows = (int)result->rows, cols = (int)result->cols;
    float *y = (float *)(void *)output->data;
    const double start = probe_now();
    double middle;
    int code;

    reference_matvec_q8_0(weights->data, x->data, result->rows, result->cols, wanted);
    middle = probe_now();
    code = htp_ops_matvec_q8_0(handle, rows, cols, weights->data, (int)weights->size, x->data,
                               (int)x->size, y, rows);
    result->dsp_seconds = probe_now() - middle;
    result->cpu_seconds = middle - start;

    probe_judge_call(result, code, output);
    for (size_t r = 0; r < result->rows && code == 0; r++)
        probe_compare(result, r, (double)y[r], wanted[r].value, wanted[r].tolerance);
}

void probe_matvec_q8_0(remote_handle64 handle, uint64_t seed, struct probe_result *result)
{
    const size_t rows = result->rows, cols = result->cols;
    const size_t row_bytes = q8_0_blocks(cols) * Q8_0_BYTES;
    struct probe_buffer weights = {0}, x = {0}, y = {0};
    struct reference_value *wanted = malloc(rows * sizeof *wanted);

    if (wanted == NULL || !probe_buffer_allocate(&weights, rows * row_bytes) ||
        !probe_buffer_allocate(&x, row_bytes) || !probe_buffer_allocate(&y, rows * sizeof(float)))
        result->verdict = PROBE_NO_MEMORY;
    else if (!draw_inputs(&seed, rows, cols, weights.data, x.data, wanted))
        result->verdict = PROBE_UNPROVEN;
    else
        run(handle, &weights, &x, &y, wanted, result);

    probe_buffer_free(&weights);
    probe_buffer_free(&x);
    probe_buffer_free(&y);
    free(wanted);
}
