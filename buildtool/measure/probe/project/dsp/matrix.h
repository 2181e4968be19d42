/* matrix.h: a product of known matrices on HMX. */
#ifndef DEVICE_PROBE_MATRIX_H
#define DEVICE_PROBE_MATRIX_H

#include <stdint.h>

#define MATRIX_BYTES 8192u /* of VTCM */

/* Multiply 32 x 32 ones by 32 x 32 ones in `memory`, which is VTCM; HMX is locked. Return one element:
 * as the bits of fp16, and as an integer. Both are 32 if HMX computes. */
uint16_t matrix_of_halves(void *memory);
uint8_t matrix_of_bytes(void *memory);

#endif
