/* htp-probe: each operation on the DSP and on the CPU, compared. */
#ifndef PROBE_H
#define PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "remote.h"

enum probe_verdict {
    PROBE_VERIFIED,
    PROBE_MISMATCH,    /* at `first_difference` the DSP's output is not the reference */
    PROBE_OVERRUN,     /* memory around the output was changed */
    PROBE_CALL_FAILED, /* the call returned `code` */
    PROBE_NO_MEMORY,   /* a buffer shared with the DSP was not to be had */
    PROBE_UNPROVEN     /* the reference is such that a wrong output could pass */
};

/* What came of one operation on one shape. */
struct probe_result {
    const char *op;
    size_t rows, cols; /* a vector has rows 0 and `cols` elements */
    enum probe_verdict verdict;
    int code;
    size_t first_difference;
    double got, wanted; /* there */
    double max_error;   /* largest |DSP - CPU|; infinite if the DSP gave no number */
    double dsp_seconds, cpu_seconds;
};

/* One row of the probe's list: an operation on one shape. */
struct probe_case {
    const char *op;
    size_t rows, cols;
    void (*run)(remote_handle64 handle, uint64_t seed, struct probe_result *result);
};

extern const struct probe_case probe_cases[];
extern const size_t probe_case_count;

/*
 * Runs a case several times, each time with other inputs drawn from the seed, so that
 * the output of the time before is wrong.  Stops at the first that is not verified.
 */
struct probe_result probe_run(const struct probe_case *probe_case, remote_handle64 handle,
                              uint64_t seed);

/* What a report tells besides the results. */
struct probe_summary {
    int skel_arch, vector_bytes;
    uint64_t seed;
    const struct probe_result *results;
    size_t count;
};

/* Non-zero if every result is verified; no results prove nothing. */
int probe_all_verified(const struct probe_summary *summary);

/* To standard output: a table of at most 80 columns, or one JSON document. */
void probe_print_table(const struct probe_summary *summary);
void probe_print_json(const struct probe_summary *summary);

/* To standard output: a JSON document that says why there are no results. */
void probe_print_json_failure(const char *doing, int code);

#endif
