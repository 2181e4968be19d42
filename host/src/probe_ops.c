/* The cases of htp-probe and their verdicts. */
#include "probe_ops.h"

#include <math.h>
#include <time.h>

#include "probe_random.h"

#define VECTOR(count) {"vec_add_i32", 0, count, probe_vec_add_i32}
#define MATRIX(rows, cols) {"matvec_q8_0", rows, cols, probe_matvec_q8_0}
#define NORM(count) {"rms_norm_f32", 0, count, probe_rms_norm_f32}

/* The sizes are one element, sizes near those of a block, of an HVX vector and of a group of
 * blocks, and large sizes. */
const struct probe_case probe_cases[] = {
    VECTOR(1),     VECTOR(31),     VECTOR(32),     VECTOR(33),      VECTOR(127),
    VECTOR(1000),  VECTOR(65537),  MATRIX(1, 1),   MATRIX(3, 31),   MATRIX(4, 32),
    MATRIX(5, 33), MATRIX(7, 127), MATRIX(8, 128), MATRIX(16, 500), MATRIX(128, 1024),
    NORM(1),       NORM(33),       NORM(4096),
};
const size_t probe_case_count = sizeof probe_cases / sizeof probe_cases[0];

/* The second draw detects a kernel that leaves the first output in place. */
enum { DRAWS = 2 };

struct probe_result probe_run(const struct probe_case *probe_case, remote_handle64 handle,
                              uint64_t seed)
{
    struct probe_result result = {
        .op = probe_case->op, .rows = probe_case->rows, .cols = probe_case->cols};

    for (int draw = 0; draw < DRAWS && result.verdict == PROBE_VERIFIED; draw++)
        probe_case->run(handle, random_bits(&seed), &result);
    return result;
}

double probe_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void probe_judge_call(struct probe_result *result, int code, const struct probe_buffer *output)
{
    result->code = code;
    if (code != 0)
        result->verdict = PROBE_CALL_FAILED;
    else if (!probe_buffer_guards_whole(output))
        result->verdict = PROBE_OVERRUN;
}

void probe_compare(struct probe_result *result, size_t index, double got, double wanted,
                   double tolerance)
{
    const double error = isnan(got) ? (double)INFINITY : fabs(got - wanted);

    result->max_error = fmax(result->max_error, error);
    if (error <= tolerance || result->verdict != PROBE_VERIFIED)
        return;
    result->verdict = PROBE_MISMATCH;
    result->first_difference = index;
    result->got = got;
    result->wanted = wanted;
}
