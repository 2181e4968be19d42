// A kernel computes y from a and b, vector by vector.
#ifndef KERNELS_H
#define KERNELS_H

#include <hexagon_protos.h>
#include <hexagon_types.h>
#include <hvx_hexagon_protos.h>
#include <stdint.h>

typedef void kernel(const HVX_Vector *a, const HVX_Vector *b, HVX_Vector *y, unsigned vectors);

#define KERNEL(name, expression)                                                               \
    void name(const HVX_Vector *as, const HVX_Vector *bs, HVX_Vector *ys, unsigned vectors) {    \
        for (unsigned i = 0; i < vectors; i++) {                                               \
            HVX_Vector a = as[i], b = bs[i], zero = Q6_V_vzero();                              \
            (void) b, (void) zero;                                                             \
            ys[i] = expression;                                                                \
        }                                                                                      \
    }

kernel op_add, op_sub, op_min, op_max, op_and, op_or, op_xor, op_average, op_half_difference;
kernel op_add_saturated, op_sub_saturated, op_absolute, op_negate, op_not, op_relu, op_shift_left;
kernel op_shift_right, op_greater, op_clamp, op_multiply, op_scale_qf32, op_scale_sf;
#ifdef HTP_HAS_HMX
void hmx_clear(void);
#endif

#endif
