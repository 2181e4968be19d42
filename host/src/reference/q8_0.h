/*
 * Q8_0, as GGUF stores it: a block is a little-endian fp16 scale and 32 int8 values, with
 * value = scale * int8.  A row of `count` values has ceil(count / 32) blocks.
 */
#ifndef Q8_0_H
#define Q8_0_H

#include <stddef.h>
#include <stdint.h>

enum { Q8_0_VALUES = 32, Q8_0_BYTES = 34 };

/* Q4_0: a block is a scale and 16 bytes.  The low nibbles are the first 16 values plus 8, the high
 * nibbles the others. */
enum { Q4_0_VALUES = 32, Q4_0_BYTES = 18 };

/* Returns the number of blocks for `count` values. */
size_t q8_0_blocks(size_t count);

/*
 * Writes q8_0_blocks(count) blocks.  In each, the value with the largest magnitude becomes
 * 127 or -127.  The last block is padded with zeros.  All values are finite, and their
 * magnitudes are below 127 * 65504.
 */
void q8_0_quantize(const float *values, size_t count, uint8_t *blocks);

/* Returns the exact scale of a block of either format. */
double q8_0_scale(const uint8_t *block);

#endif
