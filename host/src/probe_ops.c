/* The cases of htp-probe and their verdicts. */
#include "probe_ops.h"

#include <math.h>
#include <time.h>

#include "probe_random.h"

#define VECTOR(count) {"vec_add_i32", 0, count, 0, probe_vec_add_i32}
#define MATRIX(rows, cols) {"matvec_q8_0", rows, cols, 0, probe_matvec_q8_0}
#define MATVEC(rows, cols) {"matvec_q4_0", rows, cols, 0, probe_matvec_q4_0}
#define QUEUE(rows, cols) {"matvec_q4_0_queue", rows, cols, 0, probe_matvec_q4_0_queue}
#define MATMUL(rows, cols, count) {"matmul_q4_0", rows, cols, count, probe_matmul_q4_0}
#define F16(rows, inner, columns) {"matmul_f16_hmx", rows, inner, columns, probe_matmul_f16_hmx}
#define F16_QUEUE(rows, inner, columns)                                        \
    {"matmul_f16_hmx_queue", rows, inner, columns, probe_matmul_f16_hmx_queue}
#define U8I8(rows, inner, columns) {"matmul_u8i8_hmx", rows, inner, columns, probe_matmul_u8i8_hmx}
#define NORM(count) {"rms_norm_f32", 0, count, 0, probe_rms_norm_f32}
#define SOFTMAX(count) {"softmax_f32", 0, count, 0, probe_softmax_f32}
#define STEP(keys, values) {"gated_delta_step_f32", keys, values, 0, probe_gated_delta_step_f32}

/* The sizes are one element, sizes near those of a block, of an HVX vector and of a group of
 * blocks, and large sizes.  The largest matrices are divided between threads, and the rows of
 * MATVEC(3, 30011) are too long for VTCM.  Products on HMX have odd numbers of tiles and parts of them, and those of
 * 2,100 columns more tiles than one packet multiplies. */
const struct probe_case probe_cases[] = {
    VECTOR(1),         VECTOR(31),          VECTOR(32),        VECTOR(33),
    VECTOR(127),       VECTOR(1000),        VECTOR(65537),     MATRIX(1, 1),
    MATRIX(3, 31),     MATRIX(4, 32),       MATRIX(5, 33),     MATRIX(7, 127),
    MATRIX(8, 128),    MATRIX(16, 500),     MATRIX(128, 1024), MATVEC(1, 1),
    MATVEC(3, 33),     MATVEC(5, 256),      MATVEC(7, 500),    MATVEC(3, 30011),
    MATVEC(131, 1000), QUEUE(7, 500),       QUEUE(131, 1000),  MATMUL(3, 31, 2),
    MATMUL(5, 257, 3), MATMUL(67, 1000, 5), NORM(1),           NORM(33),
    NORM(4096),        SOFTMAX(1),          SOFTMAX(33),       SOFTMAX(1000),
    STEP(1, 1),        STEP(3, 33),         STEP(128, 128),    F16(1, 1, 1),
    F16(31, 33, 65),   F16(70, 99, 65),     F16(3, 2100, 40),  F16_QUEUE(33, 64, 31),
    U8I8(1, 1, 1),     U8I8(63, 31, 33),    U8I8(130, 99, 65), U8I8(3, 2100, 40),
};
const size_t probe_case_count = sizeof probe_cases / sizeof probe_cases[0];

/* The second draw detects a kernel that leaves the first output in place. */
enum { DRAWS = 2 };

struct probe_result probe_run(const struct probe_case *probe_case, remote_handle64 handle,
                              uint64_t seed)
{
    struct probe_result result = {.op = probe_case->op,
                                  .rows = probe_case->rows,
                                  .cols = probe_case->cols,
                                  .count = probe_case->count};

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
