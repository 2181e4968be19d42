/* What the operations of htp-probe share: drawing, timing, judging, comparing. */
#ifndef PROBE_OPS_H
#define PROBE_OPS_H

#include <stddef.h>
#include <stdint.h>

#include "probe.h"
#include "probe_buffer.h"

/* Each fills `result` from one call on its shape, with inputs drawn from the seed. */
void probe_vec_add_i32(remote_handle64 handle, uint64_t seed, struct probe_result *result);
void probe_matvec_q8_0(remote_handle64 handle, uint64_t seed, struct probe_result *result);

/* Seconds on a clock that only goes forward. */
double probe_now(void);

/* Takes in what a call returned, and whether it kept to its output. */
void probe_judge_call(struct probe_result *result, int code, const struct probe_buffer *output);

/* Takes in one element of the output; of those that differ the first is kept. */
void probe_compare(struct probe_result *result, size_t index, double got, double wanted,
                   double tolerance);

#endif
