/*
 * The HVX intrinsics of the IEEE format for v79 and newer, whose HVX has no such instructions.
 *
 * clang's header leaves them out, and its own translation to qf is newer than clang 22.  Here each
 * is computed in qf and converted, so that a register holds an IEEE number (sf, hf, bf) before and
 * after.  Results are those of IEEE arithmetic, rounded once, with these exceptions:
 *  - products of sf lose low bits if a factor is subnormal: Q6_Vqf32_vadd_VsfVsf(x, zero) before
 *    the product normalizes it;
 *  - on v79 vfmax and vfmin order a NaN by its sign, as vmax and vmin do;
 *  - the bits of a NaN.
 * The others have no sequence of instructions, and are errors that say what to write.
 */
#pragma GCC system_header
#include_next <hvx_hexagon_protos.h>

/* Headers of clang before 22 define them always. */
#if defined __HVX__ && __HVX_ARCH__ >= 79 && __HVX_LENGTH__ == 128 && \
    !defined Q6_Vsf_vadd_VsfVsf && !defined BUILDTOOL_HVX_IEEE
#define BUILDTOOL_HVX_IEEE

typedef int __hvx_v __attribute__((__vector_size__(128), __aligned__(128)));
typedef int __hvx_w __attribute__((__vector_size__(256), __aligned__(128)));
#define __HVX_V static __inline__ __attribute__((__always_inline__, __unused__)) __hvx_v
#define __HVX_W static __inline__ __attribute__((__always_inline__, __unused__)) __hvx_w
#define __HVX_SPLAT(bits) Q6_V_vsplat_R((int)(bits))

/* ---- conversions between registers ---- */

__HVX_W __hvx_pair(__hvx_v low, __hvx_v high)
{
    return Q6_W_vcombine_VV(high, low);
}
__HVX_W __hvx_sf_of_qf32(__hvx_v low, __hvx_v high)
{
    return __hvx_pair(Q6_Vsf_equals_Vqf32(low), Q6_Vsf_equals_Vqf32(high));
}
/* A product with 1 is exact, and keeps the sign of 0. */
__HVX_V __hvx_qf32_of_sf(__hvx_v u)
{
    return Q6_Vqf32_vmpy_VsfVsf(u, __HVX_SPLAT(0x3f800000));
}
__HVX_W __hvx_qf32_of_hf(__hvx_v u)
{
    return Q6_Wqf32_vmpy_VhfVhf(u, Q6_Vh_vsplat_R(0x3c00));
}
__HVX_W __hvx_sf_of_bf(__hvx_v u)
{
    return __hvx_pair(Q6_Vw_vasl_VwR(u, 16), Q6_V_vand_VV(u, __HVX_SPLAT(0xffff0000)));
}
/* The nearest integers: 1.5 * 2^23 makes the last place of a sum 1. */
__HVX_V __hvx_rounded(__hvx_v qf32)
{
    const __hvx_v shift = __HVX_SPLAT(0x4b400000);
    return Q6_Vw_vsub_VwVw(Q6_Vsf_equals_Vqf32(Q6_Vqf32_vadd_Vqf32Vsf(qf32, shift)), shift);
}
__HVX_W __hvx_w_of_hf(__hvx_v u)
{
    const __hvx_w wide = __hvx_qf32_of_hf(u);
    return __hvx_pair(__hvx_rounded(Q6_V_lo_W(wide)), __hvx_rounded(Q6_V_hi_W(wide)));
}
/* The high halves of words of sf are bf.  A NaN stays one. */
__HVX_V __hvx_bf_round(__hvx_v u)
{
    const __hvx_v odd = Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(u, 16), __HVX_SPLAT(1));
    const __hvx_v up = Q6_Vw_vadd_VwVw(Q6_Vw_vadd_VwVw(u, __HVX_SPLAT(0x7fff)), odd);
    const __hvx_v size = Q6_V_vand_VV(u, __HVX_SPLAT(0x7fffffff));
    return Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(size, __HVX_SPLAT(0x7f800000)),
                         Q6_V_vor_VV(u, __HVX_SPLAT(0x00400000)), up);
}

/* ---- sf ---- */

__HVX_V Q6_Vsf_vadd_VsfVsf(__hvx_v u, __hvx_v v)
{
    return Q6_Vsf_equals_Vqf32(Q6_Vqf32_vadd_VsfVsf(u, v));
}
__HVX_V Q6_Vsf_vsub_VsfVsf(__hvx_v u, __hvx_v v)
{
    return Q6_Vsf_equals_Vqf32(Q6_Vqf32_vsub_VsfVsf(u, v));
}
__HVX_V Q6_Vsf_vmpy_VsfVsf(__hvx_v u, __hvx_v v)
{
    return Q6_Vsf_equals_Vqf32(Q6_Vqf32_vmpy_VsfVsf(u, v));
}
__HVX_V Q6_Vsf_vabs_Vsf(__hvx_v u)
{
    return Q6_V_vand_VV(u, __HVX_SPLAT(0x7fffffff));
}
__HVX_V Q6_Vsf_vfneg_Vsf(__hvx_v u)
{
    return Q6_V_vxor_VV(u, __HVX_SPLAT(0x80000000));
}
__HVX_V Q6_Vsf_vfmax_VsfVsf(__hvx_v u, __hvx_v v)
{
    return Q6_Vsf_vmax_VsfVsf(u, v);
}
__HVX_V Q6_Vsf_vfmin_VsfVsf(__hvx_v u, __hvx_v v)
{
    return Q6_Vsf_vmin_VsfVsf(u, v);
}
__HVX_V Q6_Vw_vfmv_Vw(__hvx_v u)
{
    return u;
}

/* ---- hf; of a pair the low vector has the even halves ---- */

__HVX_V Q6_Vhf_vadd_VhfVhf(__hvx_v u, __hvx_v v)
{
    return Q6_Vhf_equals_Vqf16(Q6_Vqf16_vadd_VhfVhf(u, v));
}
__HVX_V Q6_Vhf_vsub_VhfVhf(__hvx_v u, __hvx_v v)
{
    return Q6_Vhf_equals_Vqf16(Q6_Vqf16_vsub_VhfVhf(u, v));
}
/* Products of qf16 below 2^-14 are inexact, those of qf32 are not. */
__HVX_V Q6_Vhf_vmpy_VhfVhf(__hvx_v u, __hvx_v v)
{
    return Q6_Vhf_equals_Wqf32(Q6_Wqf32_vmpy_VhfVhf(u, v));
}
__HVX_V Q6_Vhf_vmpyacc_VhfVhfVhf(__hvx_v x, __hvx_v u, __hvx_v v)
{
    const __hvx_w p = Q6_Wqf32_vmpy_VhfVhf(u, v), a = __hvx_qf32_of_hf(x);
    const __hvx_v low = Q6_Vqf32_vadd_Vqf32Vqf32(Q6_V_lo_W(p), Q6_V_lo_W(a));
    const __hvx_v high = Q6_Vqf32_vadd_Vqf32Vqf32(Q6_V_hi_W(p), Q6_V_hi_W(a));
    return Q6_Vhf_equals_Wqf32(__hvx_pair(low, high));
}
__HVX_V Q6_Vhf_vabs_Vhf(__hvx_v u)
{
    return Q6_V_vand_VV(u, Q6_Vh_vsplat_R(0x7fff));
}
__HVX_V Q6_Vhf_vfneg_Vhf(__hvx_v u)
{
    return Q6_V_vxor_VV(u, Q6_Vh_vsplat_R(0x8000));
}
__HVX_V Q6_Vhf_vfmax_VhfVhf(__hvx_v u, __hvx_v v)
{
    return Q6_Vhf_vmax_VhfVhf(u, v);
}
__HVX_V Q6_Vhf_vfmin_VhfVhf(__hvx_v u, __hvx_v v)
{
    return Q6_Vhf_vmin_VhfVhf(u, v);
}

__HVX_W Q6_Wsf_vadd_VhfVhf(__hvx_v u, __hvx_v v)
{
    const __hvx_w a = __hvx_qf32_of_hf(u), b = __hvx_qf32_of_hf(v);
    return __hvx_sf_of_qf32(Q6_Vqf32_vadd_Vqf32Vqf32(Q6_V_lo_W(a), Q6_V_lo_W(b)),
                            Q6_Vqf32_vadd_Vqf32Vqf32(Q6_V_hi_W(a), Q6_V_hi_W(b)));
}
__HVX_W Q6_Wsf_vsub_VhfVhf(__hvx_v u, __hvx_v v)
{
    const __hvx_w a = __hvx_qf32_of_hf(u), b = __hvx_qf32_of_hf(v);
    return __hvx_sf_of_qf32(Q6_Vqf32_vsub_Vqf32Vqf32(Q6_V_lo_W(a), Q6_V_lo_W(b)),
                            Q6_Vqf32_vsub_Vqf32Vqf32(Q6_V_hi_W(a), Q6_V_hi_W(b)));
}
__HVX_W Q6_Wsf_vmpy_VhfVhf(__hvx_v u, __hvx_v v)
{
    const __hvx_w p = Q6_Wqf32_vmpy_VhfVhf(u, v);
    return __hvx_sf_of_qf32(Q6_V_lo_W(p), Q6_V_hi_W(p));
}
__HVX_W Q6_Wsf_vmpyacc_WsfVhfVhf(__hvx_w x, __hvx_v u, __hvx_v v)
{
    const __hvx_w p = Q6_Wqf32_vmpy_VhfVhf(u, v);
    return __hvx_sf_of_qf32(Q6_Vqf32_vadd_Vqf32Vsf(Q6_V_lo_W(p), Q6_V_lo_W(x)),
                            Q6_Vqf32_vadd_Vqf32Vsf(Q6_V_hi_W(p), Q6_V_hi_W(x)));
}
__HVX_V Q6_Vsf_vdmpy_VhfVhf(__hvx_v u, __hvx_v v)
{
    const __hvx_w p = Q6_Wqf32_vmpy_VhfVhf(u, v);
    return Q6_Vsf_equals_Vqf32(Q6_Vqf32_vadd_Vqf32Vqf32(Q6_V_lo_W(p), Q6_V_hi_W(p)));
}
__HVX_V Q6_Vsf_vdmpyacc_VsfVhfVhf(__hvx_v x, __hvx_v u, __hvx_v v)
{
    const __hvx_w p = Q6_Wqf32_vmpy_VhfVhf(u, v);
    const __hvx_v both = Q6_Vqf32_vadd_Vqf32Vqf32(Q6_V_lo_W(p), Q6_V_hi_W(p));
    return Q6_Vsf_equals_Vqf32(Q6_Vqf32_vadd_Vqf32Vsf(both, x));
}

/* ---- conversions of hf; to integers: to nearest, ties to even, at most the least or greatest ---- */

__HVX_W Q6_Wsf_vcvt_Vhf(__hvx_v u)
{
    const __hvx_w wide = __hvx_qf32_of_hf(u);
    return __hvx_sf_of_qf32(Q6_V_lo_W(wide), Q6_V_hi_W(wide));
}
__HVX_V Q6_Vhf_vcvt_VsfVsf(__hvx_v u, __hvx_v v)
{
    return Q6_Vhf_equals_Wqf32(__hvx_pair(__hvx_qf32_of_sf(u), __hvx_qf32_of_sf(v)));
}
__HVX_V Q6_Vhf_vcvt_Vh(__hvx_v u)
{
    return Q6_Vhf_equals_Vh(u);
}
__HVX_V Q6_Vhf_vcvt_Vuh(__hvx_v u)
{
    const __hvx_w wide = Q6_Wuw_vzxt_Vuh(u);
    return Q6_Vhf_vcvt_VsfVsf(Q6_Vsf_equals_Vw(Q6_V_lo_W(wide)), Q6_Vsf_equals_Vw(Q6_V_hi_W(wide)));
}
__HVX_W __hvx_hf_of_bytes(__hvx_w even_odd)
{
    const __hvx_v even = Q6_V_lo_W(even_odd), odd = Q6_V_hi_W(even_odd);
    return __hvx_pair(Q6_Vhf_equals_Vh(Q6_Vh_vshuffe_VhVh(odd, even)),
                      Q6_Vhf_equals_Vh(Q6_Vh_vshuffo_VhVh(odd, even)));
}
__HVX_W Q6_Whf_vcvt_Vb(__hvx_v u)
{
    return __hvx_hf_of_bytes(Q6_Wh_vsxt_Vb(u));
}
__HVX_W Q6_Whf_vcvt_Vub(__hvx_v u)
{
    return __hvx_hf_of_bytes(Q6_Wuh_vzxt_Vub(u));
}
__HVX_V Q6_Vh_vcvt_Vhf(__hvx_v u)
{
    const __hvx_w w = __hvx_w_of_hf(u);
    return Q6_Vh_vsat_VwVw(Q6_V_hi_W(w), Q6_V_lo_W(w));
}
__HVX_V Q6_Vuh_vcvt_Vhf(__hvx_v u)
{
    const __hvx_w w = __hvx_w_of_hf(u);
    const __hvx_v zero = Q6_V_vzero();
    return Q6_Vuh_vsat_VuwVuw(Q6_Vw_vmax_VwVw(Q6_V_hi_W(w), zero),
                              Q6_Vw_vmax_VwVw(Q6_V_lo_W(w), zero));
}
/* Halves of bytes 0 and 2 of each word, and those of bytes 1 and 3. */
__HVX_W __hvx_h_of_hf(__hvx_v u, __hvx_v v)
{
    const __hvx_w a = __hvx_w_of_hf(u), b = __hvx_w_of_hf(v);
    return __hvx_pair(Q6_Vh_vsat_VwVw(Q6_V_lo_W(b), Q6_V_lo_W(a)),
                      Q6_Vh_vsat_VwVw(Q6_V_hi_W(b), Q6_V_hi_W(a)));
}
__HVX_V Q6_Vb_vcvt_VhfVhf(__hvx_v u, __hvx_v v)
{
    const __hvx_w h = __hvx_h_of_hf(u, v);
    return Q6_Vb_vasr_VhVhR_sat(Q6_V_hi_W(h), Q6_V_lo_W(h), 0);
}
__HVX_V Q6_Vub_vcvt_VhfVhf(__hvx_v u, __hvx_v v)
{
    const __hvx_w h = __hvx_h_of_hf(u, v);
    return Q6_Vub_vsat_VhVh(Q6_V_hi_W(h), Q6_V_lo_W(h));
}

/* ---- bf; of a pair the low vector has the even halves ---- */

__HVX_W Q6_Wsf_vadd_VbfVbf(__hvx_v u, __hvx_v v)
{
    const __hvx_w a = __hvx_sf_of_bf(u), b = __hvx_sf_of_bf(v);
    return __hvx_pair(Q6_Vsf_vadd_VsfVsf(Q6_V_lo_W(a), Q6_V_lo_W(b)),
                      Q6_Vsf_vadd_VsfVsf(Q6_V_hi_W(a), Q6_V_hi_W(b)));
}
__HVX_W Q6_Wsf_vsub_VbfVbf(__hvx_v u, __hvx_v v)
{
    const __hvx_w a = __hvx_sf_of_bf(u), b = __hvx_sf_of_bf(v);
    return __hvx_pair(Q6_Vsf_vsub_VsfVsf(Q6_V_lo_W(a), Q6_V_lo_W(b)),
                      Q6_Vsf_vsub_VsfVsf(Q6_V_hi_W(a), Q6_V_hi_W(b)));
}
/* The significands have 8 bits, so products are exact, of subnormal factors too. */
__HVX_W Q6_Wsf_vmpy_VbfVbf(__hvx_v u, __hvx_v v)
{
    const __hvx_w a = __hvx_sf_of_bf(u), b = __hvx_sf_of_bf(v);
    return __hvx_pair(Q6_Vsf_vmpy_VsfVsf(Q6_V_lo_W(a), Q6_V_lo_W(b)),
                      Q6_Vsf_vmpy_VsfVsf(Q6_V_hi_W(a), Q6_V_hi_W(b)));
}
__HVX_W Q6_Wsf_vmpyacc_WsfVbfVbf(__hvx_w x, __hvx_v u, __hvx_v v)
{
    const __hvx_w a = __hvx_sf_of_bf(u), b = __hvx_sf_of_bf(v);
    const __hvx_v low = Q6_Vqf32_vmpy_VsfVsf(Q6_V_lo_W(a), Q6_V_lo_W(b));
    const __hvx_v high = Q6_Vqf32_vmpy_VsfVsf(Q6_V_hi_W(a), Q6_V_hi_W(b));
    return __hvx_sf_of_qf32(Q6_Vqf32_vadd_Vqf32Vsf(low, Q6_V_lo_W(x)),
                            Q6_Vqf32_vadd_Vqf32Vsf(high, Q6_V_hi_W(x)));
}
__HVX_V Q6_Vbf_vcvt_VsfVsf(__hvx_v u, __hvx_v v)
{
    return Q6_Vh_vshuffo_VhVh(__hvx_bf_round(v), __hvx_bf_round(u));
}
__HVX_V Q6_Vbf_vmax_VbfVbf(__hvx_v u, __hvx_v v)
{
    const __hvx_w a = __hvx_sf_of_bf(u), b = __hvx_sf_of_bf(v);
    return Q6_Vh_vshuffo_VhVh(Q6_Vsf_vmax_VsfVsf(Q6_V_hi_W(a), Q6_V_hi_W(b)),
                              Q6_Vsf_vmax_VsfVsf(Q6_V_lo_W(a), Q6_V_lo_W(b)));
}
__HVX_V Q6_Vbf_vmin_VbfVbf(__hvx_v u, __hvx_v v)
{
    const __hvx_w a = __hvx_sf_of_bf(u), b = __hvx_sf_of_bf(v);
    return Q6_Vh_vshuffo_VhVh(Q6_Vsf_vmin_VsfVsf(Q6_V_hi_W(a), Q6_V_hi_W(b)),
                              Q6_Vsf_vmin_VsfVsf(Q6_V_lo_W(a), Q6_V_lo_W(b)));
}

/* ---- refused ---- */

#define __HVX_REFUSED(result, name, operands, instead)                               \
    result name operands __attribute__((                                             \
        __unavailable__("HVX of v79 and newer has no such instruction: " instead)));
#define __HVX_NO_F8                                                                          \
    "compute in qf16; from v81 on Q6_Wqf16_equals_V and Q6_V_equals_Vqf16 convert from and " \
    "to numbers of 8 bits"
#define __HVX_NO_VCVT2(name) "use " #name ", which orders bytes otherwise"
__HVX_REFUSED(__hvx_v, Q6_V_vabs_V, (__hvx_v), __HVX_NO_F8)
__HVX_REFUSED(__hvx_v, Q6_V_vfneg_V, (__hvx_v), __HVX_NO_F8)
__HVX_REFUSED(__hvx_v, Q6_V_vfmax_VV, (__hvx_v, __hvx_v), __HVX_NO_F8)
__HVX_REFUSED(__hvx_v, Q6_V_vfmin_VV, (__hvx_v, __hvx_v), __HVX_NO_F8)
__HVX_REFUSED(__hvx_v, Q6_V_vcvt_VhfVhf, (__hvx_v, __hvx_v), __HVX_NO_F8)
__HVX_REFUSED(__hvx_w, Q6_Whf_vcvt_V, (__hvx_v), __HVX_NO_F8)
__HVX_REFUSED(__hvx_w, Q6_Whf_vadd_VV, (__hvx_v, __hvx_v), __HVX_NO_F8)
__HVX_REFUSED(__hvx_w, Q6_Whf_vsub_VV, (__hvx_v, __hvx_v), __HVX_NO_F8)
__HVX_REFUSED(__hvx_w, Q6_Whf_vmpy_VV, (__hvx_v, __hvx_v), __HVX_NO_F8)
__HVX_REFUSED(__hvx_w, Q6_Whf_vmpyacc_WhfVV, (__hvx_w, __hvx_v, __hvx_v), __HVX_NO_F8)
__HVX_REFUSED(__hvx_v, Q6_Vb_vcvt2_VhfVhf, (__hvx_v, __hvx_v), __HVX_NO_VCVT2(Q6_Vb_vcvt_VhfVhf))
__HVX_REFUSED(__hvx_v, Q6_Vub_vcvt2_VhfVhf, (__hvx_v, __hvx_v), __HVX_NO_VCVT2(Q6_Vub_vcvt_VhfVhf))
__HVX_REFUSED(__hvx_w, Q6_Whf_vcvt2_Vb, (__hvx_v), __HVX_NO_VCVT2(Q6_Whf_vcvt_Vb))
__HVX_REFUSED(__hvx_w, Q6_Whf_vcvt2_Vub, (__hvx_v), __HVX_NO_VCVT2(Q6_Whf_vcvt_Vub))

#undef __HVX_V
#undef __HVX_W
#undef __HVX_SPLAT
#undef __HVX_REFUSED
#undef __HVX_NO_F8
#undef __HVX_NO_VCVT2
#endif
