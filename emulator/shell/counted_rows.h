/* counted_rows.h: what was counted for each method, of which calls several threads can work. */
#ifndef BUILDTOOL_SHELL_COUNTED_ROWS_H
#define BUILDTOOL_SHELL_COUNTED_ROWS_H

#include "counts.h"

struct counted {
    uint64_t packets, instructions, hvx;
};

static inline void counted_add(struct counted *sum, const struct counted *more, int64_t times)
{
    sum->packets += more->packets * (uint64_t)times;
    sum->instructions += more->instructions * (uint64_t)times;
    sum->hvx += more->hvx * (uint64_t)times;
}

/* A method of a skel, or the callbacks of its queues. */
struct row;

/* The row of what threads of skels execute for no call, or for one of several. */
struct row *row_of_none(void);

/* A call begins, and ends. Returns the row of the method, to which it adds `calls` and the bytes. */
struct row *row_begin(const char *skel, uint32_t method, unsigned calls,
                      const struct counted_bytes *bytes);
void row_end(struct row *row);

/* Adds what a thread has executed, without the packets of loops that wait; whether the counters may have
 * wrapped; and how many packets may be in the wrong one of these two numbers. */
void row_add(struct row *row, const struct counted *counted, uint64_t waiting, bool is_unsure,
             uint64_t within);

/* Notes what has been used at the same time, if it is the most. */
void row_peak(struct row *row, uint32_t vtcm, uint32_t stack);

/* Adds the messages that a callback has read, and whether it looked for more and found none: then it does
 * not matter how often callbacks are called. */
void row_add_messages(struct row *row, uint64_t messages, bool looked);

/* For which call a thread of a skel works that has waited, as far as is known: that which is running, or
 * else the next one that begins. */
struct working_for {
    struct row *row; /* NULL: the next one */
    unsigned begun;  /* the calls that have begun */
};
struct working_for rows_now(void);

/* Returns the row of which that is known now, or `last`. */
struct row *row_worked_for(const struct working_for *known, struct row *last);

#endif
