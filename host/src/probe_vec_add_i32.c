/* htp-probe's check of vec_add_i32: random terms, compared for equality. */
#include <stdlib.h>

#include "htp_ops.h"
#include "probe_ops.h"
#include "probe_random.h"
#include "reference.h"

/* Draws random terms, none of whose sums is zero, so that zero is always a wrong result. */
static void draw_terms(uint64_t *seed, size_t count, int32_t *a, int32_t *b)
{
    for (size_t i = 0; i < count; i++) {
        a[i] = (int32_t)(random_bits(seed) >> 32);
        b[i] = (int32_t)(random_bits(seed) >> 32);
        if ((uint32_t)a[i] + (uint32_t)b[i] == 0)
            b[i] ^= 1;
    }
}

static void run(remote_handle64 handle, const int32_t *a, const int32_t *b,
                const struct probe_buffer *output, int32_t *wanted, struct probe_result *result)
{
    const int count = (int)result->cols;
    int32_t *sum = (int32_t *)(void *)output->data;
    const double start = probe_now();
    double middle;
    int code;

    reference_vec_add_i32(a, b, wanted, result->cols);
    middle = probe_now();
    code = htp_ops_vec_add_i32(handle, a, count, b, count, sum, count);
    result->dsp_seconds = probe_now() - middle;
    result->cpu_seconds = middle - start;

    probe_judge_call(result, code, output);
    for (size_t i = 0; i < result->cols && code == 0; i++)
        probe_compare(result, i, sum[i], wanted[i], 0);
}

void probe_vec_add_i32(remote_handle64 handle, uint64_t seed, struct probe_result *result)
{
    const size_t size = result->cols * sizeof(int32_t);
    struct probe_buffer a = {0}, b = {0}, sum = {0};
    int32_t *wanted = malloc(size);

    if (wanted != NULL && probe_buffer_allocate(&a, size) && probe_buffer_allocate(&b, size) &&
        probe_buffer_allocate(&sum, size)) {
        int32_t *first = (int32_t *)(void *)a.data, *second = (int32_t *)(void *)b.data;

        draw_terms(&seed, result->cols, first, second);
        run(handle, first, second, &sum, wanted, result);
    } else {
        result->verdict = PROBE_NO_MEMORY;
    }
    probe_buffer_free(&a);
    probe_buffer_free(&b);
    probe_buffer_free(&sum);
    free(wanted);
}
