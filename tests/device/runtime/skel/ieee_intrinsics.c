/* ieee_intrinsics.c: the intrinsics with results in sf, hf and bf, compared with scalar code. */
#include <hexagon_types.h>
#include <hvx_hexagon_protos.h>
#include <math.h>

#include "cases.h"

#define TURNS 20

union vector {
    HVX_Vector v;
    float f[32];
    int32_t w[32];
    _Float16 h[64];
    int16_t s[64];
    uint16_t u[64];
    int8_t b[128];
    uint8_t ub[128];
};
union pair {
    HVX_VectorPair w;
    union vector half[2]; /* lanes 2 * i and 2 * i + 1 of 16 bits are lane i of these */
};

static uint32_t state;
static union vector u, v, x;
static union pair xx;

static uint32_t random_bits(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8 ^ state << 12;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static float bf(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

/* Floats whose products are normal, infinities, and zeros. */
static float any_float(void)
{
    const uint32_t bits = random_bits(), kind = random_bits() % 16;
    if (kind < 2)
        return float_of((bits & 0x80000000) | (kind ? 0x7f800000 : 0));
    return float_of((bits & 0x807fffff) | (70 + (bits >> 16) % 110) << 23);
}
static float near_half(void) /* and the ties between two of them, subnormal ones too */
{
    const uint32_t bits = random_bits(), exponent = 127 - 26 + (bits >> 7) % 43;
    return float_of((bits & 0x807fe000) | exponent << 23 | (bits & 1 ? 0x1000 : bits & 0x1fff));
}
static uint16_t any_half(void) /* no NaN */
{
    const uint16_t bits = (uint16_t)random_bits();
    return (bits & 0x7fff) > 0x7c00 ? bits & 0xfc00 : bits;
}
static uint16_t short_half(void) /* of few bits, so that sums of products are exact */
{
    const uint32_t bits = random_bits();
    return (uint16_t)((bits & 0x8000) | (12 + (bits >> 20) % 8) << 10 | (bits & 0x3c0));
}
static uint16_t any_bf(void)
{
    const uint32_t bits = bits_of(any_float());
    return (uint16_t)(bits >> 16);
}

static int same(float is, float wanted)
{
    return isnan(wanted) ? isnan(is) : bits_of(is) == bits_of(wanted);
}
static int above(float a, float b)
{
    return a > b || (a == b && signbit(b));
}
static float nearest(float value, float least, float greatest) /* ties to even */
{
    const float integer = fabsf(value) < 1e5f ? (value + 12582912.0f) - 12582912.0f : value;
    return integer < least ? least : integer > greatest ? greatest : integer;
}

/* A case: sets lanes i of the operands, computes, and compares lanes i. */
#define COMPARED(name, lanes, operands, result_type, result, is, wanted) \
    static int name(const int32_t in[4], int32_t out[8])                 \
    {                                                                    \
        (void)out;                                                       \
        state = (uint32_t)in[0];                                         \
        for (int turn = 0; turn < TURNS; turn++) {                       \
            result_type r;                                               \
            for (int i = 0; i < (lanes); i++) {                          \
                operands;                                                \
            }                                                            \
            result;                                                      \
            for (int i = 0; i < (lanes); i++) {                          \
                CHECK(same((float)(is), (float)(wanted)));               \
            }                                                            \
        }                                                                \
        return 0;                                                        \
    }

#define FLOATS u.f[i] = any_float(), v.f[i] = any_float()
#define HALVES u.u[i] = any_half(), v.u[i] = any_half()
#define SHORT u.u[i] = short_half(), v.u[i] = short_half(), x.u[i] = short_half()
#define BFLOATS u.u[i] = any_bf(), v.u[i] = any_bf()
#define SF(name, intrinsic, wanted)                                           \
    COMPARED(name, 32, FLOATS, union vector, r.v = intrinsic, r.f[i], wanted)
#define HF(name, intrinsic, wanted)                                                       \
    COMPARED(name, 64, HALVES, union vector, r.v = intrinsic, r.h[i], (_Float16)(wanted))
#define WIDE(name, intrinsic, wanted)                                                       \
    COMPARED(name, 64, HALVES, union pair, r.w = intrinsic, r.half[i % 2].f[i / 2], wanted)
#define WIDE_BF(name, intrinsic, wanted)                                                     \
    COMPARED(name, 64, BFLOATS, union pair, r.w = intrinsic, r.half[i % 2].f[i / 2], wanted)
#define A (float)u.h[i]
#define B (float)v.h[i]

SF(add_sf, Q6_Vsf_vadd_VsfVsf(u.v, v.v), u.f[i] + v.f[i])
SF(sub_sf, Q6_Vsf_vsub_VsfVsf(u.v, v.v), u.f[i] - v.f[i])
SF(mpy_sf, Q6_Vsf_vmpy_VsfVsf(u.v, v.v), u.f[i] * v.f[i])
SF(abs_sf, Q6_Vsf_vabs_Vsf(u.v), fabsf(u.f[i]))
SF(neg_sf, Q6_Vsf_vfneg_Vsf(u.v), -u.f[i])
SF(max_sf, Q6_Vsf_vfmax_VsfVsf(u.v, v.v), above(u.f[i], v.f[i]) ? u.f[i] : v.f[i])
SF(min_sf, Q6_Vsf_vfmin_VsfVsf(u.v, v.v), above(u.f[i], v.f[i]) ? v.f[i] : u.f[i])
SF(move, Q6_Vw_vfmv_Vw(u.v), u.f[i])
HF(add_hf, Q6_Vhf_vadd_VhfVhf(u.v, v.v), A + B)
HF(sub_hf, Q6_Vhf_vsub_VhfVhf(u.v, v.v), A - B)
HF(mpy_hf, Q6_Vhf_vmpy_VhfVhf(u.v, v.v), A *B)
HF(abs_hf, Q6_Vhf_vabs_Vhf(u.v), fabsf(A))
HF(neg_hf, Q6_Vhf_vfneg_Vhf(u.v), -A)
HF(max_hf, Q6_Vhf_vfmax_VhfVhf(u.v, v.v), above(A, B) ? A : B)
HF(min_hf, Q6_Vhf_vfmin_VhfVhf(u.v, v.v), above(A, B) ? B : A)
WIDE(add_wide, Q6_Wsf_vadd_VhfVhf(u.v, v.v), A + B)
WIDE(sub_wide, Q6_Wsf_vsub_VhfVhf(u.v, v.v), A - B)
WIDE(mpy_wide, Q6_Wsf_vmpy_VhfVhf(u.v, v.v), A *B)
WIDE(sf_of_hf, Q6_Wsf_vcvt_Vhf(u.v), A)
COMPARED(fused_hf, 64, SHORT, union vector, r.v = Q6_Vhf_vmpyacc_VhfVhfVhf(x.v, u.v, v.v), r.h[i],
         (_Float16)(A * B + (float)x.h[i]))
COMPARED(fused_wide, 64, (SHORT, xx.half[i % 2].f[i / 2] = (float)x.h[i]), union pair,
         r.w = Q6_Wsf_vmpyacc_WsfVhfVhf(xx.w, u.v, v.v), r.half[i % 2].f[i / 2],
         A *B + xx.half[i % 2].f[i / 2])
#define PRODUCT(k) ((float)u.h[k] * (float)v.h[k])
COMPARED(dot, 64, SHORT, union vector, r.v = Q6_Vsf_vdmpy_VhfVhf(u.v, v.v), r.f[i / 2],
         PRODUCT(i & ~1) + PRODUCT(i | 1))
COMPARED(dot_sum, 64, (SHORT, x.f[i / 2] = (float)u.h[i & ~1]), union vector,
         r.v = Q6_Vsf_vdmpyacc_VsfVhfVhf(x.v, u.v, v.v), r.f[i / 2],
         PRODUCT(i & ~1) + PRODUCT(i | 1) + x.f[i / 2])

COMPARED(hf_of_sf, 64, (i % 2 ? &v : &u)->f[i / 2] = near_half(), union vector,
         r.v = Q6_Vhf_vcvt_VsfVsf(u.v, v.v), r.h[i], (_Float16)((i % 2 ? &v : &u)->f[i / 2]))
#define INTEGERS u.u[i] = (uint16_t)random_bits()
COMPARED(hf_of_h, 64, INTEGERS, union vector, r.v = Q6_Vhf_vcvt_Vh(u.v), r.h[i],
         (_Float16)(float)u.s[i])
COMPARED(hf_of_uh, 64, INTEGERS, union vector, r.v = Q6_Vhf_vcvt_Vuh(u.v), r.h[i],
         (_Float16)(float)u.u[i])
/* Bytes 0 and 1 of a word, or 2 and 3 */
#define BYTE(i) (i % 2 + 4 * (i / 2))
COMPARED(hf_of_b, 128, u.u[i / 2] = (uint16_t)random_bits(), union pair, r.w = Q6_Whf_vcvt_Vb(u.v),
         r.half[i / 64].h[i % 64], u.b[BYTE(i % 64) + 2 * (i / 64)])
COMPARED(hf_of_ub, 128, u.u[i / 2] = (uint16_t)random_bits(), union pair,
         r.w = Q6_Whf_vcvt_Vub(u.v), r.half[i / 64].h[i % 64], u.ub[BYTE(i % 64) + 2 * (i / 64)])
COMPARED(h_of_hf, 64, HALVES, union vector, r.v = Q6_Vh_vcvt_Vhf(u.v), r.s[i],
         nearest(A, -32768, 32767))
COMPARED(uh_of_hf, 64, HALVES, union vector, r.v = Q6_Vuh_vcvt_Vhf(u.v), r.u[i],
         nearest(A, 0, 65535))
COMPARED(b_of_hf, 128, (i / 64 ? &v : &u)->u[i % 64] = any_half(), union vector,
         r.v = Q6_Vb_vcvt_VhfVhf(u.v, v.v), r.b[BYTE(i % 64) + 2 * (i / 64)],
         nearest((i / 64 ? &v : &u)->h[i % 64], -128, 127))
COMPARED(ub_of_hf, 128, (i / 64 ? &v : &u)->u[i % 64] = any_half(), union vector,
         r.v = Q6_Vub_vcvt_VhfVhf(u.v, v.v), r.ub[BYTE(i % 64) + 2 * (i / 64)],
         nearest((i / 64 ? &v : &u)->h[i % 64], 0, 255))

WIDE_BF(add_bf, Q6_Wsf_vadd_VbfVbf(u.v, v.v), bf(u.u[i]) + bf(v.u[i]))
WIDE_BF(sub_bf, Q6_Wsf_vsub_VbfVbf(u.v, v.v), bf(u.u[i]) - bf(v.u[i]))
WIDE_BF(mpy_bf, Q6_Wsf_vmpy_VbfVbf(u.v, v.v), bf(u.u[i]) * bf(v.u[i]))
#define SHORT_BF                                                                          \
    (SHORT, u.u[i] = (uint16_t)(bits_of(A) >> 16), v.u[i] = (uint16_t)(bits_of(B) >> 16), \
     xx.half[i % 2].f[i / 2] = (float)x.h[i])
COMPARED(fused_bf, 64, SHORT_BF, union pair, r.w = Q6_Wsf_vmpyacc_WsfVbfVbf(xx.w, u.v, v.v),
         r.half[i % 2].f[i / 2], bf(u.u[i]) * bf(v.u[i]) + xx.half[i % 2].f[i / 2])
static float rounded_bf(float value)
{
    const uint32_t bits = bits_of(value);
    return isinf(value) ? value : float_of((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}
#define TIES (i % 2 ? &v : &u)->f[i / 2] = float_of((bits_of(any_float()) & ~0x7fffu))
COMPARED(bf_of_sf, 64, TIES, union vector, r.v = Q6_Vbf_vcvt_VsfVsf(u.v, v.v), bf(r.u[i]),
         rounded_bf((i % 2 ? &v : &u)->f[i / 2]))
COMPARED(bf_of_nan, 64, (i % 2 ? &v : &u)->w[i / 2] = 0x7f800001, union vector,
         r.v = Q6_Vbf_vcvt_VsfVsf(u.v, v.v), bf(r.u[i]), NAN)
COMPARED(max_bf, 64, BFLOATS, union vector, r.v = Q6_Vbf_vmax_VbfVbf(u.v, v.v), bf(r.u[i]),
         bf(above(bf(u.u[i]), bf(v.u[i])) ? u.u[i] : v.u[i]))
COMPARED(min_bf, 64, BFLOATS, union vector, r.v = Q6_Vbf_vmin_VbfVbf(u.v, v.v), bf(r.u[i]),
         bf(above(bf(u.u[i]), bf(v.u[i])) ? v.u[i] : u.u[i]))

const struct named_case cases[] = {
    CASE(add_sf),   CASE(sub_sf),   CASE(mpy_sf),  CASE(abs_sf),     CASE(neg_sf),   CASE(max_sf),
    CASE(min_sf),   CASE(move),     CASE(add_hf),  CASE(sub_hf),     CASE(mpy_hf),   CASE(abs_hf),
    CASE(neg_hf),   CASE(max_hf),   CASE(min_hf),  CASE(add_wide),   CASE(sub_wide), CASE(mpy_wide),
    CASE(sf_of_hf), CASE(fused_hf), CASE(dot),     CASE(fused_wide), CASE(dot_sum),  CASE(hf_of_sf),
    CASE(hf_of_h),  CASE(hf_of_uh), CASE(hf_of_b), CASE(hf_of_ub),   CASE(h_of_hf),  CASE(uh_of_hf),
    CASE(b_of_hf),  CASE(ub_of_hf), CASE(add_bf),  CASE(sub_bf),     CASE(mpy_bf),   CASE(fused_bf),
    CASE(bf_of_sf), CASE(max_bf),   CASE(min_bf),  CASE(bf_of_nan),  {NULL, NULL},
};
