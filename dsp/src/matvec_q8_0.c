/*
 * Matrix-vector product over Q8_0 blocks.
 *
 * A vector of 128 bytes holds the values of a group, which is four blocks.  For each group,
 * vrmpy multiplies 128 pairs of bytes and adds the products in groups of four.  Three
 * rotations and additions reduce these to one integer for each block, which the scalar unit
 * scales.
 */
#include "fp16.h"
#include "hvx.h"
#include "kernels.h"

enum {
    GROUP_BLOCKS = HVX_BYTES / Q8_0_VALUES,
    GROUP_BYTES = GROUP_BLOCKS * Q8_0_BYTES,
    TILE_ROWS = 4 /* number of rows for each unpacked group of x */
};

/* Returns the group at `blocks`, of which `present` bytes exist.  If that is less than a
 * group, returns a copy in `room`, padded with blocks of zeros. */
static const uint8_t *whole_group(const uint8_t *blocks, size_t present, uint8_t *room)
{
    if (present >= GROUP_BYTES)
        return blocks;
    memset(room, 0, GROUP_BYTES);
    memcpy(room, blocks, present);
    return room;
}

/*
 * Returns the 128 values of a group, without the scales between them.  A load from 2k + 2
 * bytes after the start puts the values of block k into bytes 32k to 32k + 31 of the
 * vector.  The four loads stay within the group's 136 bytes.
 */
static HVX_Vector group_values(const uint8_t *group)
{
    const HVX_Vector high = Q6_V_vmux_QVV(Q6_Q_vsetq2_R(96), hvx_load(group + 6),
                                          hvx_load(group + 8));
    const HVX_Vector low = Q6_V_vmux_QVV(Q6_Q_vsetq2_R(32), hvx_load(group + 2),
                                         hvx_load(group + 4));

    return Q6_V_vmux_QVV(Q6_Q_vsetq2_R(64), low, high);
}

static float block_scale(const uint8_t *block)
{
    return fp16_to_float((uint32_t)block[0] | (uint32_t)block[1] << 8);
}

/* Sets dots[k] to the integer dot product of the blocks k. */
static void group_dots(HVX_Vector w, HVX_Vector x, int32_t dots[GROUP_BLOCKS])
{
    int32_t lanes[HVX_WORDS];
    HVX_Vector sums = Q6_Vw_vrmpy_VbVb(w, x); /* 8 lanes for each block */

    sums = Q6_Vw_vadd_VwVw(sums, Q6_V_vror_VR(sums, 16));
    sums = Q6_Vw_vadd_VwVw(sums, Q6_V_vror_VR(sums, 8));
    sums = Q6_Vw_vadd_VwVw(sums, Q6_V_vror_VR(sums, 4)); /* lane 8k: the sum of block k */
    hvx_store(lanes, sums);
    for (size_t k = 0; k < GROUP_BLOCKS; k++)
        dots[k] = lanes[k * (HVX_WORDS / GROUP_BLOCKS)];
}

/* Adds the products of one group, `at` bytes into each row, to y[0..rows).  The group has
 * `blocks` blocks, of which the first `values` values are used. */
static void add_group(const uint8_t *weights, const uint8_t *x, size_t row_bytes, size_t at,
                      size_t blocks, size_t values, size_t rows, float *y)
{
    uint8_t x_room[GROUP_BYTES], w_room[GROUP_BYTES];
    const size_t present = blocks * Q8_0_BYTES;
    const uint8_t *x_group = whole_group(x + at, present, x_room);
    /* Unused values are set to zero in x only, which makes those of the weights irrelevant. */
    const HVX_Vector x_values = Q6_V_vmux_QVV(Q6_Q_vsetq2_R((int32_t)values), group_values(x_group),
                                              Q6_V_vzero());

    for (size_t r = 0; r < rows; r++) {
        const uint8_t *w_group = whole_group(weights + r * row_bytes + at, present, w_room);
        int32_t dots[GROUP_BLOCKS];

        group_dots(group_values(w_group), x_values, dots);
        for (size_t k = 0; k < blocks; k++) {
            const float scale = block_scale(w_group + k * Q8_0_BYTES) *
                                block_scale(x_group + k * Q8_0_BYTES);
            /* A separate statement, so that it is not fused with the addition. */
            const float product = scale * (float)dots[k];

            y[r] += product;
        }
    }
}

void matvec_q8_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols, float *y)
{
    const size_t row_blocks = cols / Q8_0_VALUES + (cols % Q8_0_VALUES != 0);
    const size_t row_bytes = row_blocks * Q8_0_BYTES;

    for (size_t first = 0; first < rows; first += TILE_ROWS) {
        const size_t tile = rows - first < TILE_ROWS ? rows - first : TILE_ROWS;
        float sums[TILE_ROWS] = {0};

        for (size_t block = 0; block < row_blocks; block += GROUP_BLOCKS) {
            const size_t blocks_left = row_blocks - block;
            const size_t values_left = cols - block * Q8_0_VALUES;

            add_group(weights + first * row_bytes, x, row_bytes, block * Q8_0_BYTES,
                      blocks_left < GROUP_BLOCKS ? blocks_left : GROUP_BLOCKS,
                      values_left < HVX_BYTES ? values_left : HVX_BYTES, tile, sums);
        }
        memcpy(y + first, sums, tile * sizeof *y);
    }
}
