/* htp-probe's check of gated_delta_step_f32: its output and then its new state, compared within the
 * reference's tolerance. */
#include <stdlib.h>

#include "htp_ops.h"
#include "probe_ops.h"
#include "probe_random.h"
#include "reference.h"

enum { Q, K, V, STATE, Y, BUFFERS };

static const float DECAY = 0.875f, BETA = 0.75f;

static float *floats(const struct probe_buffer *buffer)
{
    return (float *)(void *)buffer->data;
}

static void run(remote_handle64 handle, const struct probe_buffer buffers[BUFFERS],
                struct reference_value *wanted, struct probe_result *result)
{
    const size_t keys = result->rows, values = result->cols;
    float *state = floats(&buffers[STATE]), *y = floats(&buffers[Y]);
    const double start = probe_now();
    double middle;
    int code;

    reference_gated_delta_step_f32(floats(&buffers[Q]), floats(&buffers[K]), keys,
                                   floats(&buffers[V]), values, DECAY, BETA, state, wanted + values,
                                   wanted);
    middle = probe_now();
    code = htp_ops_gated_delta_step_f32(handle, floats(&buffers[Q]), (int)keys, floats(&buffers[K]),
                                        (int)keys, floats(&buffers[V]), (int)values, DECAY, BETA,
                                        state, (int)(keys * values), y, (int)values);
    result->dsp_seconds = probe_now() - middle;
    result->cpu_seconds = middle - start;

    probe_judge_call(result, code, &buffers[Y]);
    if (code == 0 && !probe_buffer_guards_whole(&buffers[STATE]))
        result->verdict = PROBE_OVERRUN;
    for (size_t i = 0; i < values + keys * values && code == 0; i++)
        probe_compare(result, i, (double)(i < values ? y[i] : state[i - values]), wanted[i].value,
                      wanted[i].tolerance);
}

void probe_gated_delta_step_f32(remote_handle64 handle, uint64_t seed, struct probe_result *result)
{
    const size_t keys = result->rows, values = result->cols;
    const size_t counts[BUFFERS] = {keys, keys, values, keys * values, values};
    struct reference_value *wanted = malloc((values + keys * values) * sizeof *wanted);
    struct probe_buffer buffers[BUFFERS] = {{0}};
    size_t allocated = 0;

    while (allocated < BUFFERS &&
           probe_buffer_allocate(&buffers[allocated], counts[allocated] * sizeof(float))) {
        /* Y keeps its poison. */
        for (size_t i = 0; i < counts[allocated] && allocated != Y; i++)
            floats(&buffers[allocated])[i] = random_float(&seed);
        allocated++;
    }
    if (wanted != NULL && allocated == BUFFERS)
        run(handle, buffers, wanted, result);
    else
        result->verdict = PROBE_NO_MEMORY;
    for (size_t i = 0; i < BUFFERS; i++)
        probe_buffer_free(&buffers[i]);
    free(wanted);
}
