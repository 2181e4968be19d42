/* trace_calls.h: records each call of the DSP, with --trace, in the file that BT_TRACE_VARIABLE names.
 *
 * It is included by count_calls.c, whose functions it uses. */
#include "bt_trace_record.h"

#define APPEND_FLAGS                                                                              \
    (01 | 0100 | 02000 | 02000000 | 0400000) /* O_WRONLY O_CREAT O_APPEND O_CLOEXEC O_NOFOLLOW */
#define CLOCK_REALTIME 0
#define GETPID 172 /* system calls of ARM64 */
#define GETTID 178

static int trace_file = -1;
static uint32_t trace_records;

static uint32_t own_id(long which)
{
    register long number __asm__("x8") = which;
    register long result __asm__("x0");
    __asm__ volatile("svc 0" : "=r"(result) : "r"(number) : "memory");
    return (uint32_t)result;
}

/* Writes the record, whose process, thread and name are set here. */
static void trace_write(struct bt_trace_record *record, const char *name)
{
    if (__atomic_fetch_add(&trace_records, 1, __ATOMIC_RELAXED) >= BT_TRACE_RECORDS) {
        return;
    }
    record->magic = BT_TRACE_MAGIC;
    record->process = own_id(GETPID);
    record->thread = own_id(GETTID);
    (void)bt_trace_name(record, name);
    if (write(trace_file, record, sizeof *record) < 0) {
        return; /* the disk is full; the program goes on */
    }
}

/* Records what began at `start` and has just ended. */
static void trace(uint32_t kind, uint64_t start, int code, uint64_t in, const char *name)
{
    if (trace_file >= 0) {
        struct bt_trace_record record = {
            .kind = kind, .start = start, .end = now(), .code = code, .in = in};
        trace_write(&record, name);
    }
}

static void trace_open(void)
{
    const char *path = getenv(BT_TRACE_VARIABLE);
    struct moment real = {0, 0};
    trace_file = path != NULL ? open(path, APPEND_FLAGS, 0600) : -1;
    if (trace_file >= 0) {
        (void)clock_gettime(CLOCK_REALTIME, &real);
        struct bt_trace_record record = {.kind = BT_TRACE_CLOCKS,
                                         .start = now(),
                                         .end = (uint64_t)real.seconds * 1000000000u +
                                                (uint64_t)real.nanoseconds};
        trace_write(&record, "");
    }
}

__attribute__((destructor)) static void trace_close(void)
{
    if (trace_file >= 0 && trace_records > BT_TRACE_RECORDS) {
        struct bt_trace_record record = {.kind = BT_TRACE_DROPPED, .start = now(), .end = now()};
        record.in = trace_records - BT_TRACE_RECORDS;
        trace_records = 0;
        trace_write(&record, "");
    }
}
