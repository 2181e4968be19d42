/* count_calls.c: a libcdsprpc that counts what a program asks of the DSP, and passes it on, to the DSP
 * that `--domain` names.
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
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int ftruncate(int file, int64_t size);
void *mmap(void *address, size_t size, int protection, int flags, int file, int64_t offset);
int munmap(void *address, size_t size);

void *rpcmem_alloc(int heap, uint32_t flags, int size);
void *rpcmem_alloc2(int heap, uint32_t flags, size_t size);
void rpcmem_free(void *memory);
int rpcmem_to_fd(void *memory);

/* dspqueue.h includes headers of the C library. */
int dspqueue_create(int domain, uint32_t flags, uint32_t request_size, uint32_t response_size,
                    void *packet_callback, void *error_callback, void *context, void **queue);
int dspqueue_write(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                   uint32_t message_length, const uint8_t *message, uint32_t timeout_us);
int dspqueue_write_noblock(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                           uint32_t message_length, const uint8_t *message);
int dspqueue_read(void *queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                  void *buffers, uint32_t max_message_length, uint32_t *message_length,
                  uint8_t *message, uint32_t timeout_us);
int dspqueue_read_noblock(void *queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                          void *buffers, uint32_t max_message_length, uint32_t *message_length,
                          uint8_t *message);
int dspqueue_export(void *queue, uint64_t *id);
int dspqueue_close(void *queue);
int dspqueue_get_stat(void *queue, int stat, uint64_t *value);

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
#include "domain_of_calls.h"
#include "trace_calls.h"
#include "record_calls.h"
#include "reference_calls.h"

static void *function_of_system(const char *name)
{
    if (system_library == NULL) {
        system_library = dlopen(REAL_LIBRARY, RTLD_NOW);
    }
    return system_library != NULL ? dlsym(system_library, name) : NULL;
}

/* Declare `real` as the function of the system that has the name of this one, NULL if it has none. */
#define FIND(function)                                   \
    static __typeof__(&(function)) real;                 \
    if (real == NULL) {                                  \
        *(void **)&real = function_of_system(#function); \
    }

/* The same; return if it has none. */
#define PASS_ON(function)        \
    FIND(function)               \
    if (real == NULL) {          \
        return AEE_EUNSUPPORTED; \
    }

__attribute__((constructor)) static void open_table(void)
{
    struct table *memory = map_file(getenv("BUILDTOOL_DSP_CALLS"), sizeof *table);
    trace_open();
    open_recording();
    choose_domain();
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
    struct bt_trace_record *record = trace_file == NULL ? NULL
                                                        : trace_begin(kind, start, end, code,
                                                                      table->modules[module],
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
    char room[URI_SIZE];
    const char *uri = uri_for(name, room);
    if (uri == NULL) {
        return AEE_EBADPARM;
    }
    const uint64_t start = ticks();
    const int code = has_reference() ? open_reference(uri, handle) : real(uri, handle);
    uint32_t text = 0;
    trace(BT_TRACE_OPEN, start, code, 0, name, &text);
    record_open(name, code == 0 ? *handle : 0, code, 1);
    if (code == 0) {
        remember(*handle, name);
    }
    return code;
}

int remote_handle_open(const char *name, remote_handle *handle)
{
    PASS_ON(remote_handle_open)
    char room[URI_SIZE];
    const char *uri = uri_for(name, room);
    if (uri == NULL) {
        return AEE_EBADPARM;
    }
    const uint64_t start = ticks();
    const int code = real(uri, handle);
    uint32_t text = 0;
    trace(BT_TRACE_OPEN, start, code, 0, name, &text);
    record_open(name, code == 0 ? *handle : 0, code, 0);
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
    const int code = is_reference(handle) ? close_reference(handle) : real(handle);
    record_close(handle, code, 1);
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
    record_close(handle, code, 0);
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
    const uint32_t number = record_call(handle, table->modules[row->key >> 32], scalars, arguments);
    const uint64_t start = ticks();
    const int code = is_reference(handle) ? call_reference(handle, scalars, arguments)
                                          : real(handle, scalars, arguments);
    count(BT_TRACE_CALL, row, scalars, arguments, start, code);
    record_return(number, scalars, arguments, code);
    return code;
}

int remote_handle_invoke(remote_handle handle, uint32_t scalars, remote_arg *arguments)
{
    PASS_ON(remote_handle_invoke)
    struct row *row = row_of(handle, scalars, arguments);
    const uint32_t number = record_call(handle, table->modules[row->key >> 32], scalars, arguments);
    const uint64_t start = ticks();
    const int code = real(handle, scalars, arguments);
    count(BT_TRACE_CALL, row, scalars, arguments, start, code);
    record_return(number, scalars, arguments, code);
    return code;
}

int remote_handle64_invoke_async(remote_handle64 handle, fastrpc_async_descriptor_t *descriptor,
                                 uint32_t scalars, remote_arg *arguments)
{
    PASS_ON(remote_handle64_invoke_async)
    /* Before, as a callback may free the arguments; without a time. */
    count(BT_TRACE_CALL_ASYNC, row_of(handle, scalars, arguments), scalars, arguments, ticks(), 0);
    record_asynchronous();
    return real(handle, descriptor, scalars, arguments);
}

int remote_handle_invoke_async(remote_handle handle, fastrpc_async_descriptor_t *descriptor,
                               uint32_t scalars, remote_arg *arguments)
{
    PASS_ON(remote_handle_invoke_async)
    count(BT_TRACE_CALL_ASYNC, row_of(handle, scalars, arguments), scalars, arguments, ticks(), 0);
    record_asynchronous();
    return real(handle, descriptor, scalars, arguments);
}

int fastrpc_mmap(int domain, int file, void *address, int offset, size_t length,
                 enum fastrpc_map_flags flags)
{
    PASS_ON(fastrpc_mmap)
    static uint32_t text;
    const uint64_t start = ticks();
    const int code = real(domain_for(domain), file, address, offset, length, flags);
    trace(BT_TRACE_MAP, start, code, length, "fastrpc_mmap", &text);
    record_memory(address, length, file);
    record_map(CHUNK_MAP, domain, file, (uint32_t)offset, (uint32_t)flags, length, code);
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
    const int code = real(domain_for(domain), file, address, length);
    trace(BT_TRACE_UNMAP, start, code, length, "fastrpc_munmap", &text);
    record_map(CHUNK_UNMAP, domain, file, 0, 0, length, code);
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
    const int code = control_for(real, request, data, size);
    trace_control(start, request, data, size, code);
    return code;
}

int remote_mem_map(int domain, int file, int flags, uint64_t address, size_t size,
                   uint64_t *remote_address)
{
    PASS_ON(remote_mem_map)
    return real(domain_for(domain), file, flags, address, size, remote_address);
}

int remote_mem_unmap(int domain, uint64_t remote_address, size_t size)
{
    PASS_ON(remote_mem_unmap)
    return real(domain_for(domain), remote_address, size);
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
    const int code = has_reference() ? create_reference_queue(queue)
                                     : real(domain_for(domain), flags, request_size, response_size,
                                            packet_callback, error_callback, context, queue);
    add(&table->queues, code == 0);
    if (code == 0) {
        record_queue(*queue, (struct chunk_queue){.domain = domain,
                                                  .flags = flags,
                                                  .request_size = request_size,
                                                  .response_size = response_size});
    }
    return code;
}

int dspqueue_write_noblock(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                           uint32_t message_length, const uint8_t *message)
{
    PASS_ON(dspqueue_write_noblock)
    static uint32_t text;
    const uint32_t number = begin_message(queue);
    const uint64_t start = ticks();
    struct reference_queue *reference = reference_queue(queue);
    const int code = reference != NULL
                         ? write_reference_queue(reference, num_buffers, buffers, message_length,
                                                 message)
                         : real(queue, flags, num_buffers, buffers, message_length, message);
    end_message(number, queue, flags, num_buffers, buffers, message_length, message, code);
    if (code == 0 && number != 0) {
        settle_message(number, queue);
    }
    trace(BT_TRACE_MESSAGE, start, code, message_length, "dspqueue_write_noblock", &text);
    add(&table->messages, code == 0);
    return code;
}

int dspqueue_write(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                   uint32_t message_length, const uint8_t *message, uint32_t timeout_us)
{
    PASS_ON(dspqueue_write)
    static uint32_t text;
    const uint64_t start = ticks();
    int code = AEE_EWOULDBLOCK;
    while (is_recording() && code == AEE_EWOULDBLOCK) { /* waits without the lock */
        struct moment pause = {0, 50000};
        code = dspqueue_write_noblock(queue, flags, num_buffers, buffers, message_length, message);
        if (code == AEE_EWOULDBLOCK) {
            if (timeout_us != UINT32_MAX && nanoseconds_of(ticks() - start) / 1000 > timeout_us) {
                return AEE_EEXPIRED;
            }
            (void)system_call(NANOSLEEP, (long)&pause, 0, 0, 0);
        }
    }
    if (code != AEE_EWOULDBLOCK) {
        return code;
    }
    code = real(queue, flags, num_buffers, buffers, message_length, message, timeout_us);
    trace(BT_TRACE_MESSAGE, start, code, message_length, "dspqueue_write", &text);
    add(&table->messages, code == 0);
    return code;
}

int dspqueue_read(void *queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                  void *buffers, uint32_t max_message_length, uint32_t *message_length,
                  uint8_t *message, uint32_t timeout_us)
{
    PASS_ON(dspqueue_read)
    struct reference_queue *reference = reference_queue(queue);
    const int code = reference != NULL
                         ? read_reference_queue(reference, flags, num_buffers, max_message_length,
                                                message_length, message)
                         : real(queue, flags, max_buffers, num_buffers, buffers, max_message_length,
                                message_length, message, timeout_us);
    if (code == 0) {
        record_answer(queue, flags, num_buffers, buffers, message_length, message);
    }
    return code;
}

int dspqueue_read_noblock(void *queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                          void *buffers, uint32_t max_message_length, uint32_t *message_length,
                          uint8_t *message)
{
    PASS_ON(dspqueue_read_noblock)
    const int code = real(queue, flags, max_buffers, num_buffers, buffers, max_message_length,
                          message_length, message);
    if (code == 0) {
        record_answer(queue, flags, num_buffers, buffers, message_length, message);
    }
    return code;
}

int dspqueue_export(void *queue, uint64_t *id)
{
    PASS_ON(dspqueue_export)
    struct reference_queue *reference = reference_queue(queue);
    const int code = reference != NULL ? 0 : real(queue, id);
    if (reference != NULL) {
        *id = (uintptr_t)reference;
    }
    if (code == 0) {
        record_queue_end(CHUNK_EXPORT, queue, *id);
    }
    return code;
}

int dspqueue_close(void *queue)
{
    PASS_ON(dspqueue_close)
    struct reference_queue *reference = reference_queue(queue);
    const int code = reference != NULL ? 0 : real(queue);
    if (reference != NULL) {
        close_reference_queue(reference);
    }
    record_queue_end(CHUNK_UNQUEUE, queue, 0);
    return code;
}

int dspqueue_get_stat(void *queue, int stat, uint64_t *value)
{
    PASS_ON(dspqueue_get_stat)
    const struct reference_queue *reference = reference_queue(queue);
    if (reference == NULL) {
        return real(queue, stat, value);
    }
    *value = stat == READ_QUEUE_PACKETS ? reference->written - reference->read : 0;
    return 0;
}

/* ---- memory, which only recordings need to know ---- */

int remote_session_control(uint32_t request, void *data, uint32_t size)
{
    PASS_ON(remote_session_control)
    const int code = session_control_for(real, request, data, size);
    record_control(request, data, size, code);
    return code;
}

void *rpcmem_alloc(int heap, uint32_t flags, int size)
{
    FIND(rpcmem_alloc)
    void *memory = real != NULL ? real(heap, flags, size) : NULL;
    if (memory != NULL && size > 0) {
        record_memory(memory, (uint64_t)size, -1);
    }
    return memory;
}

void *rpcmem_alloc2(int heap, uint32_t flags, size_t size)
{
    FIND(rpcmem_alloc2)
    if (real == NULL) { /* in older libraries */
        return size <= INT32_MAX ? rpcmem_alloc(heap, flags, (int)size) : NULL;
    }
    void *memory = real(heap, flags, size);
    if (memory != NULL) {
        record_memory(memory, size, -1);
    }
    return memory;
}

void rpcmem_free(void *memory)
{
    FIND(rpcmem_free)
    record_freed(memory);
    if (real != NULL) {
        real(memory);
    }
}

int rpcmem_to_fd(void *memory)
{
    FIND(rpcmem_to_fd)
    const int file = real != NULL ? real(memory) : -1;
    record_memory(memory, 0, file);
    return file;
}

void remote_register_buf(void *buffer, int size, int file)
{
    FIND(remote_register_buf)
    if (real != NULL) {
        real(buffer, size, file);
        record_memory(buffer, size > 0 ? (uint64_t)size : 0, file);
    }
}

void remote_register_buf_attr(void *buffer, int size, int file, int attributes)
{
    FIND(remote_register_buf_attr)
    if (real != NULL) {
        real(buffer, size, file, attributes);
        record_memory(buffer, size > 0 ? (uint64_t)size : 0, file);
    }
}

void remote_register_buf_attr2(void *buffer, size_t size, int file, int attributes)
{
    FIND(remote_register_buf_attr2)
    if (real != NULL) {
        real(buffer, size, file, attributes);
        record_memory(buffer, size, file);
    }
}

int remote_register_dma_handle(int file, uint32_t length)
{
    PASS_ON(remote_register_dma_handle)
    const int code = real(file, length);
    record_map(CHUNK_REGISTER, 0, file, 0, 0, length, code);
    return code;
}

int remote_register_dma_handle_attr(int file, uint32_t length, uint32_t attributes)
{
    PASS_ON(remote_register_dma_handle_attr)
    const int code = real(file, length, attributes);
    record_map(CHUNK_REGISTER, 0, file, 0, attributes, length, code);
    return code;
}
