/* The DSP side of @NAME@: called by the generated skel. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>

#include "AEEStdErr.h"
#include "HAP_power.h"
#include "@IDENT@_dsp.h"

/* The compiler makes HVX instructions of + - * and comparisons of these. */
typedef float floats __attribute__((vector_size(128)));
typedef int32_t ints __attribute__((vector_size(128)));

/* A vector at any address; volatile keeps the compiler from merging such accesses
 * into aligned ones that reach beyond the end of the data. */
typedef volatile HVX_Vector unaligned_vector __attribute__((aligned(1), may_alias));

enum { LANES = sizeof(floats) / sizeof(float) };

static int vote_for_hvx(void *session, boolean power_up)
{
    HAP_power_request_t request;

    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_HVX;
    request.hvx.power_up = power_up;
    return HAP_power_set(session, &request);
}

int @IDENT@_dsp_open(const char *uri, remote_handle64 *handle)
{
    void *session = malloc(1);

    (void)uri;
    if (session == NULL)
        return AEE_ENOMEMORY;
    if (vote_for_hvx(session, TRUE) != 0) {
        free(session);
        return AEE_EFAILED;
    }
    *handle = (remote_handle64)(uintptr_t)session;
    return AEE_SUCCESS;
}

int @IDENT@_dsp_close(remote_handle64 handle)
{
    void *session = (void *)(uintptr_t)handle;

    vote_for_hvx(session, FALSE);
    free(session);
    return AEE_SUCCESS;
}

/* ---- vectors ---- */

static floats splat(float value)
{
    int32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (floats)Q6_V_vsplat_R(bits);
}

/* Loads a vector of which `bytes` bytes are in memory; the others are those of `rest`. */
static HVX_Vector load(const void *from, size_t bytes, HVX_Vector rest)
{
    if (bytes >= sizeof rest)
        return *(const unaligned_vector *)from;
    memcpy(&rest, from, bytes);
    return rest;
}

static floats load_floats(const float *from, int count, float rest)
{
    return (floats)load(from, (size_t)count * sizeof *from, (HVX_Vector)splat(rest));
}

static void store_floats(float *to, int count, floats value)
{
    if (count >= LANES)
        *(unaligned_vector *)to = (HVX_Vector)value;
    else
        memcpy(to, &value, (size_t)count * sizeof *to);
}

static floats larger(floats a, floats b)
{
    const ints first = a > b; /* -1 or 0 */

    return (floats)((first & (ints)a) | (~first & (ints)b));
}

static floats rotated(floats value, int lanes)
{
    return (floats)Q6_V_vror_VR((HVX_Vector)value, lanes * (int)sizeof(float));
}

static float sum_of(floats value)
{
    for (int lanes = LANES / 2; lanes > 0; lanes /= 2)
        value += rotated(value, lanes);
    return value[0];
}

static float largest_of(floats value)
{
    for (int lanes = LANES / 2; lanes > 0; lanes /= 2)
        value = larger(value, rotated(value, lanes));
    return value[0];
}

/* e^x of x from -87 to 0, or e^-87 of less. With x * -log2(e) = n + 1/2 + f it is 2^-n times a polynomial
 * of f. n and f are taken from a fixed-point number, because sums in the DSP's own format keep the error
 * of their larger operand. */
static floats exponential(floats x)
{
    static const float terms[] = {-0.000942824938f, 0.00680104431f, -0.0392473316f,
                                  0.169865792f, -0.490129072f, 0.707106781f};
    const ints bits = (ints)(larger(x, splat(-87.0f)) * splat(-1.44269504f));
    const ints mantissa = (bits & 0x7fffff) | 0x800000, exponent = (bits >> 23) - 127;
    const HVX_Vector shift = Q6_Vw_vmax_VwVw((HVX_Vector)exponent, Q6_V_vsplat_R(-31));
    const ints fixed = (ints)Q6_Vw_vasl_VwVw((HVX_Vector)mantissa, shift); /* 23 bits of fraction */
    const floats fraction = (floats)((fixed & 0x7fffff) | 0x3f800000) - splat(1.5f);
    floats result = splat(0.000108919408f);

    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        result = result * fraction + splat(terms[i]);
    return (floats)((ints)result - (fixed & ~0x7fffff)); /* n, from the exponent */
}

/* ---- methods ---- */

AEEResult @IDENT@_dsp_rms_norm(remote_handle64 handle, float epsilon, const float *x, int x_len,
                            float *y, int y_len)
{
    floats sum = splat(0), scale;

    (void)handle;
    if (y_len != x_len)
        return AEE_EBADPARM;
    for (int i = 0; i < x_len; i += LANES) {
        const floats value = load_floats(x + i, x_len - i, 0);
        sum += value * value;
    }
    scale = splat(1 / sqrtf(sum_of(sum) / (float)x_len + epsilon));
    for (int i = 0; i < x_len; i += LANES)
        store_floats(y + i, x_len - i, load_floats(x + i, x_len - i, 0) * scale);
    return AEE_SUCCESS;
}

AEEResult @IDENT@_dsp_softmax(remote_handle64 handle, const float *x, int x_len, float *y, int y_len)
{
    floats largest = splat(-INFINITY), sum = splat(0), scale;

    (void)handle;
    if (y_len != x_len)
        return AEE_EBADPARM;
    for (int i = 0; i < x_len; i += LANES)
        largest = larger(largest, load_floats(x + i, x_len - i, -INFINITY));
    largest = splat(largest_of(largest));
    for (int i = 0; i < x_len; i += LANES) {
        const floats value = exponential(load_floats(x + i, x_len - i, -INFINITY) - largest);
        sum += value;
        store_floats(y + i, x_len - i, value);
    }
    scale = splat(1 / sum_of(sum));
    for (int i = 0; i < x_len; i += LANES)
        store_floats(y + i, x_len - i, load_floats(y + i, x_len - i, 0) * scale);
    return AEE_SUCCESS;
}

AEEResult @IDENT@_dsp_dot_f16(remote_handle64 handle, const uint16_t *a, int a_len, const uint16_t *b,
                           int b_len, float *result)
{
    const HVX_Vector zero = Q6_V_vzero();
    HVX_Vector sum = zero;

    (void)handle;
    if (b_len != a_len)
        return AEE_EBADPARM;
    for (int i = 0; i < a_len; i += 2 * LANES) {
        const size_t bytes = (size_t)(a_len - i) * sizeof *a;
        const HVX_VectorPair product = Q6_Wqf32_vmpy_VhfVhf(load(a + i, bytes, zero),
                                                            load(b + i, bytes, zero));
        const HVX_Vector both = Q6_Vqf32_vadd_Vqf32Vqf32(Q6_V_lo_W(product), Q6_V_hi_W(product));
        /* What memory keeps of qf32, the DSP's own format, is not all of it: the sum is converted in
         * each turn, because load() calls memcpy(), which saves no HVX register. */
        sum = Q6_Vsf_equals_Vqf32(Q6_Vqf32_vadd_Vqf32Vsf(both, sum));
    }
    *result = sum_of((floats)sum);
    return AEE_SUCCESS;
}
