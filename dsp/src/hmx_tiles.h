/*
 * Packs matrices into tiles of HMX and back.  Copy this file, hmx_tiles.c and hvx.h into your project.
 *
 * A matrix is in row-major order.  Its tiles have 32 columns, and 32 rows of halves or bytes of
 * weights, or 64 rows of bytes of activations:
 *
 *     halves  byte = 128 * (row / 2) + 4 * column + 2 * (row % 2)
 *     bytes   byte = 128 * (row / 4) + 4 * column + row % 4
 *
 * In activations and results, rows are positions and columns are channels.  In weights, rows are
 * input channels and columns are output channels.  Parts of tiles outside of the matrix become 0.
 */
#ifndef HMX_TILES_H
#define HMX_TILES_H

#include <stddef.h>
#include <stdint.h>

enum {
    HMX_COLUMNS = 32,
    HMX_ROWS_HF = 32,
    HMX_ROWS_UB = 64,
    HMX_ROWS_B = 32,
    HMX_TILE_BYTES = 2048,
    HMX_WEIGHTS_HF_BYTES = 2048,
    HMX_WEIGHTS_B_BYTES = 1024,
};

/* Where tiles are: that of row block i and column block j is `bytes + i * row_step + j * column_step`. */
struct hmx_tiles {
    uint8_t *bytes;
    size_t row_step, column_step;
};

/* Returns how many tiles of `size` rows or columns `count` of them need. */
static inline size_t hmx_blocks(size_t count, size_t size)
{
    return count / size + (count % size != 0);
}

/* Packs `rows` times `columns` halves.  The first of a row is `stride` halves after that of the row before. */
void hmx_pack_hf(const uint16_t *from, size_t stride, size_t rows, size_t columns,
                 struct hmx_tiles tiles);

/* Packs bytes into tiles of `tile_rows` rows: HMX_ROWS_UB for activations, HMX_ROWS_B for weights. */
void hmx_pack_bytes(const uint8_t *from, size_t stride, size_t rows, size_t columns,
                    size_t tile_rows, struct hmx_tiles tiles);

/* The other way around, for results. */
void hmx_unpack_hf(struct hmx_tiles tiles, size_t stride, size_t rows, size_t columns,
                   uint16_t *to);
void hmx_unpack_ub(struct hmx_tiles tiles, size_t stride, size_t rows, size_t columns, uint8_t *to);

#endif
