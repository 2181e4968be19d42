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

#define PARTS_MAX 16 /* records of one name */

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

/* Writes a record with its name, in as many parts as necessary, which stay together. */
static void put(struct bt_trace_record given, const char *name)
{
    const size_t parts = strlen(name) / BT_TRACE_NAME + 1;
    const uint32_t count = parts < PARTS_MAX ? (uint32_t)parts : PARTS_MAX;
    struct bt_trace_record *record = bt_trace_next(file, count);
    own_thread = own_thread == 0 ? (uint32_t)syscall(SYS_gettid) : own_thread;
    given.process = shell_facts()->client_pid;
    given.thread = own_thread;
    for (uint32_t i = 0; record != NULL && i < count; i++) {
        record[i] = given;
        name = bt_trace_name(&record[i], name);
        bt_trace_done(&record[i]);
        given.kind = BT_TRACE_TEXT;
    }
}

void trace_call(uint64_t start, const char *skel, uint32_t method, int code)
{
    if (file != NULL) {
        put((struct bt_trace_record){.kind = BT_TRACE_DSP_CALL,
                                     .start = start,
                                     .end = clock_now(),
                                     .method = method,
                                     .code = code},
            skel);
    }
}

void trace_event(uint32_t kind, const char *name)
{
    if (file != NULL) {
        const uint64_t now = clock_now();
        put((struct bt_trace_record){.kind = kind, .start = now, .end = now}, name);
    }
}
