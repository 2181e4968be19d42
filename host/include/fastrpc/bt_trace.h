/* bt_trace.h: marks what a program does, for `buildtool run --trace`.
 *
 * An event lasts from bt_trace_begin to bt_trace_end in the same thread; events can be nested.
 * Without --trace both functions return at once.  They work in C and in C++, and link nothing. */
#ifndef BT_TRACE_H
#define BT_TRACE_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bt_trace_record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The counter of ARM64 that records have times of; elsewhere nothing reads them. */
static inline uint64_t bt_trace_ticks(void)
{
    uint64_t ticks = 0;
#ifdef __aarch64__
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
#endif
    return ticks;
}

static inline uint64_t bt_trace_rate(void)
{
    uint64_t rate = 1;
#ifdef __aarch64__
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(rate));
#endif
    return rate;
}

static inline uint64_t bt_trace_clock(clockid_t clock)
{
    struct timespec time = {0, 0};
    (void)clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline void bt_trace_put(struct bt_trace_header *file, uint32_t kind, const char *name)
{
    const uint32_t text = bt_trace_name(file, name);
    const uint32_t number = bt_trace_next(file, 1);
    if (number == 0) {
        return;
    }
    struct bt_trace_record *record = bt_trace_at(file, number);
    record->name = text;
    record->kind = kind;
    record->process = (uint32_t)getpid();
    record->thread = (uint32_t)syscall(SYS_gettid);
    record->start = bt_trace_ticks();
    record->end = record->start;
    if (kind == BT_TRACE_CLOCKS) {
        uint64_t shortest = UINT64_MAX;
        for (int i = 0; i < BT_TRACE_READINGS; i++) {
            const uint64_t before = bt_trace_ticks();
            const uint64_t now = bt_trace_clock(CLOCK_MONOTONIC);
            const uint64_t today = bt_trace_clock(CLOCK_REALTIME);
            bt_trace_reading(record, &shortest, before, now, today, bt_trace_ticks());
        }
        record->out = bt_trace_rate();
    }
    bt_trace_done(record);
}

/* Maps the file that BT_TRACE_VARIABLE names; the address 1 stands for none. */
static inline struct bt_trace_header *bt_trace_open(void)
{
    const char *path = getenv(BT_TRACE_VARIABLE);
    struct bt_trace_header *none = (struct bt_trace_header *)(uintptr_t)1;
    const int file = path == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void *memory = MAP_FAILED;
    /* On a full disk, a write to memory without a place in the file would end the program.  Some
     * file systems do not reserve places. */
    if (file >= 0 && ftruncate(file, BT_TRACE_BYTES) == 0 &&
        (syscall(SYS_fallocate, file, 0, (off_t)0, (off_t)BT_TRACE_BYTES) == 0 ||
         errno != ENOSPC)) {
        memory = mmap(NULL, BT_TRACE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (file >= 0) {
        (void)close(file);
    }
    if (memory == MAP_FAILED) {
        return none;
    }
    bt_trace_put((struct bt_trace_header *)memory, BT_TRACE_CLOCKS, "");
    return (struct bt_trace_header *)memory;
}

/* The file of the trace, NULL if there is none. */
static inline struct bt_trace_header *bt_trace_file(void)
{
    static struct bt_trace_header *mapped; /* of this source file */
    struct bt_trace_header *file = __atomic_load_n(&mapped, __ATOMIC_ACQUIRE);
    if (file == NULL) { /* two threads may map it at once, once */
        file = bt_trace_open();
        __atomic_store_n(&mapped, file, __ATOMIC_RELEASE);
    }
    return (uintptr_t)file != 1 ? file : NULL;
}

static inline void bt_trace_event(uint32_t kind, const char *name)
{
    struct bt_trace_header *file = bt_trace_file();
    if (file != NULL) {
        bt_trace_put(file, kind, name);
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
