/*
 * Q8_0, as GGUF stores it: blocks of a little-endian fp16 scale and 32 int8 values,
 * value = scale * int8.  A row of `count` values is ceil(count / 32) blocks.
 */
#ifndef Q8_0_H
#define Q8_0_H

#include <stddef.h>
#include <stdint.h>

enum { Q8_0_VALUES = 32, Q8_0_BYTES = 34 };

/* Blocks that hold `count` values. */
size_t q8_0_blocks(size_t count);

/*
 * Writes q8_0_blocks(count) blocks: in each the largest magnitude becomes 127 or -127,
 * and what the last one lacks is filled up with zeros.  Values are finite and their
 * magnitudes below 127 * 65504.
 */
void q8_0_quantize(const float *values, size_t count, uint8_t *blocks);

/* The scale of a block; exact. */
double q8_0_scale(const uint8_t *block);

#endif
