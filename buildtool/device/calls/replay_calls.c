/* replay_calls.c: asks the DSP again what a recording of calls has (recording.h).
 *
 *     replay_calls FILE [--chained]
 *
 * Calls and messages follow each other in the order in which they began, with the inputs that they
 * had.  Memory that both sides see has before each of them what it had in the recorded run; with
 * --chained only what that program's own side changed, so that later calls get what this DSP made.
 * FILE was checked by buildtool.  As dsp_query.c it has no start files and links no versioned
 * symbol.  The library before libcdsprpc records what happens. */
#include <stddef.h>
#include <stdint.h>

#include "AEEStdErr.h"
#include "recording.h"
#include "remote.h"

#define MEMORIES 1024
#define HANDLES 1024
#define QUEUES 64
#define FILES 65536
#define OPEN_FLAGS 02000000 /* O_RDONLY, O_CLOEXEC */
#define READ_ONLY 1
#define READ_WRITE 3
#define PRIVATE_FILE 2
#define PRIVATE_MEMORY 0x4022 /* MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE */
#define FAILED ((void *)-1)
#define SEEK_END 2
#define ANSWER_MICROSECONDS 60000000u
#define MESSAGE_ROOM 65536u
#define BUFFERS_ROOM 256u
#define ALIGNMENT 128u
#define RPCMEM_HEAP_ID_SYSTEM 25
#define RPCMEM_DEFAULT_FLAGS 1
#define STANDARD_ERROR 2
#define READ_QUEUE_PACKETS 1 /* enum dspqueue_stat */
#define DSP_ARCH "BUILDTOOL_DSP_ARCH"

ptrdiff_t write(int file, const void *data, size_t size);
int open(const char *path, int flags, ...);
int close(int file);
int dup2(int file, int other);
char *getenv(const char *name);
int64_t lseek(int file, int64_t offset, int whence);
void *mmap(void *address, size_t size, int protection, int flags, int file, int64_t offset);
int munmap(void *address, size_t size);
int memcmp(const void *left, const void *right, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
_Noreturn void exit(int status);
_Noreturn void replay_calls(char **words);

void *rpcmem_alloc2(int heap, uint32_t flags, size_t size);
void rpcmem_free(void *memory);
int rpcmem_to_fd(void *memory);
int dspqueue_create(int domain, uint32_t flags, uint32_t request_size, uint32_t response_size,
                    void *packet_callback, void *error_callback, void *context, void **queue);
int dspqueue_export(void *queue, uint64_t *id);
int dspqueue_close(void *queue);
int dspqueue_get_stat(void *queue, int stat, uint64_t *value);
int dspqueue_write(void *queue, uint32_t flags, uint32_t num_buffers, void *buffers,
                   uint32_t message_length, const uint8_t *message, uint32_t timeout_us);
int dspqueue_read(void *queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                  void *buffers, uint32_t max_message_length, uint32_t *message_length,
                  uint8_t *message, uint32_t timeout_us);

static const uint8_t **pages; /* by number */
static uint64_t page_count;
static const uint8_t zeros[PAGE_SIZE];
static struct {
    uint64_t handle;
    uint32_t is64;
} handles[HANDLES];
static struct {
    uint8_t *address, *recorded; /* `recorded`: what it had in the recorded run */
    uint64_t size;
    int32_t fd;
} memories[MEMORIES];
static struct {
    void *queue;
    uint64_t id, recorded_id;
} queues[QUEUES];
static int64_t unanswered;
static int chained;

static void put(const char *text)
{
    size_t size = 0;
    while (text[size] != '\0') {
        size++;
    }
    (void)write(STANDARD_ERROR, text, size);
}

static _Noreturn void fail(const char *what, const char *name, int code)
{
    char digits[] = ": 0x00000000\n";
    for (int i = 0; i < 8; i++) {
        digits[4 + i] = "0123456789abcdef"[(uint32_t)code >> (28 - 4 * i) & 15];
    }
    put("replay_calls: ");
    put(what);
    put(name);
    put(digits);
    exit(1);
}

static void *map(size_t size, int protection, int flags, int file)
{
    void *memory = mmap(NULL, size, protection, flags, file, 0);
    if (memory == FAILED) {
        fail("no memory", "", AEE_ENOMEMORY);
    }
    return memory;
}

static const uint8_t *page_of(uint32_t number)
{
    return number == 0 || number > page_count ? zeros : pages[number];
}

/* Reads the content of a buffer at `*at` into `to`, if that is not NULL; returns its size. */
static uint32_t content(const uint32_t **at, uint8_t *to)
{
    const uint32_t size = *(*at)++;
    const uint32_t rest = size % PAGE_SIZE;
    for (uint32_t i = 0; i < size / PAGE_SIZE; i++, (*at)++) {
        if (to != NULL) {
            memcpy(to + (size_t)i * PAGE_SIZE, page_of(**at), PAGE_SIZE);
        }
    }
    if (to != NULL) {
        memcpy(to + (size - rest), *at, rest);
    }
    *at += (rest + 3) / 4;
    return size;
}

/* ---- memory that both sides see ---- */

/* The chunk at `at`; NULL at the end, where a program that was killed leaves one that is not whole. */
static const struct chunk *chunk_at(const uint8_t *at, const uint8_t *end)
{
    const struct chunk *head = (const struct chunk *)at;
    const size_t left = (size_t)(end - at);
    return left >= sizeof *head && head->size <= left - sizeof *head ? head : NULL;
}

static const struct chunk *next(const struct chunk *head, const uint8_t *end)
{
    return chunk_at((const uint8_t *)(head + 1) + head->size, end);
}

/* Programs tell the DSP descriptors as numbers: memory gets the same ones again. */
static void reserve_files(const uint8_t *start, const uint8_t *end)
{
    const int null = open("/dev/null", OPEN_FLAGS);
    for (const struct chunk *head = chunk_at(start, end); head != NULL; head = next(head, end)) {
        const struct chunk_memory *memory = (const void *)(head + 1);
        if (null >= 0 && head->kind == CHUNK_MEMORY && memory->fd > null) {
            (void)dup2(null, memory->fd);
        }
    }
}

static void new_memory(const struct chunk_memory *made)
{
    if (made->memory >= MEMORIES) {
        return;
    }
    void *memory = rpcmem_alloc2(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, made->size);
    const int file = memory != NULL ? rpcmem_to_fd(memory) : -1;
    if (file < 0 || (file != made->fd && dup2(file, made->fd) < 0)) {
        fail("memory for the DSP", "", AEE_ENOMEMORY);
    }
    const uint64_t whole = (made->size + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
    memories[made->memory].address = memory;
    memories[made->memory].recorded = map(whole, READ_WRITE, PRIVATE_MEMORY, -1);
    memories[made->memory].size = made->size;
    memories[made->memory].fd = made->fd;
}

static void *address_of(int32_t fd)
{
    for (uint32_t i = 0; i < MEMORIES; i++) {
        if (memories[i].address != NULL && memories[i].fd == fd) {
            return memories[i].address;
        }
    }
    return NULL;
}

static void changed(const struct chunk_changed *change, const uint32_t *at, const uint32_t *end)
{
    if (change->memory >= MEMORIES || memories[change->memory].address == NULL) {
        return;
    }
    const uint64_t all = memories[change->memory].size;
    for (; at + 1 < end; at += 2) {
        const uint64_t place = (uint64_t)at[0] * PAGE_SIZE;
        const uint64_t size = all - place < PAGE_SIZE ? all - place : PAGE_SIZE;
        if (place < all && !change->after) { /* also while messages are under way */
            memcpy(memories[change->memory].address + place, page_of(at[1]), size);
        }
        if (place < all && !chained) {
            memcpy(memories[change->memory].recorded + place, page_of(at[1]), size);
        }
    }
}

/* Whether the DSP has answered all messages. */
static int is_quiet(void)
{
    int64_t unread = 0;
    for (uint32_t i = 0; i < QUEUES; i++) {
        uint64_t packets = 0;
        if (queues[i].queue != NULL &&
            dspqueue_get_stat(queues[i].queue, READ_QUEUE_PACKETS, &packets) == 0) {
            unread += (int64_t)packets;
        }
    }
    return unread >= unanswered;
}

/* Gives the memory what it had in the recorded run, unless the DSP may be at work in it. */
static void restore_memory(void)
{
    const int quiet = !chained && is_quiet();
    for (uint32_t i = 0; quiet && i < MEMORIES; i++) {
        for (uint64_t at = 0; memories[i].address != NULL && at < memories[i].size;
             at += PAGE_SIZE) {
            const uint64_t rest = memories[i].size - at;
            const uint64_t size = rest < PAGE_SIZE ? rest : PAGE_SIZE;
            if (memcmp(memories[i].address + at, memories[i].recorded + at, size) != 0) {
                memcpy(memories[i].address + at, memories[i].recorded + at, size);
            }
        }
    }
}

/* ---- calls ---- */

static void call(const struct chunk_call *made, const uint32_t *at)
{
    remote_arg arguments[2 * 255 + 2 * 15];
    const uint32_t buffers = REMOTE_SCALARS_INBUFS(made->scalars) +
                             REMOTE_SCALARS_OUTBUFS(made->scalars);
    const uint32_t *look = at;
    size_t room = ALIGNMENT;
    for (uint32_t i = 0; i < buffers; i++) {
        room += content(&look, NULL) + 2 * ALIGNMENT;
    }
    uint8_t *memory = map(room, READ_WRITE, PRIVATE_MEMORY, -1), *next = memory;
    for (uint32_t i = 0; i < buffers; i++) {
        arguments[i].buf.pv = next;
        arguments[i].buf.nLen = content(&at, next);
        next += (arguments[i].buf.nLen + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    }
    memcpy(arguments + buffers, at,
           (REMOTE_SCALARS_LENGTH(made->scalars) - buffers) * sizeof *arguments);
    if (REMOTE_SCALARS_INBUFS(made->scalars) > 0) { /* the program told the DSP ids of queues */
        uint64_t *words = arguments[0].buf.pv;
        for (size_t i = 0; i < arguments[0].buf.nLen / sizeof *words; i++) {
            for (uint32_t q = 0; q < QUEUES; q++) {
                if (queues[q].queue != NULL && queues[q].recorded_id == words[i]) {
                    words[i] = queues[q].id;
                    break;
                }
            }
        }
    }
    const uint64_t handle = handles[made->handle % HANDLES].handle;
    if (handles[made->handle % HANDLES].is64) {
        (void)remote_handle64_invoke(handle, made->scalars, arguments);
    } else {
        (void)remote_handle_invoke((remote_handle)handle, made->scalars, arguments);
    }
    (void)munmap(memory, room);
}

/* Copies a URI; a skel that is called after its arch is that of the arch of this device. */
static const char *name_here(const char *uri)
{
    static char name[1024];
    const char *arch = getenv(DSP_ARCH);
    size_t i = 0;
    int ended = arch == NULL || arch[0] != 'v' || arch[1] == '\0' || arch[2] == '\0';
    for (; uri[i] != '\0' && i < sizeof name - 1; i++) {
        name[i] = uri[i];
        ended = ended || uri[i] == '?';
        if (!ended && i >= 2 && uri[i - 2] == 'v' && (uri[i - 1] >= '6' && uri[i - 1] <= '8') &&
            uri[i] >= '0' && uri[i] <= '9') {
            name[i - 1] = arch[1];
            name[i] = arch[2];
        }
    }
    name[i] = '\0';
    return name;
}

static void open_skel(const struct chunk_open *made)
{
    const char *name = name_here((const char *)(made + 1));
    remote_handle plain = 0;
    const uint32_t place = made->handle % HANDLES;
    const int code = made->is64 ? remote_handle64_open(name, &handles[place].handle)
                                : remote_handle_open(name, &plain);
    handles[place].is64 = made->is64;
    if (!made->is64) {
        handles[place].handle = plain;
    }
    if (code != 0 && made->code == 0) {
        fail("cannot open ", name, code);
    }
}

static void close_skel(const struct chunk_open *made)
{
    const uint64_t handle = handles[made->handle % HANDLES].handle;
    (void)(made->is64 ? remote_handle64_close(handle) : remote_handle_close((remote_handle)handle));
}

static void control(const struct chunk_control *made, const uint32_t *at, uint32_t size)
{
    char data[256];
    if (size > sizeof data) {
        return;
    }
    memcpy(data, at, size);
    if (made->request != FASTRPC_RESERVE_NEW_SESSION) {
        (void)remote_session_control(made->request, data, size);
        return;
    }
    struct remote_rpc_reserve_new_session session = {
        .domain_name = data + 2 * sizeof *at, .domain_name_len = at[0], .session_name_len = at[1]};
    session.session_name = session.domain_name + ((size_t)at[0] + 3) / 4 * 4;
    session.session_id = made->session;
    const int code = remote_session_control(made->request, &session, sizeof session);
    if (code != 0) {
        fail("a session of its own", "", code);
    }
}

static void send(const struct chunk_message *made, const struct recorded_buffer *at)
{
    struct recorded_buffer buffers[BUFFERS_ROOM];
    if (made->buffers > BUFFERS_ROOM || made->queue >= QUEUES) {
        return;
    }
    for (uint32_t i = 0; i < made->buffers; i++) {
        buffers[i] = at[i];
        uint8_t *start = address_of((int32_t)at[i].fd);
        buffers[i].address = start != NULL ? (uintptr_t)start + at[i].offset : 0;
    }
    const int code = dspqueue_write(queues[made->queue].queue, made->flags, made->buffers, buffers,
                                    made->length, (const uint8_t *)(at + made->buffers),
                                    ANSWER_MICROSECONDS);
    if (code != 0) {
        fail("a message", "", code);
    }
    unanswered++;
}

static void receive(const struct chunk_message *made)
{
    static uint8_t message[MESSAGE_ROOM];
    struct recorded_buffer buffers[BUFFERS_ROOM];
    uint32_t flags = 0, count = 0, length = 0;
    if (made->queue >= QUEUES) {
        return;
    }
    const int code = dspqueue_read(queues[made->queue].queue, &flags, BUFFERS_ROOM, &count, buffers,
                                   MESSAGE_ROOM, &length, message, ANSWER_MICROSECONDS);
    if (code != 0) {
        fail("no answer to a message", "", code);
    }
    unanswered -= made->number != 0;
}

static void replay(const struct chunk *head)
{
    const void *data = head + 1;
    const uint32_t *end = (const uint32_t *)data + head->size / 4;
    const struct chunk_open *opened = data;
    const struct chunk_memory *memory = data;
    const struct chunk_map *mapping = data;
    const struct chunk_queue *queue = data;
    const uint32_t place = queue->queue % QUEUES;
    int code = 0;
    switch (head->kind) {
    case CHUNK_PAGES:
        for (uint32_t at = 0; at < head->size; at += PAGE_SIZE) {
            pages[++page_count] = (const uint8_t *)data + at;
        }
        break;
    case CHUNK_OPEN:
        open_skel(opened);
        break;
    case CHUNK_CLOSE:
        close_skel(opened);
        break;
    case CHUNK_CALL:
        restore_memory();
        call(data, (const uint32_t *)((const struct chunk_call *)data + 1));
        break;
    case CHUNK_MEMORY:
        new_memory(memory);
        break;
    case CHUNK_FREED:
        if (memory->memory < MEMORIES) {
            rpcmem_free(memories[memory->memory].address);
            memories[memory->memory].address = NULL;
        }
        break;
    case CHUNK_CHANGED:
        changed(data, (const uint32_t *)((const struct chunk_changed *)data + 1), end);
        break;
    case CHUNK_MAP:
        code = fastrpc_mmap(mapping->domain, mapping->fd, address_of(mapping->fd),
                            (int)mapping->offset, mapping->size,
                            (enum fastrpc_map_flags)mapping->flags);
        if (code != 0 && mapping->code == 0) {
            fail("cannot map memory", "", code);
        }
        break;
    case CHUNK_UNMAP:
        (void)fastrpc_munmap(mapping->domain, mapping->fd, address_of(mapping->fd), mapping->size);
        break;
    case CHUNK_REGISTER:
        (void)remote_register_dma_handle_attr(mapping->fd, (uint32_t)mapping->size, mapping->flags);
        break;
    case CHUNK_QUEUE:
        code = dspqueue_create(queue->domain, queue->flags, queue->request_size,
                               queue->response_size, NULL, NULL, NULL, &queues[place].queue);
        if (code != 0) {
            fail("cannot create a queue", "", code);
        }
        break;
    case CHUNK_EXPORT:
        queues[place].recorded_id = queue->id;
        (void)dspqueue_export(queues[place].queue, &queues[place].id);
        break;
    case CHUNK_MESSAGE:
        restore_memory();
        send(data, (const struct recorded_buffer *)((const struct chunk_message *)data + 1));
        break;
    case CHUNK_ANSWER:
        receive(data);
        break;
    case CHUNK_UNQUEUE:
        (void)dspqueue_close(queues[place].queue);
        queues[place].queue = NULL;
        break;
    case CHUNK_CONTROL:
        control(data, (const uint32_t *)((const struct chunk_control *)data + 1),
                head->size - (uint32_t)sizeof(struct chunk_control));
        break;
    default:
        break;
    }
}

_Noreturn void replay_calls(char **words)
{
    const int file = words[1] != NULL ? open(words[1], OPEN_FLAGS) : -1;
    const int64_t size = file >= 0 ? lseek(file, 0, SEEK_END) : 0;
    if (size < (int64_t)sizeof(struct recording_header)) {
        fail("cannot read ", words[1] != NULL ? words[1] : "a file", AEE_EBADPARM);
    }
    chained = words[2] != NULL;
    const uint8_t *start = map((size_t)size, READ_ONLY, PRIVATE_FILE, file);
    (void)close(file);
    const uint8_t *at = start + sizeof(struct recording_header), *end = start + size;
    pages = map(((size_t)size / PAGE_SIZE + 2) * sizeof *pages, READ_WRITE, PRIVATE_MEMORY, -1);
    reserve_files(at, end);
    for (const struct chunk *head = chunk_at(at, end); head != NULL; head = next(head, end)) {
        replay(head);
    }
    exit(0);
}

/* The kernel starts a program with an aligned stack, on which its words follow their number. */
__asm__(
    ".globl _start\n_start:\n\tadd x0, sp, #8\n\tmov x29, #0\n\tmov x30, #0\n\tb replay_calls\n");
