/*
 * Matrix products on HMX, of halves and of bytes.
 *
 * The weights are packed into tiles once, in memory.  Two threads take turns: while one has the HMX
 * lock and multiplies a row of tiles, the other packs its next row or unpacks its last one.  While
 * HMX uses a chunk of the weights, user DMA copies the next one to VTCM.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "AEEStdErr.h"
#include "HAP_compute_res.h"
#include "hmx.h"
#include "hmx_tiles.h"
#include "hvx.h"
#include "kernels.h"
#include "staging.h"
#include "workers.h"

enum { TURNS = 2, BIAS_BYTES = 256, HALF = 2, WAIT_US = 1000000 };

/* Up to v69, a convert has other words: 0 is a scale of 1 for halves, and bytes have no output bias. */
enum { OLD_WORDS = __HEXAGON_ARCH__ < 73, ONE = OLD_WORDS ? 0 : 0x3c00 };

struct product {
    int halves;
    const uint8_t *a;
    uint8_t *c;
    size_t rows, inner, columns;
    size_t depth, parts; /* tiles of a chunk, and chunks of a column of tiles */
    size_t row_tiles, column_tiles;
    uint8_t *weights; /* packed, one column of tiles after the other */
    uint8_t *bias;    /* BIAS_BYTES for each column of tiles */
    unsigned context; /* of VTCM and HMX */
    uint8_t *vtcm;
    size_t workers;
    int code; /* of a lock that failed, or 0 */
};

static size_t tile_rows(const struct product *product)
{
    return product->halves ? HMX_ROWS_HF : HMX_ROWS_UB;
}

static size_t chunk_bytes(const struct product *product)
{
    return product->depth * (product->halves ? HMX_WEIGHTS_HF_BYTES : HMX_WEIGHTS_B_BYTES);
}

static size_t activation_bytes(const struct product *product)
{
    return product->parts * product->depth * HMX_TILE_BYTES;
}

/* The VTCM of a worker: activations, results, two chunks of weights, and the bias words. */
static size_t worker_bytes(const struct product *product)
{
    const size_t used = activation_bytes(product) + product->column_tiles * HMX_TILE_BYTES +
                        2 * chunk_bytes(product) + product->column_tiles * BIAS_BYTES;

    return hmx_blocks(used, HMX_TILE_BYTES) * HMX_TILE_BYTES;
}

static void pack_weights(struct product *product, const void *b)
{
    const size_t column_step = product->parts * chunk_bytes(product);
    const struct hmx_tiles tiles = {product->weights, chunk_bytes(product) / product->depth,
                                    column_step};

    memset(product->weights, 0, product->column_tiles * column_step);
    if (product->halves)
        hmx_pack_hf(b, product->columns, product->inner, product->columns, tiles);
    else
        hmx_pack_bytes(b, product->columns, product->inner, product->columns, HMX_ROWS_B, tiles);
}

/* Multiplies a row of tiles with all weights.  The thread has the HMX lock. */
static void multiply(const struct product *product, const uint8_t *activations, const uint8_t *bias,
                     struct staging *staging, uint8_t *results)
{
    const size_t part_bytes = product->depth * HMX_TILE_BYTES;

    for (size_t n = 0; n < product->column_tiles; n++, results += HMX_TILE_BYTES) {
        hmx_load_bias(bias + n * BIAS_BYTES);
        if (product->halves)
            hmx_clear_hf();
        else
            hmx_clear_ub();
        for (size_t part = 0; part < product->parts; part++) {
            const uint8_t *weights = staging_next(staging);

            if (product->halves)
                hmx_multiply_hf(activations + part * part_bytes, weights, product->depth);
            else
                hmx_multiply_ub(activations + part * part_bytes, weights, product->depth);
            hmx_fence(); /* before the next copy overwrites the weights before these */
        }
        if (product->halves)
            hmx_store_hf(results);
        else
            hmx_store_ub(results);
    }
}

/* The rows of tiles of worker i: each `workers`th. */
static void multiply_rows(void *argument, size_t i)
{
    struct product *product = argument;
    uint8_t *activations = product->vtcm + i * worker_bytes(product);
    uint8_t *results = activations + activation_bytes(product);
    uint8_t *weights = results + product->column_tiles * HMX_TILE_BYTES;
    uint8_t *bias = weights + 2 * chunk_bytes(product);
    const struct hmx_tiles in = {activations, 0, HMX_TILE_BYTES},
                           out = {results, 0, HMX_TILE_BYTES};
    const size_t step = tile_rows(product), element = product->halves ? HALF : 1;

    memset(activations, 0, activation_bytes(product));
    memcpy(bias, product->bias, product->column_tiles * BIAS_BYTES);
    for (size_t r = i * step; r < product->rows; r += product->workers * step) {
        const size_t rows = product->rows - r < step ? product->rows - r : step;
        const uint8_t *a = product->a + r * product->inner * element;
        uint8_t *c = product->c + r * product->columns * element;
        struct staging staging;
        int code;

        if (product->halves)
            hmx_pack_hf((const void *)a, product->inner, rows, product->inner, in);
        else
            hmx_pack_bytes(a, product->inner, rows, product->inner, HMX_ROWS_UB, in);
        hmx_fence();
        staging_begin(&staging, product->weights,
                      product->column_tiles * product->parts * chunk_bytes(product),
                      chunk_bytes(product), weights);
        code = HAP_compute_res_hmx_lock(product->context);
        if (code != AEE_SUCCESS) {
            product->code = code;
            return;
        }
        multiply(product, activations, bias, &staging, results);
        hmx_fence();
        HAP_compute_res_hmx_unlock(product->context);
        if (product->halves)
            hmx_unpack_hf(out, product->columns, rows, product->columns, (void *)c);
        else
            hmx_unpack_ub(out, product->columns, rows, product->columns, c);
    }
}

/* Acquires HMX, and VTCM for the workers.  Waits for other users of HMX. */
static int acquire(struct product *product)
{
    compute_res_attr_t attributes;
    int code = HAP_compute_res_attr_init(&attributes);

    if (code == AEE_SUCCESS)
        code = HAP_compute_res_attr_set_hmx_param(&attributes, 1);
    if (code == AEE_SUCCESS)
        code = HAP_compute_res_attr_set_vtcm_param(
            &attributes, (unsigned)(product->workers * worker_bytes(product)), 1);
    if (code != AEE_SUCCESS)
        return code;
    product->context = HAP_compute_res_acquire(&attributes, WAIT_US);
    if (product->context == 0)
        return AEE_ENOMEMORY;
    product->vtcm = HAP_compute_res_attr_get_vtcm_ptr(&attributes);
    return AEE_SUCCESS;
}

/* Sets bias word `word` (0: low, 1: high) of a column. */
static void set_bias(const struct product *product, size_t column, size_t word, uint32_t value)
{
    uint8_t *to = product->bias + column / HMX_COLUMNS * BIAS_BYTES + word * BIAS_BYTES / 2 +
                  column % HMX_COLUMNS * sizeof value;

    memcpy(to, &value, sizeof value);
}

/* Multiplies, with `b` in memory and the bias words set.  Releases what `product` has. */
static int run(struct product *product, const void *b)
{
    int code = acquire(product);

    if (code == AEE_SUCCESS) {
        pack_weights(product, b);
        run_workers(product->workers, multiply_rows, product);
        code = product->code;
        HAP_compute_res_release(product->context);
    }
    free(product->weights);
    free(product->bias);
    return code;
}

/* Divides the product into tiles and allocates what it needs.  Returns 0 without memory. */
static int prepare(struct product *product, const void *a, void *c)
{
    const size_t tiles = hmx_blocks(product->inner, HMX_COLUMNS);

    product->a = a;
    product->c = c;
    product->row_tiles = hmx_blocks(product->rows, tile_rows(product));
    product->column_tiles = hmx_blocks(product->columns, HMX_COLUMNS);
    product->parts = hmx_blocks(tiles, HMX_DEPTH);
    product->depth = hmx_blocks(tiles, product->parts);
    product->workers = product->row_tiles < TURNS ? product->row_tiles : TURNS;
    product->weights = memalign(HVX_BYTES,
                                product->column_tiles * product->parts * chunk_bytes(product));
    product->bias = calloc(product->column_tiles, BIAS_BYTES);
    if (product->weights != NULL && product->bias != NULL)
        return 1;
    free(product->weights);
    free(product->bias);
    return 0;
}

int matmul_f16_hmx(const uint16_t *a, const uint16_t *b, size_t rows, size_t inner, size_t columns,
                   uint16_t *c)
{
    struct product product = {.halves = 1, .rows = rows, .inner = inner, .columns = columns};

    if (!prepare(&product, a, c))
        return AEE_ENOMEMORY;
    for (size_t n = 0; n < product.column_tiles * HMX_COLUMNS; n++)
        set_bias(&product, n, 0, ONE);
    return run(&product, b);
}

/* Returns the low word for a scale, 1.m * 2^(e - 24), and an output bias that also rounds. */
static uint32_t scale_word(float scale, uint8_t zero)
{
    uint32_t bits;

    memcpy(&bits, &scale, sizeof bits);
    bits += 1u << 12; /* rounds to 10 bits of mantissa */
    return (16u * (OLD_WORDS ? 0 : zero) + 8) << 19 | ((bits >> 23) - 127 + 24) << 10 |
           (bits >> 13 & 0x3ff);
}

int matmul_u8i8_hmx(const struct hmx_quantized *q, size_t rows, size_t inner, size_t columns,
                    uint8_t *c)
{
    struct product product = {.rows = rows, .inner = inner, .columns = columns};

    if (!prepare(&product, q->a, c))
        return AEE_ENOMEMORY;
    for (size_t n = 0; n < columns; n++) {
        int32_t sum = 0;

        for (size_t k = 0; k < inner; k++)
            sum += q->b[k * columns + n];
        sum *= -q->a_zero;
        if (OLD_WORDS)
            sum += (int32_t)((float)q->c_zero / q->scales[n] + 0.5f);
        set_bias(&product, n, 0, scale_word(q->scales[n], q->c_zero));
        set_bias(&product, n, 1, (uint32_t)sum);
    }
    return run(&product, q->b);
}
