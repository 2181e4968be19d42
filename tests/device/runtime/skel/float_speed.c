/* float_speed.c: how long instructions of HVX take. bench/floats.py uses it. */
#include <hexagon_types.h>
#include <hvx_hexagon_protos.h>

#include "HAP_perf.h"
#include "cases.h"

#define TURNS 2000

static volatile HVX_Vector sink; /* the compiler keeps what computes it */

/* Executes an expression of v and w TURNS times; stores microseconds. */
#define SPEED(name, expression)                                  \
    static int name(const int32_t in[4], int32_t out[8])         \
    {                                                            \
        HVX_Vector v = Q6_V_vsplat_R(0x3f800000 + in[0]), w = v; \
        const uint64_t start = HAP_perf_get_time_us();           \
        for (int i = 0; i < TURNS; i++) {                        \
            v = expression;                                      \
        }                                                        \
        out[0] = (int32_t)(HAP_perf_get_time_us() - start);      \
        sink = v;                                                \
        return 0;                                                \
    }

SPEED(add_w, Q6_Vw_vadd_VwVw(v, w))
SPEED(mpy_w, Q6_Vw_vmpyi_VwRh(v, 3))
SPEED(add_sf, Q6_Vsf_vadd_VsfVsf(v, w))
SPEED(mpy_sf, Q6_Vsf_vmpy_VsfVsf(v, w))
SPEED(add_hf, Q6_Vhf_vadd_VhfVhf(v, w))
SPEED(mpy_hf, Q6_Vhf_vmpy_VhfVhf(v, w))
SPEED(add_qf32, Q6_Vqf32_vadd_Vqf32Vqf32(v, w))
SPEED(mpy_qf32, Q6_Vqf32_vmpy_VsfVsf(v, w))
SPEED(sf_of_qf32, Q6_Vsf_equals_Vqf32(v))
SPEED(add_qf16, Q6_Vqf16_vadd_Vqf16Vqf16(v, w))
SPEED(mpy_qf16, Q6_Vqf16_vmpy_Vqf16Vqf16(v, w))
SPEED(max_sf, Q6_Vsf_vmax_VsfVsf(v, w))
SPEED(dmpy, Q6_Vsf_vdmpyacc_VsfVhfVhf(v, w, w))

const struct named_case cases[] = {CASE(add_w),      CASE(mpy_w),    CASE(add_sf),   CASE(mpy_sf),
                                   CASE(add_hf),     CASE(mpy_hf),   CASE(add_qf32), CASE(mpy_qf32),
                                   CASE(sf_of_qf32), CASE(add_qf16), CASE(mpy_qf16), CASE(max_sf),
                                   CASE(dmpy),       {NULL, NULL}};
