/* qf_problems.h: finds out what is wrong with results of qf instructions. */
#ifndef BUILDTOOL_SHELL_QF_PROBLEMS_H
#define BUILDTOOL_SHELL_QF_PROBLEMS_H

#include <stdbool.h>
#include <stdint.h>

enum operation { OTHER, SUM, DIFFERENCE, PRODUCT, CONVERSION };
enum format { NONE, QF32, QF16, SF, HF, BF, FORMATS };

/* n * 2^(e - fraction of its format) */
struct number {
    int32_t n, e;
    bool special, negative; /* an infinity or a NaN; its sign, which a 0 has, too */
};

/* Returns the number that has these bits. `more`: the extension bits; those of a half are in bits 0 and 1. */
struct number qf_number(enum format format, uint32_t bits, uint32_t more);

/* Returns what is wrong with the result of an operation, or NULL. The second number can be 0, of no format. */
const char *qf_problem(enum operation operation, const enum format from[2], enum format to,
                       const struct number numbers[2]);

#endif
