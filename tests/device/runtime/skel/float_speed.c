/* float_speed.c: how long instructions of HVX take. bench/floats.py uses it. */
#include <hexagon_types.h>
#include <hvx_hexagon_protos.h>

#include "HAP_perf.h"
#include "cases.h"

#define TURNS 2000

static volatile HVX_Vector sink; /* the compiler keeps what computes it */

/* Executes an expression of v and w, numbers near 1, TURNS times; stores microseconds. */
#define SPEED(name, expression)                                         \
    static int name(const int32_t in[4], int32_t out[8])                \
    {                                                                   \
        HVX_Vector v = Q6_V_vsplat_R(0x3f803c00 + in[0]), w = v, x = v; \
        HVX_Vector qf = Q6_V_vsplat_R(0x4000007f);                      \
        const uint64_t start = HAP_perf_get_time_us();                  \
        for (int i = 0; i < TURNS; i++) {                               \
            x = expression;                                             \
            __asm__ volatile("" : "+v"(v), "+v"(w), "+v"(qf) : "v"(x)); \
        }                                                               \
        out[0] = (int32_t)(HAP_perf_get_time_us() - start);             \
        sink = x;                                                       \
        return 0;                                                       \
    }

SPEED(add_w, Q6_Vw_vadd_VwVw(v, w))
SPEED(mpy_w, Q6_Vw_vmpyi_VwRh(v, 3))
SPEED(add_sf, Q6_Vsf_vadd_VsfVsf(v, w))
SPEED(mpy_sf, Q6_Vsf_vmpy_VsfVsf(v, w))
SPEED(add_hf, Q6_Vhf_vadd_VhfVhf(v, w))
SPEED(mpy_hf, Q6_Vhf_vmpy_VhfVhf(v, w))
SPEED(add_qf32, Q6_Vqf32_vadd_Vqf32Vsf(x, w)) /* of one turn after the other */
SPEED(mpy_qf32, Q6_Vqf32_vmpy_VsfVsf(v, w))
SPEED(sum_sf, Q6_Vqf32_vadd_VsfVsf(v, w))
SPEED(mpy_qf_qf, Q6_Vqf32_vmpy_Vqf32Vqf32(qf, qf))
SPEED(wide, Q6_V_lo_W(Q6_Wqf32_vmpy_VhfVhf(v, w)))
SPEED(hf_of_qf32, Q6_Vhf_equals_Wqf32(Q6_W_vcombine_VV(qf, qf)))
SPEED(chain, Q6_Vsf_equals_Vqf32(Q6_Vqf32_vadd_Vqf32Vsf(Q6_Vqf32_vmpy_VsfVsf(v, w), w)))
SPEED(sf_of_qf32, Q6_Vsf_equals_Vqf32(qf))
SPEED(add_qf16, Q6_Vqf16_vadd_Vqf16Vhf(x, w))
SPEED(mpy_qf16, Q6_Vqf16_vmpy_VhfVhf(v, w))
SPEED(max_sf, Q6_Vsf_vmax_VsfVsf(v, w))
SPEED(dmpy, Q6_Vsf_vdmpyacc_VsfVhfVhf(v, w, w))

const struct named_case cases[] = {
    CASE(add_w),    CASE(mpy_w),      CASE(add_sf), CASE(mpy_sf),     CASE(add_hf),
    CASE(mpy_hf),   CASE(add_qf32),   CASE(sum_sf), CASE(mpy_qf32),   CASE(mpy_qf_qf),
    CASE(wide),     CASE(sf_of_qf32), CASE(chain),  CASE(hf_of_qf32), CASE(add_qf16),
    CASE(mpy_qf16), CASE(max_sf),     CASE(dmpy),   {NULL, NULL}};
