/*
 * One step of a gated delta net in HVX floating point.
 *
 * The columns of the state are independent, so that 32 of them are computed at a time, in two
 * passes over their rows: the first one reads what the state has for the key, the second one
 * updates the state and reads it for the query.
 */
#include "hvx_float.h"
#include "kernels.h"

void gated_delta_step_f32(const float *q, const float *k, size_t keys, const float *v,
                          size_t values, float decay, float beta, float *state, float *y)
{
    const HVX_Vector decays = splat(decay);

    for (size_t j = 0; j < values; j += HVX_WORDS) {
        const size_t here = values - j;
        HVX_Vector known = Q6_V_vzero(), sums = Q6_V_vzero();
        HVX_Vector delta;

        for (size_t i = 0; i < keys; i++) {
            const HVX_Vector row = load_floats(state + i * values + j, here);

            known = add_product(known, splat(k[i]), row);
        }
        known = multiply(decays, known);
        delta = Q6_Vsf_equals_Vqf32(Q6_Vqf32_vsub_VsfVsf(load_floats(v + j, here), known));
        delta = multiply(splat(beta), delta);
        for (size_t i = 0; i < keys; i++) {
            float *at = state + i * values + j;
            const HVX_Vector row = add(multiply(decays, load_floats(at, here)),
                                       multiply(splat(k[i]), delta));

            store_floats(at, row, here);
            sums = add_product(sums, splat(q[i]), row);
        }
        store_floats(y + j, sums, here);
    }
}
