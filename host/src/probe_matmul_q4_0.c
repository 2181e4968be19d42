/* htp-probe's checks of matvec_q4_0, by FastRPC and through a queue, and of matmul_q4_0. */
#include <math.h>
#include <stdlib.h>

#include "htp_ops.h"
#include "probe_ops.h"
#include "probe_queue.h"
#include "probe_random.h"
#include "q8_0.h"
#include "reference.h"

/* The inputs and the output of one call, and what the output must be. */
struct product {
    size_t rows, cols, count;
    struct probe_buffer weights, x, y;
    struct reference_value *wanted; /* count * rows */
};

typedef int call_function(remote_handle64 handle, const struct product *product);

/* Fills a row with random nibbles, and scales from 2^-8 to 2^-3. */
static void draw_weights(uint64_t *seed, size_t blocks, uint8_t *row)
{
    for (size_t block = 0; block < blocks; block++, row += Q4_0_BYTES) {
        const uint64_t bits = random_bits(seed);
        const unsigned scale = 0x1c00 + (unsigned)(bits >> 8) % 0x1400;

        row[0] = (uint8_t)(scale & 0xff);
        row[1] = (uint8_t)(scale >> 8 | (bits & 0x80));
        for (size_t i = 2; i < Q4_0_BYTES; i++)
            row[i] = (uint8_t)(random_bits(seed) >> 56);
    }
}

/* Draws random inputs for which each result differs from zero by more than its tolerance.  Returns
 * 0 if it finds none. */
static int draw_inputs(uint64_t *seed, struct product *product)
{
    const size_t blocks = q8_0_blocks(product->cols), results = product->rows * product->count;

    for (int tries = 0; tries < 100; tries++) {
        size_t telling = 0;

        draw_weights(seed, product->rows * blocks, product->weights.data);
        for (size_t n = 0; n < product->count; n++)
            probe_draw_q8_0(seed, product->cols, product->x.data + n * blocks * Q8_0_BYTES);
        reference_matmul_q4_0(product->weights.data, product->x.data, product->rows, product->cols,
                              product->count, product->wanted);
        while (telling < results &&
               fabs(product->wanted[telling].value) > product->wanted[telling].tolerance)
            telling++;
        if (telling == results)
            return 1;
    }
    return 0;
}

static int call_matvec(remote_handle64 handle, const struct product *product)
{
    return htp_ops_matvec_q4_0(handle, (int)product->rows, (int)product->cols,
                               product->weights.data, (int)product->weights.size, product->x.data,
                               (int)product->x.size, (float *)(void *)product->y.data,
                               (int)product->rows);
}

static int call_matmul(remote_handle64 handle, const struct product *product)
{
    return htp_ops_matmul_q4_0(handle, (int)product->rows, (int)product->cols, (int)product->count,
                               product->weights.data, (int)product->weights.size, product->x.data,
                               (int)product->x.size, (float *)(void *)product->y.data,
                               (int)(product->rows * product->count));
}

static int call_queue(remote_handle64 handle, const struct product *product)
{
    const queue_request request = {QUEUE_MATVEC_Q4_0, (int32_t)product->rows,
                                   (int32_t)product->cols, 1};

    return probe_queue_call(handle, &request, &product->weights, &product->x, &product->y);
}

static void run(remote_handle64 handle, struct product *product, call_function *call,
                struct probe_result *result)
{
    const float *y = (const float *)(const void *)product->y.data;
    const double start = probe_now();
    double middle;
    int code;

    reference_matmul_q4_0(product->weights.data, product->x.data, product->rows, product->cols,
                          product->count, product->wanted);
    middle = probe_now();
    code = call(handle, product);
    result->dsp_seconds = probe_now() - middle;
    result->cpu_seconds = middle - start;

    probe_judge_call(result, code, &product->y);
    for (size_t i = 0; i < product->rows * product->count && code == 0; i++)
        probe_compare(result, i, (double)y[i], product->wanted[i].value,
                      product->wanted[i].tolerance);
}

static void probe(remote_handle64 handle, uint64_t seed, call_function *call,
                  struct probe_result *result)
{
    struct product product = {
        result->rows, result->cols, result->count ? result->count : 1, {0}, {0}, {0}, NULL};
    const size_t blocks = q8_0_blocks(product.cols), results = product.rows * product.count;

    product.wanted = malloc(results * sizeof *product.wanted);
    if (product.wanted == NULL ||
        !probe_buffer_allocate(&product.weights, product.rows * blocks * Q4_0_BYTES) ||
        !probe_buffer_allocate(&product.x, product.count * blocks * Q8_0_BYTES) ||
        !probe_buffer_allocate(&product.y, results * sizeof(float)))
        result->verdict = PROBE_NO_MEMORY;
    else if (!draw_inputs(&seed, &product))
        result->verdict = PROBE_UNPROVEN;
    else
        run(handle, &product, call, result);

    probe_buffer_free(&product.weights);
    probe_buffer_free(&product.x);
    probe_buffer_free(&product.y);
    free(product.wanted);
}

void probe_matvec_q4_0(remote_handle64 handle, uint64_t seed, struct probe_result *result)
{
    probe(handle, seed, call_matvec, result);
}

void probe_matmul_q4_0(remote_handle64 handle, uint64_t seed, struct probe_result *result)
{
    probe(handle, seed, call_matmul, result);
}

void probe_matvec_q4_0_queue(remote_handle64 handle, uint64_t seed, struct probe_result *result)
{
    if (probe_has_queues())
        probe(handle, seed, call_queue, result);
    else
        result->verdict = PROBE_NO_QUEUE;
}
