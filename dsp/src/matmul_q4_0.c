/*
 * Product of a matrix in Q4_0 and vectors in Q8_0; with one vector, the matrix-vector product.
 *
 * A group is eight blocks: 128 bytes of nibbles, 256 values.  The low nibbles are the first half of
 * the values of each block, the high nibbles the second half.  The values of the vectors are put
 * into the same order once, at the beginning.  Then two vrmpy for each group make 32 sums of eight
 * products, four for each block, and two rotations and additions one exact integer for each block.
 * The scalar unit scales it: HVX has no exact conversion of integers to floats on all archs.
 */
#include <malloc.h>
#include <stdlib.h>

#include "fp16.h"
#include "hvx.h"
#include "kernels.h"
#include "staging.h"
#include "workers.h"

enum {
    GROUP_BLOCKS = 8,
    GROUP_VALUES = GROUP_BLOCKS * Q4_0_VALUES,
    GROUP_BYTES = GROUP_BLOCKS * Q4_0_BYTES,
    HALF = Q4_0_VALUES / 2,
    BLOCK_LANES = HVX_WORDS / GROUP_BLOCKS,
    TILE = 4,             /* vectors for each group of weights that is unpacked */
    CHUNK_BYTES = 16384,  /* of weights, at a time in VTCM */
    WORKER_BYTES = 16384, /* of weights for which a thread is worth its start */
};

/* A group of a vector, or of weights. */
struct group {
    HVX_Vector low, high;    /* the first and the second half of the values of each block */
    float scales[HVX_WORDS]; /* in element 4k: block k's, with a factor that cancels out */
};

struct product {
    HVX_Vector packing; /* packing_control() */
    const uint8_t *weights;
    const struct group *x; /* `groups` for each of `count` vectors */
    float *y;
    size_t rows, row_bytes, groups, count, workers;
    uint8_t *vtcm; /* two chunks for each worker, or NULL */
};

static float block_scale(const uint8_t *block)
{
    return fp16_to_float((uint32_t)block[0] | (uint32_t)block[1] << 8);
}

/*
 * Puts the first `values` values of blocks of Q8_0, at most a group, into the order of the weights.
 * The others are 0.  A load from 18k + 2 bytes after the start puts the first half of block k into
 * bytes 16k to 16k + 15 of the vector.  The loads stay within the group's 272 bytes.
 */
static void prepare_group(const uint8_t *blocks, size_t values, struct group *group)
{
    uint8_t room[GROUP_BLOCKS * Q8_0_BYTES];
    HVX_Vector low, high;

    if (values < GROUP_VALUES) {
        const size_t rest = values % Q8_0_VALUES;

        memset(room, 0, sizeof room);
        blocks = memcpy(room, blocks,
                        values / Q8_0_VALUES * Q8_0_BYTES + (rest ? Q8_0_SCALE_BYTES + rest : 0));
    }
    low = hvx_load(blocks + 128);
    high = hvx_load(blocks + 128 + HALF);
    for (int k = GROUP_BLOCKS - 2; k >= 0; k--) {
        const HVX_VectorPred first = Q6_Q_vsetq2_R(HALF * (k + 1));
        const uint8_t *from = blocks + 18 * k + Q8_0_SCALE_BYTES;

        low = Q6_V_vmux_QVV(first, hvx_load(from), low);
        high = Q6_V_vmux_QVV(first, hvx_load(from + HALF), high);
    }
    group->low = low;
    group->high = high;
    memset(group->scales, 0, sizeof group->scales);
    for (size_t k = 0; k < GROUP_BLOCKS; k++) /* 2^112 completes the scales of the weights */
        group->scales[k * BLOCK_LANES] = block_scale(blocks + k * Q8_0_BYTES) * 0x1p112f;
}

/*
 * Returns the control of a vrdelta that moves byte 18k + j to 16k + j, for j < 16.  For each bit, from
 * 1 to 64, vrdelta takes a byte from the place with this bit inverted where the control has the bit.
 * As the bytes move closer together, no two meet on their ways.
 */
static HVX_Vector packing_control(void)
{
    uint8_t control[HVX_BYTES] = {0};

    for (unsigned to = 0; to < HVX_BYTES; to++) {
        unsigned at = to / HALF * Q4_0_BYTES + to % HALF;

        for (unsigned bit = 1; bit < HVX_BYTES && at < HVX_BYTES; bit *= 2) {
            if (((at ^ to) & bit) != 0) {
                at ^= bit;
                control[at] = (uint8_t)(control[at] | bit);
            }
        }
    }
    return hvx_load(control);
}

/*
 * Unpacks a group of weights, with scales that are 2^-112 of their values: an fp16 is a float whose
 * exponent is 112 too small, also if it is subnormal.  The loads stay within the group's 144 bytes.
 */
static struct group unpack(const uint8_t *blocks, HVX_Vector packing)
{
    const HVX_Vector infinity = Q6_V_vsplat_R(0x7c00), eight = Q6_Vb_vsplat_R(8);
    const HVX_Vector nibbles = Q6_V_vmux_QVV(Q6_Q_vsetq2_R(HVX_BYTES - HALF),
                                             Q6_V_vrdelta_VV(hvx_load(blocks + 2), packing),
                                             hvx_load(blocks + 16)); /* the last block */
    const HVX_Vector halves = Q6_V_vrdelta_VV(hvx_load(blocks),
                                              packing); /* in lane 4k: block k's */
    const HVX_Vector magnitude = Q6_V_vand_VV(halves, Q6_V_vsplat_R(0x7fff));
    HVX_Vector scales = Q6_Vw_vasl_VwR(magnitude, 13);
    struct group group;

    scales = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(infinity, magnitude), scales,
                           Q6_V_vor_VV(scales, Q6_V_vsplat_R(0x7f800000))); /* infinity, NaN */
    scales = Q6_V_vor_VV(scales, Q6_Vw_vasl_VwR(Q6_V_vand_VV(halves, Q6_V_vsplat_R(0x8000)), 16));
    group.low = Q6_Vb_vsub_VbVb(Q6_V_vand_VV(nibbles, Q6_Vb_vsplat_R(15)), eight);
    group.high = Q6_Vb_vsub_VbVb(Q6_Vub_vlsr_VubR(nibbles, 4), eight);
    hvx_store(group.scales, scales);
    return group;
}

/* Returns `sum` plus the products of a group, block by block. */
static float add_group(float sum, const struct group *w, const struct group *x)
{
    int32_t lanes[HVX_WORDS];
    HVX_Vector dots = Q6_Vw_vrmpyacc_VwVbVb(Q6_Vw_vrmpy_VbVb(w->low, x->low), w->high, x->high);

    dots = Q6_Vw_vadd_VwVw(dots, Q6_V_vror_VR(dots, 8));
    dots = Q6_Vw_vadd_VwVw(dots, Q6_V_vror_VR(dots, 4)); /* lane 4k: the sum of block k */
    hvx_store(lanes, dots);
#pragma clang loop unroll(full)
    for (size_t k = 0; k < GROUP_BLOCKS; k++) {
        const float scale = w->scales[k * BLOCK_LANES] * x->scales[k * BLOCK_LANES];
        /* A separate statement, so that it is not fused with the addition. */
        const float term = scale * (float)lanes[k * BLOCK_LANES];

        sum += term;
    }
    return sum;
}

/* Multiplies one row with `count` vectors, at most TILE. */
static void multiply_row(const struct product *product, const uint8_t *row, const struct group *x,
                         size_t count, float *sums)
{
    memset(sums, 0, count * sizeof *sums);
    for (size_t g = 0; g < product->groups; g++) {
        const size_t at = g * GROUP_BYTES, present = product->row_bytes - at;
        const uint8_t *blocks = row + at;
        uint8_t room[GROUP_BYTES];
        struct group weights;

        if (present < GROUP_BYTES) { /* the last group, padded with blocks of zeros */
            memset(room, 0, sizeof room);
            blocks = memcpy(room, blocks, present);
        }
        weights = unpack(blocks, product->packing);
        for (size_t n = 0; n < count; n++)
            sums[n] = add_group(sums[n], &weights, &x[n * product->groups + g]);
    }
}

/* The rows of worker i of `workers`. */
static void multiply_rows(void *argument, size_t i)
{
    const struct product *product = argument;
    const size_t first = product->rows * i / product->workers;
    const size_t end = product->rows * (i + 1) / product->workers;
    const size_t fitting = CHUNK_BYTES / product->row_bytes, step = fitting > 0 ? fitting : 1;
    uint8_t *vtcm = product->vtcm && fitting > 0 ? product->vtcm + 2 * CHUNK_BYTES * i : NULL;
    struct staging staging;

    staging_begin(&staging, product->weights + first * product->row_bytes,
                  (end - first) * product->row_bytes, step * product->row_bytes, vtcm);
    for (size_t chunk = first; chunk < end; chunk += step) {
        const uint8_t *rows = staging_next(&staging);

        for (size_t r = chunk; r < end && r < chunk + step; r++, rows += product->row_bytes) {
            for (size_t n = 0; n < product->count; n += TILE) {
                const size_t tile = product->count - n < TILE ? product->count - n : TILE;
                float sums[TILE];

                multiply_row(product, rows, product->x + n * product->groups, tile, sums);
                for (size_t t = 0; t < tile; t++)
                    product->y[(n + t) * product->rows + r] = sums[t];
            }
        }
    }
}

int matmul_q4_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols, size_t count,
                float *y)
{
    const size_t blocks = cols / Q4_0_VALUES + (cols % Q4_0_VALUES != 0);
    const size_t groups = (blocks + GROUP_BLOCKS - 1) / GROUP_BLOCKS;
    struct product product = {.weights = weights,
                              .y = y,
                              .rows = rows,
                              .groups = groups,
                              .row_bytes = blocks * Q4_0_BYTES,
                              .count = count,
                              .packing = packing_control()};
    const size_t worth = rows * product.row_bytes / WORKER_BYTES;
    struct group *prepared;
    unsigned context = 0;

    if (groups == 0 || count == 0) {
        memset(y, 0, rows * count * sizeof *y);
        return 1;
    }
    prepared = memalign(HVX_BYTES, count * groups * sizeof *prepared);
    if (prepared == NULL)
        return 0;
    for (size_t n = 0; n < count; n++, x += blocks * Q8_0_BYTES)
        for (size_t g = 0; g < groups; g++)
            prepare_group(x + g * GROUP_BLOCKS * Q8_0_BYTES, cols - g * GROUP_VALUES,
                          &prepared[n * groups + g]);
    product.x = prepared;
    product.workers = worth < 1 ? 1 : worth < WORKERS_MAX ? worth : WORKERS_MAX;
    if (product.workers > 1)
        product.vtcm = vtcm_acquire(2 * CHUNK_BYTES * product.workers, &context);
    run_workers(product.workers, multiply_rows, &product);
    vtcm_release(context);
    free(prepared);
    return 1;
}
