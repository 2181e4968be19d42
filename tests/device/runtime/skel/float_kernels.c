/* float_kernels.c: kernels of language models in floating point, compared with scalar code. */
#include <hexagon_types.h>
#include <hvx_hexagon_protos.h>
#include <math.h>
#include <stdlib.h>

#include "cases.h"

#define COUNT 256 /* numbers: eight vectors of sf, four of hf */
#define VECTORS (COUNT / 32)
#define WITHIN(is, wanted, error)                                        \
    CHECK(fabs((double)(is) - (wanted)) <= (error) * (1 + fabs(wanted)))

typedef float floats __attribute__((vector_size(128)));

static float x[COUNT] __attribute__((aligned(128)));
static float y[COUNT] __attribute__((aligned(128)));
static float z[COUNT] __attribute__((aligned(128)));
static _Float16 a[COUNT] __attribute__((aligned(128)));
static _Float16 b[COUNT] __attribute__((aligned(128)));

static void fill(int32_t seed)
{
    srand((unsigned)seed);
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(rand() % 20001 - 10000) / 1250.0f;
        y[i] = (float)(rand() % 20001 - 10000) / 10000.0f;
        a[i] = (_Float16)x[i];
        b[i] = (_Float16)y[i];
    }
}

static HVX_Vector splat(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return Q6_V_vsplat_R(bits);
}

/* The sum of the lanes, in each lane.  What is rotated is sf: qf32 has bits that are not. */
static HVX_Vector sum_qf32(HVX_Vector vector)
{
    for (int bytes = 64; bytes >= 4; bytes /= 2) {
        const HVX_Vector sf = Q6_Vsf_equals_Vqf32(vector);
        vector = Q6_Vqf32_vadd_VsfVsf(sf, Q6_V_vror_VR(sf, bytes));
    }
    return vector;
}

static float first(HVX_Vector sf)
{
    const int32_t bits = Q6_R_vextract_VR(sf, 0);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- x / sqrt(mean(x^2) + epsilon) ---- */

static void rms_norm(const HVX_Vector *in, HVX_Vector *out)
{
    HVX_Vector sum = Q6_V_vzero();
    for (int i = 0; i < VECTORS; i++) {
        sum = Q6_Vqf32_vadd_Vqf32Vqf32(sum, Q6_Vqf32_vmpy_VsfVsf(in[i], in[i]));
    }
    const float mean = first(Q6_Vsf_equals_Vqf32(sum_qf32(sum))) / COUNT;
    const HVX_Vector scale = splat(1.0f / sqrtf(mean + 1e-6f));
    for (int i = 0; i < VECTORS; i++) {
        out[i] = Q6_Vsf_equals_Vqf32(Q6_Vqf32_vmpy_VsfVsf(in[i], scale));
    }
}

static int rms(const int32_t in[4], int32_t out[8])
{
    double sum = 0;
    (void)out;
    fill(in[0]);
    rms_norm((const HVX_Vector *)x, (HVX_Vector *)z);
    for (int i = 0; i < COUNT; i++) {
        sum += (double)x[i] * x[i];
    }
    for (int i = 0; i < COUNT; i++) {
        WITHIN(z[i], x[i] / sqrt(sum / COUNT + 1e-6), 1e-6);
    }
    return 0;
}

/* ---- e^x of numbers from -80 to 80, and softmax ---- */

/* 2^n * p(f), with x * log2(e) = n + f, which adding 1.5 * 2^23 rounds. */
static HVX_Vector exponential(HVX_Vector number)
{
    static const float terms[] = {1.0f,          0.69314718f,   0.24022651f,   0.055504109f,
                                  0.0096181291f, 0.0013333558f, 0.00015403530f};
    const HVX_Vector magic = splat(12582912.0f),
                     scaled = Q6_Vsf_vmpy_VsfVsf(number, splat(1.44269504f));
    const HVX_Vector rounded = Q6_Vsf_vadd_VsfVsf(scaled, magic);
    const HVX_Vector fraction = Q6_Vsf_vsub_VsfVsf(scaled, Q6_Vsf_vsub_VsfVsf(rounded, magic));
    HVX_Vector result = splat(terms[6]);
    for (int i = 5; i >= 0; i--) {
        result = Q6_Vsf_vadd_VsfVsf(Q6_Vsf_vmpy_VsfVsf(result, fraction), splat(terms[i]));
    }
    return Q6_Vw_vadd_VwVw(result, Q6_Vw_vasl_VwR(rounded, 23)); /* to the exponent */
}

static void softmax(const HVX_Vector *in, HVX_Vector *out)
{
    HVX_Vector greatest = in[0], sum = Q6_V_vzero();
    for (int i = 1; i < VECTORS; i++) {
        greatest = Q6_Vsf_vmax_VsfVsf(greatest, in[i]);
    }
    for (int bytes = 64; bytes >= 4; bytes /= 2) {
        greatest = Q6_Vsf_vmax_VsfVsf(greatest, Q6_V_vror_VR(greatest, bytes));
    }
    for (int i = 0; i < VECTORS; i++) {
        out[i] = exponential(Q6_Vsf_vsub_VsfVsf(in[i], greatest));
        sum = Q6_Vqf32_vadd_Vqf32Vsf(sum, out[i]);
    }
    const HVX_Vector scale = splat(1.0f / first(Q6_Vsf_equals_Vqf32(sum_qf32(sum))));
    for (int i = 0; i < VECTORS; i++) {
        out[i] = Q6_Vsf_vmpy_VsfVsf(out[i], scale);
    }
}

static int soft(const int32_t in[4], int32_t out[8])
{
    double sum = 0;
    (void)out;
    fill(in[0]);
    softmax((const HVX_Vector *)x, (HVX_Vector *)z);
    for (int i = 0; i < COUNT; i++) {
        sum += exp(x[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        WITHIN(z[i], exp(x[i]) / sum, 1e-6);
    }
    return 0;
}

/* ---- dot products of halves ---- */

static int dot(const int32_t in[4], int32_t out[8])
{
    const HVX_Vector *left = (const HVX_Vector *)a, *right = (const HVX_Vector *)b;
    HVX_Vector ieee = Q6_V_vzero(), qfloat = Q6_V_vzero();
    double wanted = 0;
    (void)out;
    fill(in[0]);
    for (int i = 0; i < COUNT / 64; i++) {
        const HVX_VectorPair product = Q6_Wqf32_vmpy_VhfVhf(left[i], right[i]);
        ieee = Q6_Vsf_vdmpyacc_VsfVhfVhf(ieee, left[i], right[i]);
        qfloat = Q6_Vqf32_vadd_Vqf32Vqf32(qfloat, Q6_V_lo_W(product));
        qfloat = Q6_Vqf32_vadd_Vqf32Vqf32(qfloat, Q6_V_hi_W(product));
    }
    for (int i = 0; i < COUNT; i++) {
        wanted += (double)a[i] * b[i];
    }
    const HVX_Vector zero = Q6_V_vzero();
    WITHIN(first(Q6_Vsf_equals_Vqf32(sum_qf32(Q6_Vqf32_vadd_VsfVsf(ieee, zero)))), wanted, 1e-4);
    WITHIN(first(Q6_Vsf_equals_Vqf32(sum_qf32(qfloat))), wanted, 1e-4);
    return 0;
}

/* ---- a step of a gated delta net: s = gate * s + beta * (v - gate * s.k) * k, for one row s ---- */

static int delta(const int32_t in[4], int32_t out[8])
{
    const float gate = 0.9f, beta = 0.4f, v = 2.5f;
    static float row[COUNT] __attribute__((aligned(128)));
    const HVX_Vector *key = (const HVX_Vector *)y;
    HVX_Vector *state = (HVX_Vector *)row, sum = Q6_V_vzero();
    double wanted = 0;
    (void)out;
    fill(in[0]);
    memcpy(row, x, sizeof row);
    for (int i = 0; i < VECTORS; i++) {
        state[i] = Q6_Vsf_equals_Vqf32(Q6_Vqf32_vmpy_VsfVsf(state[i], splat(gate)));
        sum = Q6_Vqf32_vadd_Vqf32Vqf32(sum, Q6_Vqf32_vmpy_VsfVsf(state[i], key[i]));
    }
    const float change = beta * (v - first(Q6_Vsf_equals_Vqf32(sum_qf32(sum))));
    for (int i = 0; i < VECTORS; i++) {
        const HVX_Vector more = Q6_Vqf32_vmpy_VsfVsf(key[i], splat(change));
        state[i] = Q6_Vsf_equals_Vqf32(Q6_Vqf32_vadd_Vqf32Vsf(more, state[i]));
    }
    for (int i = 0; i < COUNT; i++) {
        wanted += 0.9 * x[i] * y[i];
    }
    for (int i = 0; i < COUNT; i++) {
        WITHIN(row[i], 0.9 * x[i] + 0.4 * (2.5 - wanted) * y[i], 1e-5);
    }
    return 0;
}

/* ---- vectors of float, for which the compiler chooses, and assembly ---- */

static int types(const int32_t in[4], int32_t out[8])
{
    floats *left = (floats *)x, *right = (floats *)y, *result = (floats *)z;
    (void)out;
    fill(in[0]);
    for (int i = 0; i < VECTORS; i++) {
        result[i] = left[i] * right[i] + left[i] - right[i];
    }
    for (int i = 0; i < COUNT; i++) {
        WITHIN(z[i], (double)x[i] * y[i] + x[i] - y[i], 1e-6);
    }
    return 0;
}

static int assembly(const int32_t in[4], int32_t out[8])
{
    float *from = x, *to = z;
    (void)out;
    fill(in[0]);
    __asm__ volatile("{ loop0(1f,#8); v1 = %2 }\n"
                     "1: { v0.cur = vmem(%0++#1); v2.qf32 = vmpy(v0.sf,v1.sf) }\n"
                     "{ v2.sf = v2.qf32; vmem(%1++#1) = v2.new }:endloop0\n"
                     : "+r"(from), "+r"(to)
                     : "v"(splat(3.0f))
                     : "v0", "v1", "v2", "lc0", "sa0", "memory");
    for (int i = 0; i < COUNT; i++) {
        WITHIN(z[i], 3.0 * x[i], 1e-6);
    }
    return 0;
}

const struct named_case cases[] = {CASE(rms),   CASE(soft),     CASE(dot),   CASE(delta),
                                   CASE(types), CASE(assembly), {NULL, NULL}};
