/* record_file.h: the file of a recording of calls: its chunks, and pages that are stored once.
 *
 * record_calls.h includes it.  Each chunk is written by one system call before the program goes on, so
 * the file of a program that is killed ends with its last whole chunk. */
#include "recording.h"

#define RECORD_VARIABLE "BUILDTOOL_RECORD"
#define RECORD_LIMIT "BUILDTOOL_RECORD_LIMIT"            /* bytes of the file */
#define RECORD_FIRST "BUILDTOOL_RECORD_FIRST"            /* calls and messages */
#define RECORD_METHODS "BUILDTOOL_RECORD_METHODS"        /* "libdemo_skel.so:2,messages" */
#define NEW_FILE (02 | 0100 | 0200 | 02000000 | 0400000) /* O_RDWR, O_CREAT, O_EXCL, O_CLOEXEC, … */
#define WRITE 64                                         /* system calls of ARM64 */
#define PWRITE 68
#define FCNTL 25
#define SCHED_YIELD 124
#define DUPLICATE_CLOEXEC 1030
#define HIGH_FILE 700 /* replays give memory the descriptors that it had: 3, 4, … are for these */
#define PRIVATE_MEMORY 0x4022 /* MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE */
#define CHUNK_ROOM (64u << 20)
#define PAGES_ROOM 256u

struct digest {
    uint64_t low, high;
};

static struct {
    int file; /* 0: nothing is recorded */
    uint32_t process, lock, number, opened;
    uint64_t size, limit, first, pages, slots;
    const char *methods;
    struct stored {
        struct digest digest;
        uint64_t page; /* 0: free */
    } *stored;
    uint8_t *chunk, *waiting;           /* pages that wait to be written */
    uint32_t used, waiting_pages, full; /* `full`: no further calls begin */
    struct digest zero;                 /* of a page of zeros */
    struct recording_header header;
} recording;

static void lock_recording(void)
{
    while (__atomic_exchange_n(&recording.lock, 1, __ATOMIC_ACQUIRE) != 0) {
        (void)system_call(SCHED_YIELD, 0, 0, 0, 0);
    }
}

static void unlock_recording(void)
{
    __atomic_store_n(&recording.lock, 0, __ATOMIC_RELEASE);
}

/* ---- the file ---- */

static void stop_recording(void)
{
    recording.limit = 0;
}

static int write_whole(const void *data, uint64_t size)
{
    for (uint64_t done = 0; done < size;) {
        const long written = system_call(WRITE, recording.file, (long)data + (long)done,
                                         (long)(size - done), 0);
        if (written <= 0) {
            stop_recording(); /* the disk is full: the file ends in a chunk that is not whole */
            return 0;
        }
        done += (uint64_t)written;
    }
    recording.size += size;
    return 1;
}

static void leave_out(void)
{
    recording.header.left_out++;
    (void)system_call(PWRITE, recording.file, (long)&recording.header, sizeof recording.header, 0);
}

static uint64_t mixed(uint64_t value, uint64_t word)
{
    value = (value ^ word) * 0x9e3779b97f4a7c15u;
    return value ^ value >> 29;
}

static struct digest digest_of(const uint8_t *page)
{
    const uint64_t *words = (const uint64_t *)page;
    uint64_t a = 1, b = 2, c = 3, d = 4;
    for (size_t i = 0; i < PAGE_SIZE / sizeof *words; i += 4) {
        a = mixed(a, words[i]);
        b = mixed(b, words[i + 1]);
        c = mixed(c, words[i + 2]);
        d = mixed(d, words[i + 3]);
    }
    return (struct digest){mixed(mixed(a, b), mixed(c, d)), mixed(mixed(d, a), mixed(b, c))};
}

static int is_same(struct digest left, struct digest right)
{
    return left.low == right.low && left.high == right.high;
}

static void write_pages(void)
{
    struct chunk head = {CHUNK_PAGES, recording.waiting_pages * PAGE_SIZE};
    if (recording.waiting_pages != 0) {
        memcpy(recording.waiting, &head, sizeof head);
        (void)write_whole(recording.waiting, sizeof head + head.size);
        recording.waiting_pages = 0;
    }
}

/* The number of a page with the content of the `size` bytes at `data`, and zeros after them. */
static uint32_t page_number(const uint8_t *data, uint64_t size)
{
    uint8_t *copy = recording.waiting + sizeof(struct chunk) +
                    (size_t)recording.waiting_pages * PAGE_SIZE;
    memcpy(copy, data, size); /* other threads can change it at any time */
    memset(copy + size, 0, PAGE_SIZE - size);
    const struct digest digest = digest_of(copy);
    uint64_t slot = digest.low & (recording.slots - 1);
    while (recording.stored[slot].page != 0 && !is_same(recording.stored[slot].digest, digest)) {
        slot = (slot + 1) & (recording.slots - 1);
    }
    if (recording.stored[slot].page == 0) {
        if (recording.pages * 2 > recording.slots) {
            stop_recording();
            return 0;
        }
        recording.stored[slot] = (struct stored){digest, ++recording.pages};
        if (++recording.waiting_pages == PAGES_ROOM) {
            write_pages();
        }
    }
    return (uint32_t)recording.stored[slot].page;
}

static void put(const void *data, uint64_t size)
{
    if (size > CHUNK_ROOM - recording.used - sizeof(uint32_t)) {
        stop_recording();
        return;
    }
    memcpy(recording.chunk + recording.used, data, size);
    recording.used += (uint32_t)size;
    while (recording.used % sizeof(uint32_t) != 0) {
        recording.chunk[recording.used++] = 0;
    }
}

static void begin_chunk(const void *data, uint64_t size)
{
    recording.used = sizeof(struct chunk);
    put(data, size);
}

static void put_content(const void *data, uint64_t size)
{
    const uint32_t length = (uint32_t)size;
    const uint64_t whole = data != NULL ? size / PAGE_SIZE : 0;
    put(&length, sizeof length);
    if (data == NULL && size != 0) { /* never read by the library either */
        stop_recording();
        return;
    }
    for (uint64_t i = 0; i < whole; i++) {
        const uint32_t page = page_number((const uint8_t *)data + i * PAGE_SIZE, PAGE_SIZE);
        put(&page, sizeof page);
    }
    put((const uint8_t *)data + whole * PAGE_SIZE, size % PAGE_SIZE);
}

static void end_chunk(uint32_t kind)
{
    const struct chunk head = {kind, recording.used - (uint32_t)sizeof head};
    write_pages();
    if (recording.limit != 0) {
        memcpy(recording.chunk, &head, sizeof head);
        (void)write_whole(recording.chunk, recording.used);
    }
    if (recording.size > recording.limit) {
        recording.full = 1;
    }
}

static void write_chunk(uint32_t kind, const void *data, uint64_t size)
{
    begin_chunk(data, size);
    end_chunk(kind);
}

static int is_recording(void)
{
    return recording.file != 0 && recording.process == own_id(GETPID); /* and this is no child */
}

/* Begins what a function of the program records, with the lock; 0 if nothing is recorded. */
static int records(void)
{
    if (!is_recording()) {
        return 0;
    }
    lock_recording();
    if (recording.limit != 0) {
        return 1;
    }
    unlock_recording();
    return 0;
}

static uint64_t number_in(const char *text, uint64_t otherwise)
{
    uint64_t number = 0;
    if (text == NULL || *text == '\0') {
        return otherwise;
    }
    for (; *text >= '0' && *text <= '9'; text++) {
        number = number * 10 + (uint64_t)(*text - '0');
    }
    return number;
}

static void *private_memory(uint64_t size)
{
    void *memory = mmap(NULL, size, READ_WRITE, PRIVATE_MEMORY, -1, 0);
    return memory != FAILED ? memory : NULL;
}

static void open_recording(void)
{
    const char *path = getenv(RECORD_VARIABLE);
    const int file = path != NULL ? open(path, NEW_FILE, 0600) : -1;
    if (file < 0) { /* another process of the program records */
        return;
    }
    const long high = system_call(FCNTL, file, DUPLICATE_CLOEXEC, HIGH_FILE, 0);
    recording.file = high > 0 ? (int)high : file;
    if (high > 0) {
        (void)close(file);
    }
    recording.limit = number_in(getenv(RECORD_LIMIT), 2ull << 30);
    recording.first = number_in(getenv(RECORD_FIRST), UINT32_MAX);
    recording.methods = getenv(RECORD_METHODS);
    recording.slots = 1024;
    while (recording.slots * PAGE_SIZE < recording.limit * 4) {
        recording.slots *= 2;
    }
    recording.process = own_id(GETPID);
    recording.chunk = private_memory(CHUNK_ROOM);
    recording.waiting = private_memory((PAGES_ROOM + 1ull) * PAGE_SIZE);
    recording.stored = private_memory(recording.slots * sizeof *recording.stored);
    if (recording.chunk == NULL || recording.waiting == NULL || recording.stored == NULL) {
        recording.file = 0;
        return;
    }
    static const uint8_t zeros[PAGE_SIZE];
    recording.zero = digest_of(zeros);
    recording.stored[recording.zero.low & (recording.slots - 1)] = (struct stored){
        recording.zero, UINT32_MAX + 1ull};
    memcpy(recording.header.magic, RECORDING_MAGIC, sizeof recording.header.magic);
    (void)write_whole(&recording.header, sizeof recording.header);
}
