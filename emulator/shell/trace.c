/* trace.c: appends records to the file that the program and the DSP process share. */
#define _GNU_SOURCE
#include "trace.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"
#include "runtime/runtime.h"
#include "symbols.h"

#define PARTS_MAX 16 /* records of one name */

static int file = -1;
static uint32_t records;

void trace_open(void)
{
    const char *path = shell_facts()->trace;
    if (path[0] != 0) {
        file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    }
}

uint64_t trace_start(void)
{
    return file < 0 ? 0 : clock_now();
}

/* Writes a record with its name, at once: the records of other threads do not come between. */
static void put(struct bt_trace_record *record, const char *name)
{
    struct bt_trace_record parts[PARTS_MAX];
    uint32_t count = 0;
    record->magic = BT_TRACE_MAGIC;
    record->process = shell_facts()->client_pid;
    record->thread = (uint32_t)syscall(SYS_gettid);
    do {
        name = bt_trace_name(record, name);
        parts[count++] = *record;
        record->kind = BT_TRACE_TEXT;
    } while (*name != 0 && count < PARTS_MAX);
    if (__atomic_fetch_add(&records, count, __ATOMIC_RELAXED) >= BT_TRACE_RECORDS) {
        return;
    }
    if (write(file, parts, count * sizeof parts[0]) < 0) {
        return; /* the disk is full; the skel goes on */
    }
}

void trace_call(uint64_t start, const char *skel, uint32_t method, int code)
{
    if (file >= 0) {
        struct bt_trace_record record = {.kind = BT_TRACE_DSP_CALL,
                                         .start = start,
                                         .end = clock_now(),
                                         .method = method,
                                         .code = code};
        put(&record, skel);
    }
}

void trace_event(uint32_t kind, const char *name)
{
    if (file >= 0) {
        const uint64_t now = clock_now();
        struct bt_trace_record record = {.kind = kind, .start = now, .end = now};
        put(&record, name);
    }
}
