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
#define MODULES 32
#define NAME_SIZE 96
#define ROWS 512
#define HANDLES 256
#define METHOD_IN_ARGUMENT 31u /* such a method has its number in the first argument */
#define RTLD_NOW 2
#define OPEN_FLAGS (02 | 0100 | 02000000 | 0400000) /* O_RDWR, O_CREAT, O_CLOEXEC, O_NOFOLLOW */
#define READ_WRITE 3
#define SHARED 1
#define FAILED ((void *)-1)
#define CLOCK_MONOTONIC 1

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

struct row {
    uint64_t key; /* module << 32 | method + 1; 0 is free */
    uint64_t calls, failed, nanoseconds, bytes_in, bytes_out;
};

/* dspqueue.h includes headers of the C library. */
int dspqueue_write(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                   uint32_t message_length, const uint8_t *message, uint32_t timeout_us);
int dspqueue_write_noblock(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                           uint32_t message_length, const uint8_t *message);

struct table {
    char magic[8];
    uint64_t opened, closed, mapped, unmapped, mapped_bytes, unmapped_bytes, messages;
    char modules[MODULES][NAME_SIZE]; /* the first is for handles that were not opened here */
    struct row rows[ROWS];
};

static struct table no_file; /* without a place for the counts, they are lost */
static struct table *table = &no_file;
static struct {
    uint64_t handle;
    uint64_t module;
} handles[HANDLES];

static void *system_library;

static void add(uint64_t *count, uint64_t more)
{
    (void)__atomic_fetch_add(count, more, __ATOMIC_RELAXED);
}

static void *function_of_system(const char *name)
{
    if (system_library == NULL) {
        system_library = dlopen(REAL_LIBRARY, RTLD_NOW);
    }
    return system_library != NULL ? dlsym(system_library, name) : NULL;
}

/* Declare `real` as the function of the system that has the name of this one; return if it has none. */
#define PASS_ON(function)                                                                              \
    static __typeof__(&(function)) real;                                                               \
    if (real == NULL) {                                                                                \
        *(void **)&real = function_of_system(#function);                                               \
    }                                                                                                  \
    if (real == NULL) {                                                                                \
        return AEE_EUNSUPPORTED;                                                                       \
    }

__attribute__((constructor)) static void open_table(void)
{
    const char *path = getenv("BUILDTOOL_DSP_CALLS");
    int file = path != NULL ? open(path, OPEN_FLAGS, 0600) : -1;
    if (file < 0) {
        return;
    }
    if (ftruncate(file, (int64_t)sizeof *table) == 0) {
        void *memory = mmap(NULL, sizeof *table, READ_WRITE, SHARED, file, 0);
        if (memory != FAILED) {
            table = memory;
            for (size_t i = 0; i < sizeof table->magic; i++) {
                table->magic[i] = "BTCALLS1"[i];
            }
        }
    }
    (void)close(file);
}

/* The file name in "file:///libdemo_skel.so?demo_skel_handle_invoke&_dom=cdsp". */
static const char *file_name(const char *uri)
{
    const char *start = uri;
    for (const char *at = uri; *at != '\0' && *at != '?'; at++) {
        if (*at == '/') {
            start = at + 1;
        }
    }
    return start;
}

static int is_name(const char *known, const char *name)
{
    size_t i = 0;
    while (i < NAME_SIZE - 1 && name[i] != '\0' && name[i] != '?') {
        if (known[i] != name[i]) {
            return 0;
        }
        i++;
    }
    return known[i] == '\0';
}

static uint64_t module_of(const char *uri)
{
    const char *name = file_name(uri);
    for (uint64_t module = 1; module < MODULES; module++) {
        char *known = table->modules[module];
        if (known[0] == '\0') { /* two threads that take it at once are possible, but rare */
            for (size_t i = 0; i < NAME_SIZE - 1 && name[i] != '\0' && name[i] != '?'; i++) {
                known[i] = name[i];
            }
        }
        if (is_name(known, name)) {
            return module;
        }
    }
    return 0;
}

static void remember(uint64_t handle, const char *uri)
{
    add(&table->opened, 1);
    for (size_t i = 0; i < HANDLES; i++) {
        uint64_t free = 0;
        if (handles[i].handle == handle ||
            __atomic_compare_exchange_n(&handles[i].handle, &free, handle, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            handles[i].module = module_of(uri);
            return;
        }
    }
}

static struct row *row_of(uint64_t handle, uint32_t scalars, const remote_arg *arguments)
{
    uint32_t method = REMOTE_SCALARS_METHOD(scalars);
    uint64_t module = 0;
    if (method == METHOD_IN_ARGUMENT && REMOTE_SCALARS_INBUFS(scalars) > 0 &&
        arguments[0].buf.nLen >= sizeof method) {
        method = *(const uint32_t *)arguments[0].buf.pv;
    }
    for (size_t i = 0; i < HANDLES; i++) {
        if (handles[i].handle == handle) {
            module = handles[i].module;
            break;
        }
    }
    const uint64_t key = module << 32 | (uint64_t)(method + 1);
    for (size_t i = 0; i < ROWS - 1; i++) {
        uint64_t free = 0;
        struct row *row = &table->rows[i];
        if (__atomic_load_n(&row->key, __ATOMIC_RELAXED) == key ||
            __atomic_compare_exchange_n(&row->key, &free, key, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            free == key) {
            return row;
        }
    }
    return &table->rows[ROWS - 1];
}

static uint64_t size_of(const remote_arg *arguments, uint32_t count)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        size += arguments[i].buf.nLen;
    }
    return size;
}

static uint64_t now(void)
{
    struct moment time = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.seconds * 1000000000u + (uint64_t)time.nanoseconds;
}

static void count(struct row *row, uint32_t scalars, const remote_arg *arguments, uint64_t start,
                  int code)
{
    const uint32_t in = REMOTE_SCALARS_INBUFS(scalars);
    add(&row->calls, 1);
    add(&row->failed, code != 0);
    add(&row->nanoseconds, now() - start);
    add(&row->bytes_in, size_of(arguments, in));
    add(&row->bytes_out, size_of(arguments + in, REMOTE_SCALARS_OUTBUFS(scalars)));
}

int remote_handle64_open(const char *name, remote_handle64 *handle)
{
    PASS_ON(remote_handle64_open)
    const int code = real(name, handle);
    if (code == 0) {
        remember(*handle, name);
    }
    return code;
}

int remote_handle_open(const char *name, remote_handle *handle)
{
    PASS_ON(remote_handle_open)
    const int code = real(name, handle);
    if (code == 0) {
        remember(*handle, name);
    }
    return code;
}

int remote_handle64_close(remote_handle64 handle)
{
    PASS_ON(remote_handle64_close)
    const int code = real(handle);
    add(&table->closed, code == 0);
    return code;
}

int remote_handle_close(remote_handle handle)
{
    PASS_ON(remote_handle_close)
    const int code = real(handle);
    add(&table->closed, code == 0);
    return code;
}

int remote_handle64_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments)
{
    PASS_ON(remote_handle64_invoke)
    struct row *row = row_of(handle, scalars, arguments);
    const uint64_t start = now();
    const int code = real(handle, scalars, arguments);
    count(row, scalars, arguments, start, code);
    return code;
}

int remote_handle_invoke(remote_handle handle, uint32_t scalars, remote_arg *arguments)
{
    PASS_ON(remote_handle_invoke)
    struct row *row = row_of(handle, scalars, arguments);
    const uint64_t start = now();
    const int code = real(handle, scalars, arguments);
    count(row, scalars, arguments, start, code);
    return code;
}

int remote_handle64_invoke_async(remote_handle64 handle, fastrpc_async_descriptor_t *descriptor,
                                 uint32_t scalars, remote_arg *arguments)
{
    PASS_ON(remote_handle64_invoke_async)
    /* Before, as a callback may free the arguments; without a time. */
    count(row_of(handle, scalars, arguments), scalars, arguments, now(), 0);
    return real(handle, descriptor, scalars, arguments);
}

int remote_handle_invoke_async(remote_handle handle, fastrpc_async_descriptor_t *descriptor,
                               uint32_t scalars, remote_arg *arguments)
{
    PASS_ON(remote_handle_invoke_async)
    count(row_of(handle, scalars, arguments), scalars, arguments, now(), 0);
    return real(handle, descriptor, scalars, arguments);
}

int fastrpc_mmap(int domain, int file, void *address, int offset, size_t length,
                 enum fastrpc_map_flags flags)
{
    PASS_ON(fastrpc_mmap)
    const int code = real(domain, file, address, offset, length, flags);
    if (code == 0) {
        add(&table->mapped, 1);
        add(&table->mapped_bytes, length);
    }
    return code;
}

int fastrpc_munmap(int domain, int file, void *address, size_t length)
{
    PASS_ON(fastrpc_munmap)
    const int code = real(domain, file, address, length);
    if (code == 0) {
        add(&table->unmapped, 1);
        add(&table->unmapped_bytes, length);
    }
    return code;
}

int dspqueue_write(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                   uint32_t message_length, const uint8_t *message, uint32_t timeout_us)
{
    PASS_ON(dspqueue_write)
    const int code = real(queue, flags, num_buffers, buffers, message_length, message, timeout_us);
    add(&table->messages, code == 0);
    return code;
}

int dspqueue_write_noblock(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                           uint32_t message_length, const uint8_t *message)
{
    PASS_ON(dspqueue_write_noblock)
    const int code = real(queue, flags, num_buffers, buffers, message_length, message);
    add(&table->messages, code == 0);
    return code;
}
