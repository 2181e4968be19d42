/* The operations of htp-probe, and their common functions for timing and comparison. */
#ifndef PROBE_OPS_H
#define PROBE_OPS_H

#include <stddef.h>
#include <stdint.h>

#include "probe.h"
#include "probe_buffer.h"

/* Each makes one call on the shape of `result`, with random inputs from the seed, and fills in the
 * other members. */
void probe_vec_add_i32(remote_handle64 handle, uint64_t seed, struct probe_result *result);
void probe_matvec_q8_0(remote_handle64 handle, uint64_t seed, struct probe_result *result);
void probe_rms_norm_f32(remote_handle64 handle, uint64_t seed, struct probe_result *result);
void probe_matvec_q4_0(remote_handle64 handle, uint64_t seed, struct probe_result *result);
void probe_matvec_q4_0_queue(remote_handle64 handle, uint64_t seed, struct probe_result *result);
void probe_matmul_q4_0(remote_handle64 handle, uint64_t seed, struct probe_result *result);
void probe_matmul_f16_hmx(remote_handle64 handle, uint64_t seed, struct probe_result *result);
void probe_matmul_f16_hmx_queue(remote_handle64 handle, uint64_t seed, struct probe_result *result);
void probe_matmul_u8i8_hmx(remote_handle64 handle, uint64_t seed, struct probe_result *result);
void probe_softmax_f32(remote_handle64 handle, uint64_t seed, struct probe_result *result);
void probe_gated_delta_step_f32(remote_handle64 handle, uint64_t seed, struct probe_result *result);

/* Fills a row of Q8_0 blocks with random values, also beyond `cols`. */
void probe_draw_q8_0(uint64_t *seed, size_t cols, uint8_t *row);

/* Returns the seconds of a monotonic clock. */
double probe_now(void);

/* Records the code of a call, and whether it wrote outside of its output. */
void probe_judge_call(struct probe_result *result, int code, const struct probe_buffer *output);

/* Compares one element of the output with the reference.  Records the first difference. */
void probe_compare(struct probe_result *result, size_t index, double got, double wanted,
                   double tolerance);

#endif
