/* htp-probe: runs each operation on the DSP and on the CPU and compares the results. */
#ifndef PROBE_H
#define PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "remote.h"

enum probe_verdict {
    PROBE_VERIFIED,
    PROBE_MISMATCH,    /* the output of the DSP differs at `first_difference` */
    PROBE_OVERRUN,     /* the call changed memory around the output */
    PROBE_CALL_FAILED, /* the call returned `code` */
    PROBE_NO_QUEUE,    /* libcdsprpc has no dspqueue */
    PROBE_NO_HMX,      /* the DSP has no HMX that can be powered up */
    PROBE_NO_MEMORY,   /* allocation of a buffer shared with the DSP failed */
    PROBE_UNPROVEN     /* the inputs would not reveal every wrong output */
};

/* The result of one operation on one shape. */
struct probe_result {
    const char *op;
    size_t rows, cols; /* for a vector, rows is 0 and cols is its length */
    size_t count; /* number of vectors that a matrix is multiplied with; 0: one, or no matrix */
    enum probe_verdict verdict;
    int code;
    size_t first_difference;
    double got, wanted; /* the element at `first_difference` */
    double max_error;   /* largest |DSP - CPU|; infinite if the DSP returned a NaN */
    double dsp_seconds, cpu_seconds;
};

/* A case of the probe: an operation on one shape. */
struct probe_case {
    const char *op;
    size_t rows, cols, count;
    void (*run)(remote_handle64 handle, uint64_t seed, struct probe_result *result);
};

extern const struct probe_case probe_cases[];
extern const size_t probe_case_count;

/*
 * Runs a case several times, each time with different random inputs from the seed, so
 * that the previous output is wrong.  Stops at the first run that is not verified.
 */
struct probe_result probe_run(const struct probe_case *probe_case, remote_handle64 handle,
                              uint64_t seed);

/* The content of a report. */
struct probe_summary {
    int skel_arch, vector_bytes;
    uint64_t seed;
    const struct probe_result *results;
    size_t count;
};

/* Returns non-zero if there is a verified result, and none that is neither verified nor PROBE_NO_HMX. */
int probe_all_verified(const struct probe_summary *summary);

/* Print a table of at most 80 columns, or one JSON document, to standard output. */
void probe_print_table(const struct probe_summary *summary);
void probe_print_json(const struct probe_summary *summary);

/* Prints a JSON document to standard output that tells why there are no results. */
void probe_print_json_failure(const char *doing, int code);

#endif
