/* trace.c: writes records into the file that the program and the DSP process share. */
#define _GNU_SOURCE
#include "trace.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"
#include "runtime/runtime.h"
#include "symbols.h"

static struct bt_trace_header *file;
static _Thread_local uint32_t own_thread;

void trace_open(void)
{
    const char *path = shell_facts()->trace;
    int descriptor = path[0] == 0 ? -1 : open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    void *memory = MAP_FAILED;
    if (descriptor >= 0 && lseek(descriptor, 0, SEEK_END) == BT_TRACE_BYTES) {
        memory = mmap(NULL, BT_TRACE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    file = memory == MAP_FAILED ? NULL : memory;
}

bool trace_is_on(void)
{
    return file != NULL;
}

uint32_t trace_name(const char *text)
{
    return file == NULL ? 0 : bt_trace_name(file, text);
}

/* Records what is the same for all kinds; NULL if the file is full. Fields are written in place:
 * copies of a record are slow under qemu. */
static struct bt_trace_record *begin(uint32_t kind, uint32_t name)
{
    const uint32_t number = bt_trace_next(file, 1);
    struct bt_trace_record *record = number == 0 ? NULL : bt_trace_at(file, number);
    if (record != NULL) {
        own_thread = own_thread == 0 ? (uint32_t)syscall(SYS_gettid) : own_thread;
        record->kind = kind;
        record->process = shell_facts()->client_pid;
        record->thread = own_thread;
        record->name = name;
    }
    return record;
}

void trace_call(uint64_t start, uint32_t skel, uint32_t method, int code)
{
    struct bt_trace_record *record = file == NULL ? NULL : begin(BT_TRACE_DSP_CALL, skel);
    if (record != NULL) {
        record->start = start;
        record->method = method;
        record->code = code;
        record->end = clock_now();
        bt_trace_done(record);
    }
}

void trace_event(uint32_t kind, const char *name)
{
    struct bt_trace_record *record = file == NULL ? NULL : begin(kind, trace_name(name));
    if (record != NULL) {
        record->start = clock_now();
        record->end = record->start;
        bt_trace_done(record);
    }
}
