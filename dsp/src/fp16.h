/*
 * Converts the bits of an fp16 to a float, exactly for every value.  A compiler's _Float16
 * is not used, because its conversion is a library call (__extendhfsf2) on Hexagon.
 */
#ifndef FP16_H
#define FP16_H

#include <stdint.h>
#include <string.h>

static inline float fp16_to_float(uint32_t half)
{
    const uint32_t sign = (half & 0x8000u) << 16;
    const uint32_t exponent = (half >> 10) & 0x1fu;
    const uint32_t fraction = half & 0x3ffu;
    uint32_t bits;
    float value;

    if (exponent == 0) { /* zero or subnormal: fraction * 2^-24, a normal float */
        value = (float)fraction * 0x1p-24f;
        memcpy(&bits, &value, sizeof bits);
    } else if (exponent == 0x1f) { /* infinity or NaN */
        bits = 0x7f800000u | fraction << 13;
    } else { /* the bias of the exponent changes from 15 to 127 */
        bits = (exponent + 112) << 23 | fraction << 13;
    }
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
