/* Packs matrices into tiles of HMX, a vector of each row at a time, and back. */
#include "hmx_tiles.h"

#include "hvx.h"

enum { GROUP_HF = 2, GROUP_BYTES = 4 }; /* rows that share a vector of a tile */

/* Loads at most `bytes` from byte `at` of a row, if there is one.  The others are 0. */
static HVX_Vector load(const uint8_t *from, int present, size_t at, size_t bytes)
{
    if (!present)
        return Q6_V_vzero();
    return bytes < HVX_BYTES ? hvx_load_first(from + at, bytes) : hvx_load(from + at);
}

/* Returns the vector of the rows `row` to `row + group - 1` in the tile of a column. */
static uint8_t *place(struct hmx_tiles tiles, size_t tile_rows, size_t group, size_t row,
                      size_t column)
{
    return tiles.bytes + row / tile_rows * tiles.row_step +
           column / HMX_COLUMNS * tiles.column_step + row % tile_rows / group * HVX_BYTES;
}

void hmx_pack_hf(const uint16_t *from, size_t stride, size_t rows, size_t columns,
                 struct hmx_tiles tiles)
{
    const size_t width = HVX_BYTES / sizeof *from;

    for (size_t r = 0; r < hmx_blocks(rows, HMX_ROWS_HF) * HMX_ROWS_HF; r += GROUP_HF) {
        for (size_t c = 0; c < columns; c += width) {
            const size_t at = (r * stride + c) * sizeof *from, bytes = (columns - c) * sizeof *from;
            const HVX_Vector even = load((const uint8_t *)from, r < rows, at, bytes);
            const HVX_Vector odd = load((const uint8_t *)from, r + 1 < rows,
                                        at + stride * sizeof *from, bytes);
            const HVX_VectorPair pair = Q6_W_vshuff_VVR(odd, even, -2);

            hvx_store(place(tiles, HMX_ROWS_HF, GROUP_HF, r, c), Q6_V_lo_W(pair));
            if (columns - c > HMX_COLUMNS)
                hvx_store(place(tiles, HMX_ROWS_HF, GROUP_HF, r, c + HMX_COLUMNS), Q6_V_hi_W(pair));
        }
    }
}

void hmx_pack_bytes(const uint8_t *from, size_t stride, size_t rows, size_t columns,
                    size_t tile_rows, struct hmx_tiles tiles)
{
    for (size_t r = 0; r < hmx_blocks(rows, tile_rows) * tile_rows; r += GROUP_BYTES) {
        for (size_t c = 0; c < columns; c += HVX_BYTES) {
            HVX_Vector row[GROUP_BYTES];
            HVX_VectorPair first, second, quads[2];

            for (size_t i = 0; i < GROUP_BYTES; i++)
                row[i] = load(from, r + i < rows, (r + i) * stride + c, columns - c);
            first = Q6_W_vshuff_VVR(row[1], row[0], -1);
            second = Q6_W_vshuff_VVR(row[3], row[2], -1);
            quads[0] = Q6_W_vshuff_VVR(Q6_V_lo_W(second), Q6_V_lo_W(first), -2);
            quads[1] = Q6_W_vshuff_VVR(Q6_V_hi_W(second), Q6_V_hi_W(first), -2);
            for (size_t i = 0; i < HVX_BYTES / HMX_COLUMNS && c + i * HMX_COLUMNS < columns; i++)
                hvx_store(place(tiles, tile_rows, GROUP_BYTES, r, c + i * HMX_COLUMNS),
                          i % 2 ? Q6_V_hi_W(quads[i / 2]) : Q6_V_lo_W(quads[i / 2]));
        }
    }
}

/* vdeal puts the even elements of a vector into its first half, the odd ones into the second. */
void hmx_unpack_hf(struct hmx_tiles tiles, size_t stride, size_t rows, size_t columns, uint16_t *to)
{
    for (size_t r = 0; r < rows; r += GROUP_HF) {
        for (size_t c = 0; c < columns; c += HMX_COLUMNS) {
            const size_t width = columns - c < HMX_COLUMNS ? columns - c : HMX_COLUMNS;
            const HVX_Vector dealt = Q6_Vh_vdeal_Vh(
                hvx_load(place(tiles, HMX_ROWS_HF, GROUP_HF, r, c)));

            for (size_t i = 0; i < GROUP_HF && r + i < rows; i++)
                hvx_store_first(to + (r + i) * stride + c,
                                Q6_V_vror_VR(dealt, (int)(i * HVX_BYTES / GROUP_HF)),
                                width * sizeof *to);
        }
    }
}

void hmx_unpack_ub(struct hmx_tiles tiles, size_t stride, size_t rows, size_t columns, uint8_t *to)
{
    for (size_t r = 0; r < rows; r += GROUP_BYTES) {
        for (size_t c = 0; c < columns; c += HMX_COLUMNS) {
            const size_t width = columns - c < HMX_COLUMNS ? columns - c : HMX_COLUMNS;
            const HVX_Vector dealt = Q6_Vb_vdeal_Vb(
                Q6_Vb_vdeal_Vb(hvx_load(place(tiles, HMX_ROWS_UB, GROUP_BYTES, r, c))));

            for (size_t i = 0; i < GROUP_BYTES && r + i < rows; i++)
                hvx_store_first(to + (r + i) * stride + c,
                                Q6_V_vror_VR(dealt, (int)(i * HVX_BYTES / GROUP_BYTES)), width);
        }
    }
}
