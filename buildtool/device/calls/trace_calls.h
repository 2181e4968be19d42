/* trace_calls.h: records each call of the DSP, with --trace, in the file that BT_TRACE_VARIABLE names.
 *
 * count_calls.c includes it.  Times are ticks of the virtual counter, which a program reads without a
 * system call: calls of the DSP must not become slower. */
#include "bt_trace_record.h"

#define CLOCK_MONOTONIC 1
#define CLOCK_REALTIME 0
#define GETPID 172 /* system calls of ARM64 */
#define GETTID 178
#define THREADS 64 /* whose ids are remembered, a power of two */

static struct bt_trace_header *trace_file;
static uint64_t tick_rate, clocks_due;
static struct {
    uint64_t pointer; /* that the thread has for its own memory */
    uint32_t process, thread;
} threads[THREADS];

static uint32_t own_id(long which)
{
    return (uint32_t)system_call(which, 0, 0, 0, 0);
}

static uint64_t ticks(void)
{
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value) : : "memory");
    return value;
}

static uint64_t nanoseconds_of(uint64_t duration)
{
    const uint64_t second = 1000000000u;
    return tick_rate == 0
               ? 0
               : duration / tick_rate * second + duration % tick_rate * second / tick_rate;
}

/* Sets the process and the thread of a record.  Another thread may be at the same place of the
 * table: then ids that do not belong together are not used. */
static void set_ids(struct bt_trace_record *record)
{
    uint64_t pointer;
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
    const size_t place = (size_t)(pointer >> 12 ^ pointer >> 5) % THREADS;
    record->process = own_id(GETPID); /* another one after a fork */
    if (__atomic_load_n(&threads[place].pointer, __ATOMIC_ACQUIRE) == pointer &&
        threads[place].process == record->process) {
        record->thread = threads[place].thread;
        return;
    }
    record->thread = own_id(GETTID);
    uint64_t free = 0;
    if (__atomic_compare_exchange_n(&threads[place].pointer, &free, 1, 0, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
        threads[place].process = record->process;
        threads[place].thread = record->thread;
        __atomic_store_n(&threads[place].pointer, pointer, __ATOMIC_RELEASE);
    }
}

static uint64_t clock_now(int clock)
{
    struct moment time = {0, 0};
    (void)clock_gettime(clock, &time);
    return (uint64_t)time.seconds * 1000000000u + (uint64_t)time.nanoseconds;
}

static void trace_clocks(void)
{
    const uint32_t number = bt_trace_next(trace_file, 1);
    if (number != 0) {
        struct bt_trace_record *record = bt_trace_at(trace_file, number);
        uint64_t shortest = UINT64_MAX;
        for (int i = 0; i < BT_TRACE_READINGS; i++) {
            const uint64_t before = ticks();
            const uint64_t now = clock_now(CLOCK_MONOTONIC);
            const uint64_t today = clock_now(CLOCK_REALTIME);
            bt_trace_reading(record, &shortest, before, now, today, ticks());
        }
        record->out = tick_rate;
        record->kind = BT_TRACE_CLOCKS;
        set_ids(record);
        bt_trace_done(record);
    }
}

/* Begins a record of what lasted from `start` to `end`, whose name is recorded once for each
 * `known`; NULL if the file is full. */
static struct bt_trace_record *trace_begin(uint32_t kind, uint64_t start, uint64_t end, int code,
                                           const char *name, uint32_t *known)
{
    uint64_t due = __atomic_load_n(&clocks_due, __ATOMIC_RELAXED);
    if (end >= due && __atomic_compare_exchange_n(&clocks_due, &due, end + tick_rate, 0,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        trace_clocks(); /* once a second: other clocks are slewed */
    }
    uint32_t text = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (text == 0) {
        text = bt_trace_name(trace_file, name);
        __atomic_store_n(known, text, __ATOMIC_RELAXED);
    }
    const uint32_t number = bt_trace_next(trace_file, 1);
    if (number == 0) {
        return NULL;
    }
    struct bt_trace_record *record = bt_trace_at(trace_file, number);
    record->kind = kind;
    record->start = start;
    record->end = end;
    record->code = code;
    record->name = text;
    set_ids(record);
    return record;
}

/* Records what began at `start` and has just ended. */
static void trace(uint32_t kind, uint64_t start, int code, uint64_t in, const char *name,
                  uint32_t *known)
{
    struct bt_trace_record *record =
        trace_file == NULL ? NULL : trace_begin(kind, start, ticks(), code, name, known);
    if (record != NULL) {
        record->in = in;
        bt_trace_done(record);
    }
}

static void trace_open(void)
{
    __asm__("mrs %0, cntfrq_el0" : "=r"(tick_rate));
    trace_file = map_file(getenv(BT_TRACE_VARIABLE), BT_TRACE_BYTES);
}
