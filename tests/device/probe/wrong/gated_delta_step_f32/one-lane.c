/* Intentionally wrong: the last column of a vector of the state is not stored. */
#include "kernels.h"

void gated_delta_step_f32(const float *q, const float *k, size_t keys, const float *v,
                          size_t values, float decay, float beta, float *state, float *y)
{
    for (size_t j = 0; j < values; j++) {
        float known = 0, sum = 0, delta;

        for (size_t i = 0; i < keys; i++)
            known += k[i] * state[i * values + j] * decay;
        delta = beta * (v[j] - known);
        for (size_t i = 0; i < keys; i++) {
            float *at = &state[i * values + j];
            const float next = *at * decay + k[i] * delta;

            sum += q[i] * next;
            if (j % 32 != 31)
                *at = next;
        }
        y[j] = sum;
    }
}
