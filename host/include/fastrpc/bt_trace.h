/* bt_trace.h: marks what a program does, for `buildtool run --trace`.
 *
 * An event lasts from bt_trace_begin to bt_trace_end in the same thread; events can be nested.
 * Without --trace both functions return at once.  They work in C and in C++, and link nothing. */
#ifndef BT_TRACE_H
#define BT_TRACE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bt_trace_record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The descriptor of the file, 0 before it is opened, and -1 without one. */
static inline int bt_trace_file(void)
{
    static int file;
    static unsigned records;
    int now = __atomic_load_n(&file, __ATOMIC_ACQUIRE);
    if (now == 0) {
        const char *path = getenv(BT_TRACE_VARIABLE);
        int expected = 0;
        now = path == NULL ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (!__atomic_compare_exchange_n(&file, &expected, now, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            if (now > 0) {
                (void)close(now);
            }
            now = expected;
        }
    }
    if (now > 0 && __atomic_fetch_add(&records, 1, __ATOMIC_RELAXED) >= BT_TRACE_RECORDS) {
        return -1;
    }
    return now;
}

static inline void bt_trace_event(uint32_t kind, const char *name)
{
    const int file = bt_trace_file();
    struct bt_trace_record record;
    struct timespec now;
    if (file < 0) {
        return;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    record.magic = BT_TRACE_MAGIC;
    record.kind = kind;
    record.process = (uint32_t)getpid();
    record.thread = (uint32_t)syscall(SYS_gettid);
    record.start = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    record.end = record.start;
    record.method = 0;
    record.code = 0;
    record.in = 0;
    record.out = 0;
    (void)bt_trace_name(&record, name);
    if (write(file, &record, sizeof record) < 0) {
        return; /* the disk is full; the program goes on */
    }
}

static inline void bt_trace_begin(const char *name)
{
    bt_trace_event(BT_TRACE_BEGIN, name);
}

static inline void bt_trace_end(void)
{
    bt_trace_event(BT_TRACE_END, "");
}

#ifdef __cplusplus
}
#endif

#endif
