/* The products of HMX, one element at a time. */
#include "hmx.h"

#include <math.h>

double hmx_half(uint16_t bits)
{
    const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    const double magnitude = exponent ? ldexp(1024 + fraction, exponent - 25)
                                      : ldexp(fraction, -24);

    return bits & 0x8000 ? -magnitude : magnitude;
}

void reference_matmul_f16(const uint16_t *a, const uint16_t *b, struct hmx_sizes sizes,
                          struct reference_value *c)
{
    for (size_t r = 0; r < sizes.rows; r++) {
        for (size_t n = 0; n < sizes.columns; n++) {
            double sum = 0, magnitudes = 0;

            for (size_t k = 0; k < sizes.inner; k++) {
                const double product = hmx_half(a[r * sizes.inner + k]) *
                                       hmx_half(b[k * sizes.columns + n]);

                sum += product;
                magnitudes += fabs(product);
            }
            c[r * sizes.columns + n] = (struct reference_value){
                sum, ldexp((double)sizes.inner * magnitudes, -22) + ldexp(fabs(sum), -11) +
                         ldexp(1, -25)};
        }
    }
}

double hmx_sum(const uint8_t *a, uint8_t a_zero, const int8_t *b, struct hmx_sizes sizes,
               size_t row, size_t column)
{
    double sum = 0;

    for (size_t k = 0; k < sizes.inner; k++)
        sum += (a[row * sizes.inner + k] - a_zero) * b[k * sizes.columns + column];
    return sum;
}

void reference_matmul_u8i8(const uint8_t *a, uint8_t a_zero, const int8_t *b, const float *scales,
                           uint8_t c_zero, struct hmx_sizes sizes, struct reference_value *c)
{
    for (size_t r = 0; r < sizes.rows; r++) {
        for (size_t n = 0; n < sizes.columns; n++) {
            const double value = c_zero + (double)scales[n] * hmx_sum(a, a_zero, b, sizes, r, n);

            c[r * sizes.columns + n] = (struct reference_value){fmin(fmax(value, 0), 255),
                                                                0.8125 + (double)scales[n] / 2};
        }
    }
}
