/* htp-probe's checks of matmul_f16_hmx, by FastRPC and through a queue, and of matmul_u8i8_hmx. */
#include <math.h>
#include <stdlib.h>

#include "AEEStdErr.h"
#include "hmx.h"
#include "htp_ops.h"
#include "probe_ops.h"
#include "probe_queue.h"
#include "probe_random.h"

#define SPREAD 100.0

enum { A_ZERO = 117, C_ZERO = 128 };

/* The inputs and the output of one call, and what the output must be. */
struct product {
    struct hmx_sizes sizes;
    struct probe_buffer a, b, scales, c;
    struct reference_value *wanted; /* rows * columns */
};

typedef int call_function(remote_handle64 handle, const struct product *product);

/* Returns a random fp16 with a magnitude from 2^-3 to 1. */
static uint16_t draw_half(uint64_t *seed, int negative)
{
    return (uint16_t)(0x3000 + random_bits(seed) % 0xc00 + (negative ? 0x8000 : 0));
}

/* A quarter of the weights is negative, so that few results are near 0. */
static void draw_halves(uint64_t *seed, const struct product *product)
{
    uint16_t *a = (uint16_t *)(void *)product->a.data, *b = (uint16_t *)(void *)product->b.data;

    for (size_t i = 0; i < product->a.size / sizeof *a; i++)
        a[i] = draw_half(seed, 0);
    for (size_t i = 0; i < product->b.size / sizeof *b; i++)
        b[i] = draw_half(seed, random_bits(seed) % 4 == 0);
}

/* Random bytes, and for each column a scale for which its results are from 28 to 228. */
static void draw_bytes(uint64_t *seed, const struct product *product)
{
    const int8_t *b = (const int8_t *)product->b.data;
    float *scales = (float *)(void *)product->scales.data;

    for (size_t i = 0; i < product->a.size; i++)
        product->a.data[i] = (uint8_t)(random_bits(seed) >> 56);
    for (size_t i = 0; i < product->b.size; i++)
        product->b.data[i] = (uint8_t)(random_bits(seed) >> 56);
    for (size_t n = 0; n < product->sizes.columns; n++) {
        double largest = 1;

        for (size_t r = 0; r < product->sizes.rows; r++)
            largest = fmax(largest,
                           fabs(hmx_sum(product->a.data, A_ZERO, b, product->sizes, r, n)));
        scales[n] = (float)(SPREAD / largest);
    }
}

static int call_f16(remote_handle64 handle, const struct product *product)
{
    const struct hmx_sizes *sizes = &product->sizes;

    return htp_ops_matmul_f16_hmx(
        handle, (int)sizes->rows, (int)sizes->inner, (int)sizes->columns,
        (const uint16_t *)(const void *)product->a.data, (int)(sizes->rows * sizes->inner),
        (const uint16_t *)(const void *)product->b.data, (int)(sizes->inner * sizes->columns),
        (uint16_t *)(void *)product->c.data, (int)(sizes->rows * sizes->columns));
}

static int call_queue(remote_handle64 handle, const struct product *product)
{
    const queue_request request = {QUEUE_MATMUL_F16_HMX, (int32_t)product->sizes.rows,
                                   (int32_t)product->sizes.inner, (int32_t)product->sizes.columns};

    return probe_queue_call(handle, &request, &product->a, &product->b, &product->c);
}

static int call_u8i8(remote_handle64 handle, const struct product *product)
{
    const struct hmx_sizes *sizes = &product->sizes;

    return htp_ops_matmul_u8i8_hmx(
        handle, (int)sizes->rows, (int)sizes->inner, (int)sizes->columns, product->a.data,
        (int)product->a.size, A_ZERO, (const int8_t *)product->b.data, (int)product->b.size,
        (const float *)(const void *)product->scales.data, (int)sizes->columns, C_ZERO,
        product->c.data, (int)product->c.size);
}

/* Computes what the output must be.  Returns 0 if it would not tell from zeros. */
static int compute(const struct product *product, int halves)
{
    const size_t results = product->sizes.rows * product->sizes.columns;
    size_t telling = 0;

    if (halves)
        reference_matmul_f16((const uint16_t *)(const void *)product->a.data,
                             (const uint16_t *)(const void *)product->b.data, product->sizes,
                             product->wanted);
    else
        reference_matmul_u8i8(product->a.data, A_ZERO, (const int8_t *)product->b.data,
                              (const float *)(const void *)product->scales.data, C_ZERO,
                              product->sizes, product->wanted);
    while (telling < results &&
           fabs(product->wanted[telling].value) > product->wanted[telling].tolerance)
        telling++;
    return telling == results;
}

static int draw(uint64_t *seed, const struct product *product, int halves)
{
    for (int tries = 0; tries < 100; tries++) {
        if (halves)
            draw_halves(seed, product);
        else
            draw_bytes(seed, product);
        if (compute(product, halves))
            return 1;
    }
    return 0;
}

static void run(remote_handle64 handle, const struct product *product, call_function *call,
                struct probe_result *result)
{
    const int halves = call != call_u8i8;
    const uint16_t *c = (const uint16_t *)(const void *)product->c.data;
    const double start = probe_now();
    double middle;
    int code;

    compute(product, halves);
    middle = probe_now();
    code = call(handle, product);
    result->dsp_seconds = probe_now() - middle;
    result->cpu_seconds = middle - start;

    probe_judge_call(result, code, &product->c);
    if ((code & 0xff) == (AEE_EUNSUPPORTED & 0xff))
        result->verdict = PROBE_NO_HMX;
    for (size_t i = 0; i < product->sizes.rows * product->sizes.columns && code == 0; i++)
        probe_compare(result, i, halves ? hmx_half(c[i]) : product->c.data[i],
                      product->wanted[i].value, product->wanted[i].tolerance);
}

static void probe(remote_handle64 handle, uint64_t seed, call_function *call,
                  struct probe_result *result)
{
    struct product product = {
        {result->rows, result->cols, result->count}, {0}, {0}, {0}, {0}, NULL};
    const struct hmx_sizes sizes = product.sizes;
    const size_t results = sizes.rows * sizes.columns, element = call == call_u8i8 ? 1 : 2;

    product.wanted = malloc(results * sizeof *product.wanted);
    if (product.wanted == NULL ||
        !probe_buffer_allocate(&product.a, sizes.rows * sizes.inner * element) ||
        !probe_buffer_allocate(&product.b, sizes.inner * sizes.columns * element) ||
        !probe_buffer_allocate(&product.scales, sizes.columns * sizeof(float)) ||
        !probe_buffer_allocate(&product.c, results * element))
        result->verdict = PROBE_NO_MEMORY;
    else if (!draw(&seed, &product, call != call_u8i8))
        result->verdict = PROBE_UNPROVEN;
    else
        run(handle, &product, call, result);

    probe_buffer_free(&product.a);
    probe_buffer_free(&product.b);
    probe_buffer_free(&product.scales);
    probe_buffer_free(&product.c);
    free(product.wanted);
}

void probe_matmul_f16_hmx(remote_handle64 handle, uint64_t seed, struct probe_result *result)
{
    probe(handle, seed, call_f16, result);
}

void probe_matmul_u8i8_hmx(remote_handle64 handle, uint64_t seed, struct probe_result *result)
{
    probe(handle, seed, call_u8i8, result);
}

void probe_matmul_f16_hmx_queue(remote_handle64 handle, uint64_t seed, struct probe_result *result)
{
    if (probe_has_queues())
        probe(handle, seed, call_queue, result);
    else
        result->verdict = PROBE_NO_QUEUE;
}
