/* Q8_0 on the ARM side: quantizes values and reads scales. */
#include "q8_0.h"

#include <math.h>

size_t q8_0_blocks(size_t count)
{
    return count / Q8_0_VALUES + (count % Q8_0_VALUES != 0);
}

/* Returns the fp16 nearest to a finite value from 0 to 65504, with ties to even. */
static unsigned half_bits(double value)
{
    int exponent;
    double steps;

    if (value == 0)
        return 0;
    frexp(value, &exponent); /* value = m * 2^exponent, 0.5 <= m < 1 */
    if (exponent < -13)
        exponent = -13;                        /* subnormals: steps of 2^-24 */
    steps = rint(ldexp(value, 11 - exponent)); /* 1024 to 2048 if normal */
    /* If steps is 2048, the addition carries into the exponent. */
    return (unsigned)(exponent + 13) * 1024u + (unsigned)steps;
}

void q8_0_quantize(const float *values, size_t count, uint8_t *blocks)
{
    for (size_t first = 0; first < count; first += Q8_0_VALUES, blocks += Q8_0_BYTES) {
        const size_t here = count - first < Q8_0_VALUES ? count - first : Q8_0_VALUES;
        float largest = 0;
        unsigned scale;

        for (size_t i = 0; i < here; i++)
            largest = fmaxf(largest, fabsf(values[first + i]));
        scale = half_bits((double)largest / 127);
        blocks[0] = (uint8_t)(scale & 0xff);
        blocks[1] = (uint8_t)(scale >> 8);
        for (size_t i = 0; i < Q8_0_VALUES; i++) {
            const float scaled = i < here && largest > 0 ? values[first + i] * (127 / largest) : 0;

            blocks[2 + i] = (uint8_t)(int8_t)lrintf(scaled);
        }
    }
}

double q8_0_scale(const uint8_t *block)
{
    const int exponent = block[1] >> 2 & 0x1f;
    const int fraction = (block[1] & 3) << 8 | block[0];
    const double sign = block[1] & 0x80 ? -1 : 1;

    if (exponent == 0x1f)
        return sign * (fraction ? (double)NAN : (double)INFINITY);
    if (exponent == 0)
        return sign * ldexp(fraction, -24);
    return sign * ldexp(1024 + fraction, exponent - 25);
}
