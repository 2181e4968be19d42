/* count_calls.c: a libcdsprpc that counts what a program asks of the DSP, and passes it on.
 *
 * It comes before the library of the system, whose path is REAL_LIBRARY, and which it needs: every
 * function that is not here is found there.  Counts are in a file that is mapped into memory, so
 * that they survive however the program ends; its layout is that of buildtool/run/dsp_calls.py.  As
 * dsp_query.c it has no start files and links no versioned symbol: one source serves glibc of every
 * version and Android. */
#include <stddef.h>
#include <stdint.h>

#include "AEEStdErr.h"
#include "remote.h"

#ifndef REAL_LIBRARY
#define REAL_LIBRARY "" /* the path of the system's libcdsprpc */
#endif
#define RTLD_NOW 2
#define OPEN_FLAGS (02 | 0100 | 02000000 | 0400000) /* O_RDWR, O_CREAT, O_CLOEXEC, O_NOFOLLOW */
#define READ_WRITE 3
#define SHARED 1
#define FAILED ((void *)-1)
#define FALLOCATE 47
#define NO_SPACE (-28)

struct moment { /* timespec on 64-bit systems */
    int64_t seconds, nanoseconds;
};

int clock_gettime(int clock, struct moment *now);
void *dlopen(const char *name, int mode);
void *dlsym(void *library, const char *name);
char *getenv(const char *name);
int open(const char *path, int flags, ...);
int close(int file);
int ftruncate(int file, int64_t size);
void *mmap(void *address, size_t size, int protection, int flags, int file, int64_t offset);

/* dspqueue.h includes headers of the C library. */
int dspqueue_create(int domain, uint32_t flags, uint32_t request_size, uint32_t response_size,
                    void *packet_callback, void *error_callback, void *context, void **queue);
int dspqueue_write(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                   uint32_t message_length, const uint8_t *message, uint32_t timeout_us);
int dspqueue_write_noblock(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                           uint32_t message_length, const uint8_t *message);

static void *system_library;

/* Makes a system call of ARM64; returns its result, or a negative number of an error. */
static long system_call(long which, long first, long second, long third, long fourth)
{
    register long number __asm__("x8") = which;
    register long result __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x3 __asm__("x3") = fourth;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(number), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return result;
}

/* Maps a file of `size` bytes, which may exist; NULL if that fails, or without a path. */
static void *map_file(const char *path, size_t size)
{
    int file = path != NULL ? open(path, OPEN_FLAGS, 0600) : -1;
    void *memory = FAILED;
    /* On a full disk, a write to memory without a place in the file would end the program.  Some
     * file systems do not reserve places. */
    if (file >= 0 && ftruncate(file, (int64_t)size) == 0 &&
        system_call(FALLOCATE, file, 0, 0, (long)size) != NO_SPACE) {
        memory = mmap(NULL, size, READ_WRITE, SHARED, file, 0);
    }
    if (file >= 0) {
        (void)close(file);
    }
    return memory != FAILED ? memory : NULL;
}

#include "call_table.h"
#include "trace_calls.h"

static void *function_of_system(const char *name)
{
    if (system_library == NULL) {
        system_library = dlopen(REAL_LIBRARY, RTLD_NOW);
    }
    return system_library != NULL ? dlsym(system_library, name) : NULL;
}

/* Declare `real` as the function of the system that has the name of this one; return if it has none. */
#define PASS_ON(function)                                \
    static __typeof__(&(function)) real;                 \
    if (real == NULL) {                                  \
        *(void **)&real = function_of_system(#function); \
    }                                                    \
    if (real == NULL) {                                  \
        return AEE_EUNSUPPORTED;                         \
    }

__attribute__((constructor)) static void open_table(void)
{
    struct table *memory = map_file(getenv("BUILDTOOL_DSP_CALLS"), sizeof *table);
    trace_open();
    if (memory != NULL) {
        table = memory;
        for (size_t i = 0; i < sizeof table->magic; i++) {
            table->magic[i] = "BTCALLS2"[i];
        }
    }
}

static uint32_t traced_modules[MODULES]; /* numbers of their names in the trace */

static uint64_t size_of(const remote_arg *arguments, uint32_t count)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        size += arguments[i].buf.nLen;
    }
    return size;
}

static void count(uint32_t kind, struct row *row, uint32_t scalars, const remote_arg *arguments,
                  uint64_t start, int code)
{
    const uint64_t end = ticks();
    const uint32_t buffers = REMOTE_SCALARS_INBUFS(scalars);
    const uint64_t in = size_of(arguments, buffers);
    const uint64_t out = size_of(arguments + buffers, REMOTE_SCALARS_OUTBUFS(scalars));
    add(&row->calls, 1);
    add(&row->failed, code != 0);
    add(&row->nanoseconds, nanoseconds_of(end - start));
    add(&row->bytes_in, in);
    add(&row->bytes_out, out);
    const uint64_t module = row->key >> 32;
    struct bt_trace_record *record =
        trace_file == NULL ? NULL
                           : trace_begin(kind, start, end, code, table->modules[module],
                                         &traced_modules[module]);
    if (record != NULL) {
        record->method = (uint32_t)row->key - 1;
        record->in = in;
        record->out = out;
        bt_trace_done(record);
    }
}

int remote_handle64_open(const char *name, remote_handle64 *handle)
{
    PASS_ON(remote_handle64_open)
    const uint64_t start = ticks();
    const int code = real(name, handle);
    uint32_t text = 0;
    trace(BT_TRACE_OPEN, start, code, 0, name, &text);
    if (code == 0) {
        remember(*handle, name);
    }
    return code;
}

int remote_handle_open(const char *name, remote_handle *handle)
{
    PASS_ON(remote_handle_open)
    const uint64_t start = ticks();
    const int code = real(name, handle);
    uint32_t text = 0;
    trace(BT_TRACE_OPEN, start, code, 0, name, &text);
    if (code == 0) {
        remember(*handle, name);
    }
    return code;
}

int remote_handle64_close(remote_handle64 handle)
{
    PASS_ON(remote_handle64_close)
    const uint64_t start = ticks();
    const uint64_t module = module_of_handle(handle);
    const int code = real(handle);
    trace(BT_TRACE_CLOSE, start, code, 0, table->modules[module], &traced_modules[module]);
    add(&table->closed, code == 0);
    return code;
}

int remote_handle_close(remote_handle handle)
{
    PASS_ON(remote_handle_close)
    const uint64_t start = ticks();
    const uint64_t module = module_of_handle(handle);
    const int code = real(handle);
    trace(BT_TRACE_CLOSE, start, code, 0, table->modules[module], &traced_modules[module]);
    add(&table->closed, code == 0);
    return code;
}

int remote_handle64_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments)
{
    PASS_ON(remote_handle64_invoke)
    if (method_of(scalars, arguments) == BT_TRACE_METHOD) {
        return real(handle, scalars, arguments); /* it is no call of the program */
    }
    struct row *row = row_of(handle, scalars, arguments);
    const uint64_t start = ticks();
    const int code = real(handle, scalars, arguments);
    count(BT_TRACE_CALL, row, scalars, arguments, start, code);
    return code;
}

int remote_handle_invoke(remote_handle handle, uint32_t scalars, remote_arg *arguments)
{
    PASS_ON(remote_handle_invoke)
    struct row *row = row_of(handle, scalars, arguments);
    const uint64_t start = ticks();
    const int code = real(handle, scalars, arguments);
    count(BT_TRACE_CALL, row, scalars, arguments, start, code);
    return code;
}

int remote_handle64_invoke_async(remote_handle64 handle, fastrpc_async_descriptor_t *descriptor,
                                 uint32_t scalars, remote_arg *arguments)
{
    PASS_ON(remote_handle64_invoke_async)
    /* Before, as a callback may free the arguments; without a time. */
    count(BT_TRACE_CALL_ASYNC, row_of(handle, scalars, arguments), scalars, arguments, ticks(), 0);
    return real(handle, descriptor, scalars, arguments);
}

int remote_handle_invoke_async(remote_handle handle, fastrpc_async_descriptor_t *descriptor,
                               uint32_t scalars, remote_arg *arguments)
{
    PASS_ON(remote_handle_invoke_async)
    count(BT_TRACE_CALL_ASYNC, row_of(handle, scalars, arguments), scalars, arguments, ticks(), 0);
    return real(handle, descriptor, scalars, arguments);
}

int fastrpc_mmap(int domain, int file, void *address, int offset, size_t length,
                 enum fastrpc_map_flags flags)
{
    PASS_ON(fastrpc_mmap)
    static uint32_t text;
    const uint64_t start = ticks();
    const int code = real(domain, file, address, offset, length, flags);
    trace(BT_TRACE_MAP, start, code, length, "fastrpc_mmap", &text);
    if (code == 0) {
        add(&table->mapped, 1);
        add(&table->mapped_bytes, length);
    }
    return code;
}

int fastrpc_munmap(int domain, int file, void *address, size_t length)
{
    PASS_ON(fastrpc_munmap)
    static uint32_t text;
    const uint64_t start = ticks();
    const int code = real(domain, file, address, length);
    trace(BT_TRACE_UNMAP, start, code, length, "fastrpc_munmap", &text);
    if (code == 0) {
        add(&table->unmapped, 1);
        add(&table->unmapped_bytes, length);
    }
    return code;
}

static void trace_control(uint64_t start, uint32_t request, const void *data, uint32_t size,
                          int code)
{
    const struct remote_rpc_control_latency *vote = data;
    if (request == DSPRPC_CONTROL_LATENCY && data != NULL && size >= sizeof *vote) {
        uint32_t text = 0;
        trace(BT_TRACE_LATENCY, start, code, vote->enable ? vote->latency : 0, "", &text);
    }
}

int remote_handle_control(uint32_t request, void *data, uint32_t size)
{
    PASS_ON(remote_handle_control)
    const uint64_t start = ticks();
    const int code = real(request, data, size);
    trace_control(start, request, data, size, code);
    return code;
}

int remote_handle64_control(remote_handle64 handle, uint32_t request, void *data, uint32_t size)
{
    PASS_ON(remote_handle64_control)
    const uint64_t start = ticks();
    const int code = real(handle, request, data, size);
    trace_control(start, request, data, size, code);
    return code;
}

int dspqueue_create(int domain, uint32_t flags, uint32_t request_size, uint32_t response_size,
                    void *packet_callback, void *error_callback, void *context, void **queue)
{
    PASS_ON(dspqueue_create)
    const int code = real(domain, flags, request_size, response_size, packet_callback,
                          error_callback, context, queue);
    add(&table->queues, code == 0);
    return code;
}

int dspqueue_write(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                   uint32_t message_length, const uint8_t *message, uint32_t timeout_us)
{
    PASS_ON(dspqueue_write)
    static uint32_t text;
    const uint64_t start = ticks();
    const int code = real(queue, flags, num_buffers, buffers, message_length, message, timeout_us);
    trace(BT_TRACE_MESSAGE, start, code, message_length, "dspqueue_write", &text);
    add(&table->messages, code == 0);
    return code;
}

int dspqueue_write_noblock(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                           uint32_t message_length, const uint8_t *message)
{
    PASS_ON(dspqueue_write_noblock)
    static uint32_t text;
    const uint64_t start = ticks();
    const int code = real(queue, flags, num_buffers, buffers, message_length, message);
    trace(BT_TRACE_MESSAGE, start, code, message_length, "dspqueue_write_noblock", &text);
    add(&table->messages, code == 0);
    return code;
}
