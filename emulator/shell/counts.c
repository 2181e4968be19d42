/* counts.c: the packets, instructions and HVX instructions that each thread executes.
 *
 * qemu-hexagon counts them in registers that are reserved on a device, c20 to c22: 32 bits, for each
 * thread. They include what the shell's own functions execute for a skel, such as memcpy, and the
 * code that replaces instructions (translate/), but nothing of a thread that waits: how often it
 * looks is chance. So the rounds of loops that wait are counted apart. */
#define _GNU_SOURCE
#include "counts.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "counted_loops.h"
#include "counted_rows.h"

/* QEMU executes less than 2^32 packets in so many seconds of a thread's processor time: fewer than 10^9
 * in one.  It needs more ticks for that. */
#define SECONDS_EXACT 4
#define TICKS_EXACT 3
#define NANOSECONDS 1000000000ULL

static unsigned ticks; /* of about a second */

static _Thread_local struct {
    struct row *row;                     /* of what is in `counted`; NULL: it is not kept */
    uint32_t packets, instructions, hvx; /* of qemu, when it began to count */
    unsigned since;                      /* the tick in which it began, or a later one */
    uint64_t used;                       /* nanoseconds of processor time, at the latest then */
    bool is_unsure;
    struct counted counted; /* since the last flush */
    struct counted waiting; /* the same of loops that wait, which are not in `counted` */
    uint64_t within;        /* packets that may be in one of the two or in the other */
    struct counted round;   /* since the last round of a loop that waits, and in `counted` */
    uint32_t loop;          /* the address of that loop */
    bool was_unknown;       /* how long a round was of the last loop: */
    uint32_t unknown;
    struct counted part; /* since counts_begin or the last access to a queue, and in `counted` */
    bool has_accessed, found; /* whether there was an access since counts_begin, and what it gave */
    struct counted_bytes bytes;
    bool is_callback; /* of a queue */
    bool is_thread;   /* that a skel has created */
    bool has_waited;  /* so it can work for another call now */
    struct working_for working_for;
    unsigned paused;  /* how many pauses have not ended */
    struct row *last; /* the row before, after the end of a call or thread */
} own;

/* The words are rN = c20, c21 and c22, for which assemblers have no names. */
#define READ(into, word)                               \
    do {                                               \
        register uint32_t value __asm__("r0");         \
        __asm__ volatile(".word " word : "=r"(value)); \
        (into) = value;                                \
    } while (0)

/* What handlers of signals have executed in the thread, and what each executes before it begins to
 * measure and after it has ended to. */
static _Thread_local uint32_t handled[3], unmeasured[3];

static inline void read_registers(uint32_t now[3])
{
    READ(now[0], "0x6a14c000");
    READ(now[1], "0x6a15c000");
    READ(now[2], "0x6a16c000");
}

/* qemu delivers signals between blocks of code only. This function is one block: it has no jumps,
 * and its page ends after it. So a handler runs before all of it, or after. */
static __attribute__((noinline, aligned(256))) void read_counters(uint32_t now[3])
{
    read_registers(now);
    now[0] -= handled[0];
    now[1] -= handled[1];
    now[2] -= handled[2];
}

void counts_handler_begin(uint32_t from[3])
{
    read_registers(from);
}

void counts_handler_end(const uint32_t from[3])
{
    uint32_t now[3];
    read_registers(now);
    for (int i = 0; i < 3; i++) {
        handled[i] += now[i] - from[i] + unmeasured[i];
    }
}

/* Stores what it takes to send a signal to the calling thread. */
static void measure_signal(int number, uint32_t cost[3])
{
    uint32_t before[3], after[3];
    read_registers(before);
    syscall(SYS_tgkill, getpid(), gettid(), number);
    read_registers(after);
    for (int i = 0; i < 3; i++) {
        cost[i] = after[i] - before[i];
    }
}

void counts_measure_handler(int number)
{
    uint32_t none[3], one[3];
    memset(unmeasured, 0, sizeof unmeasured);
    memset(handled, 0, sizeof handled);
    measure_signal(0, none);
    measure_signal(number, one);
    for (int i = 0; i < 3; i++) {
        unmeasured[i] = one[i] - none[i] - handled[i];
    }
}

static uint64_t processor_nanoseconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * NANOSECONDS + (uint64_t)used.tv_nsec;
}

/* Whether the thread's counters may have wrapped.  It may have slept, or had no turn, for most of the
 * ticks. */
static bool may_have_wrapped(void)
{
    return __atomic_load_n(&ticks, __ATOMIC_RELAXED) - own.since >= TICKS_EXACT &&
           processor_nanoseconds() - own.used >= SECONDS_EXACT * NANOSECONDS;
}

static void flush(void)
{
    if (own.row != NULL) {
        row_add(own.row, &own.counted, own.waiting.packets, own.is_unsure, own.within);
    }
    own.counted = own.waiting = (struct counted){0};
    own.is_unsure = false;
    own.within = 0;
}

void counts_pause(void)
{
    uint32_t now[3];
    read_counters(now);
    if (own.paused++ > 0) {
        return;
    }
    if (own.is_thread) {
        struct row *row = row_worked_for(&own.working_for, own.row);
        if (row != own.row) {
            flush();
            own.row = row;
        }
    }
    const struct counted more = {now[0] - own.packets, now[1] - own.instructions, now[2] - own.hvx};
    counted_add(&own.counted, &more, 1);
    counted_add(&own.round, &more, 1);
    counted_add(&own.part, &more, 1);
    own.is_unsure |= may_have_wrapped();
}

void counts_flush(void)
{
    flush();
    own.has_waited = true;
    own.loop = 0;
}

void counts_resume(void)
{
    if (--own.paused > 0) {
        return;
    }
    if (own.is_thread) {
        own.working_for = own.has_waited ? rows_now() : (struct working_for){.row = own.row};
        own.has_waited = false;
    }
    const unsigned tick = __atomic_load_n(&ticks, __ATOMIC_RELAXED);
    if (tick != own.since) {
        own.since = tick;
        own.used = processor_nanoseconds();
    }
    uint32_t now[3];
    read_counters(now);
    own.packets = now[0];
    own.instructions = now[1];
    own.hvx = now[2];
}

/* ---- loops that wait ---- */

/* The last round was the first of its loop, and its thread did not come back to it. */
static void note_unknown(void)
{
    if (own.was_unknown && own.row != NULL) {
        own.within += ROUND_PACKETS;
        loop_round_before(own.unknown, own.row);
    }
    own.was_unknown = false;
}

static void move_to_waiting(const struct counted *round)
{
    counted_add(&own.counted, round, -1);
    counted_add(&own.waiting, round, 1);
    counted_add(&own.part, round, -1);
}

/* All rounds of a loop count as the shortest one, as a thread can find work in one of them. A loop that
 * looks before it waits has executed one more round than the thread that finds at once what it waits
 * for; how long that was is known after the second one at the latest. */
bool counts_wait_begin(uint32_t address, bool looks_first)
{
    counts_pause();
    const struct counted round = own.round;
    const bool is_short = own.loop != 0 && round.packets <= ROUND_PACKETS;
    const bool again = is_short && own.loop == address;
    struct counted shortest;
    const bool is_known = loop_round(address, again ? &round : NULL, &shortest);
    own.round = (struct counted){0};
    own.loop = address;
    const bool goes_on = is_short && (!is_known || round.packets <= 2 * shortest.packets);
    if (is_known && (looks_first || goes_on)) {
        move_to_waiting(&shortest);
    }
    if (is_known && own.was_unknown && again) {
        move_to_waiting(&shortest);
        own.was_unknown = false;
    }
    note_unknown();
    own.was_unknown = looks_first && !is_known;
    own.unknown = address;
    if (goes_on && !own.has_waited) {
        flush();
    }
    own.has_waited |= goes_on;
    return goes_on;
}

void counts_wait_end(void)
{
    counts_resume();
}

void counts_tick(void)
{
    __atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED);
}

void counts_begin(const char *skel, uint32_t method, unsigned calls)
{
    own.row = row_begin(skel, method, calls, &own.bytes);
    own.bytes = (struct counted_bytes){0};
    own.counted = own.waiting = (struct counted){0};
    own.is_unsure = false;
    own.within = 0;
    own.part = (struct counted){0};
    own.has_accessed = own.found = false;
    own.is_callback = calls == 0;
    own.loop = 0;
    own.paused = 1;
    counts_resume();
}

void counts_end(void)
{
    counts_pause();
    note_unknown();
    flush();
    row_end(own.row);
    own.last = own.row;
    own.row = NULL;
    own.is_callback = false;
    counts_resume();
}

/* How often a callback is called, and finds nothing, is chance. So what it executes before it looks for
 * the first message, and after it has found none, counts as waiting. */
void counts_access_begin(void)
{
    counts_pause();
    if (own.is_callback && !own.has_accessed) {
        const struct counted part = own.part;
        move_to_waiting(&part);
    }
    counts_flush();
}

void counts_access_end(bool found)
{
    own.has_accessed = true;
    own.found = found;
    own.part = (struct counted){0};
    counts_resume();
}

void counts_callback_end(uint64_t messages)
{
    counts_pause();
    const bool looked = own.has_accessed && !own.found;
    if (looked) {
        const struct counted part = own.part;
        move_to_waiting(&part);
    }
    row_add_messages(own.row, messages, looked);
    counts_end();
    counts_resume();
}

void counts_buffers(const struct counted_bytes *bytes)
{
    own.bytes = *bytes;
}

static void add_peak(uint32_t vtcm, uint32_t stack)
{
    counts_pause();
    struct row *row = own.row == NULL ? own.last : own.row;
    row_peak(row == NULL ? row_of_none() : row, vtcm, stack);
    counts_resume();
}

void counts_vtcm(uint32_t bytes)
{
    add_peak(bytes, 0);
}

void counts_stack(uint32_t bytes)
{
    add_peak(0, bytes);
}

void counts_thread_begin(void)
{
    own.is_thread = true;
    own.has_waited = true;
    own.row = row_of_none();
    own.paused = 1;
    counts_resume();
}

void counts_thread_end(void)
{
    counts_pause();
    note_unknown();
    flush();
    own.is_thread = false;
    own.last = own.row;
    own.row = NULL;
    counts_resume();
}
