/* Intentionally wrong: the query reads the state before the update. */
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
            sum += q[i] * *at;
            *at = *at * decay + k[i] * delta;
        }
        y[j] = sum;
    }
}
