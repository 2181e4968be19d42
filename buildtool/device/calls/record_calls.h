/* record_calls.h: what a program asks of the DSP, with all inputs and outputs, in the file that
 * RECORD_VARIABLE names.
 *
 * count_calls.c includes it.  Memory that both sides see is looked at before and after each call and
 * message: what the DSP may read or write there is not known. */
#include "record_file.h"

#define MSYNC 227 /* system calls of ARM64 */
#define NANOSLEEP 101
#define MS_ASYNC 1
#define SETTLED 2u
#define READ_QUEUE_PACKETS 1 /* enum dspqueue_stat */
#define SETTLE_NANOSECONDS 10000000000u
#define MEMORIES 512
#define QUEUES 32
#define OPEN_MESSAGES 4096

static struct {
    uint64_t handle;
    uint32_t number;
} recorded_handles[HANDLES];

static struct memory {
    uint8_t *address;
    uint64_t size;
    int32_t fd; /* -1: it is only this side's so far */
    uint32_t number;
    struct digest *known;
} memories[MEMORIES];
static uint32_t memory_numbers;

static struct recorded_queue {
    void *queue;
    uint32_t number, written, answered, settled;
    int pipelined;                /* its messages are not waited for */
    uint32_t open[OPEN_MESSAGES]; /* the numbers of messages without an answer; 0: left out */
} recorded_queues[QUEUES];
static uint32_t queue_numbers;

/* ---- memory that both sides see ---- */

static struct memory *memory_at(const void *address)
{
    for (struct memory *each = memories; each < memories + MEMORIES; each++) {
        if (each->address == address && address != NULL) {
            return each;
        }
    }
    return NULL;
}

/* Notes memory of the program, which the DSP can see once it has a descriptor; `size` 0: as noted. */
static void record_memory(void *address, uint64_t size, int32_t fd)
{
    if (address == NULL || !records()) {
        return;
    }
    struct memory *memory = memory_at(address);
    for (struct memory *each = memories; memory == NULL && each < memories + MEMORIES; each++) {
        if (each->address == NULL && size != 0) {
            *each = (struct memory){address, size, -1, 0, NULL};
            memory = each;
        }
    }
    if (memory != NULL && fd >= 0 && memory->number == 0) {
        const uint64_t pages = (memory->size + PAGE_SIZE - 1) / PAGE_SIZE;
        memory->fd = fd;
        memory->number = ++memory_numbers;
        memory->known = private_memory(pages * sizeof *memory->known);
        if (memory->known == NULL) {
            stop_recording();
        } else {
            const struct chunk_memory made = {memory->number, fd, memory->size};
            write_chunk(CHUNK_MEMORY, &made, sizeof made);
        }
    }
    unlock_recording();
}

static void forget(struct memory *memory)
{
    const struct chunk_memory freed = {memory->number, memory->fd, memory->size};
    if (memory->number != 0) {
        write_chunk(CHUNK_FREED, &freed, sizeof freed);
    }
    memory->address = NULL;
}

static void record_freed(void *address)
{
    struct memory *memory = memory_at(address);
    if (memory != NULL && records()) {
        forget(memory);
        unlock_recording();
    }
}

/* Whether all of it is mapped: programs need not tell the library what they unmap. */
static int is_mapped(const struct memory *memory)
{
    const long start = (long)memory->address & ~(long)(PAGE_SIZE - 1);
    const long size = (long)memory->address + (long)memory->size - start;
    return system_call(MSYNC, start, size, MS_ASYNC, 0) == 0;
}

static void record_changes(uint32_t number, uint32_t after)
{
    int told = 0;
    for (struct memory *each = memories; each < memories + MEMORIES; each++) {
        if (each->address == NULL || each->number == 0) {
            continue;
        }
        if (!is_mapped(each)) {
            forget(each);
            continue;
        }
        const struct chunk_changed changed = {each->number, number, after};
        const uint32_t empty = (uint32_t)(sizeof(struct chunk) + sizeof changed);
        begin_chunk(&changed, sizeof changed);
        for (uint64_t at = 0; at < each->size; at += PAGE_SIZE) {
            struct digest *known = &each->known[at / PAGE_SIZE];
            const uint64_t size = each->size - at < PAGE_SIZE ? each->size - at : PAGE_SIZE;
            uint8_t rest[PAGE_SIZE];
            const uint8_t *page = each->address + at;
            if (size < PAGE_SIZE) {
                memcpy(rest, page, size);
                memset(rest + size, 0, PAGE_SIZE - size);
                page = rest;
            }
            const struct digest digest = digest_of(page);
            const int was_empty = known->low == 0 && known->high == 0;
            if (was_empty && is_same(recording.zero, digest)) {
                *known = digest;
            } else if (!is_same(*known, digest)) {
                const uint32_t pair[2] = {(uint32_t)(at / PAGE_SIZE), page_number(page, PAGE_SIZE)};
                *known = digest;
                put(pair, sizeof pair);
            }
        }
        if (recording.used > empty || (after == SETTLED && !told)) {
            end_chunk(CHUNK_CHANGED);
            told = 1;
        }
    }
}

/* ---- calls ---- */

static int is_wanted(const char *module, uint32_t method)
{
    if (recording.methods == NULL || *recording.methods == '\0') {
        return 1;
    }
    for (const char *at = recording.methods; *at != '\0';) {
        size_t i = 0;
        while (module[i] != '\0' && at[i] == module[i]) {
            i++;
        }
        if (module[i] == '\0' && (at[i] == ':' || at[i] == ',' || at[i] == '\0') &&
            (at[i] != ':' || number_in(at + i + 1, 0) == method)) {
            return 1;
        }
        for (; *at != '\0' && *at != ','; at++) {
        }
        at += *at == ',';
    }
    return 0;
}

/* Begins the record of a call or message while the lock is held; 0 if it is left out. */
static uint32_t begin_call(const char *module, uint32_t method)
{
    if (recording.limit == 0 || recording.full || recording.number >= recording.first ||
        !is_wanted(module, method)) {
        return 0;
    }
    record_changes(recording.number + 1, 0);
    return recording.limit != 0 ? ++recording.number : 0;
}

static void record_open(const char *name, uint64_t handle, int code, uint32_t is64)
{
    if (name != NULL && records()) {
        const struct chunk_open opened = {++recording.opened, code, is64};
        for (size_t i = 0; code == 0 && i < HANDLES; i++) {
            if (recorded_handles[i].handle == handle || recorded_handles[i].handle == 0) {
                recorded_handles[i].handle = handle;
                recorded_handles[i].number = opened.handle;
                break;
            }
        }
        uint64_t length = 1;
        while (name[length - 1] != '\0') {
            length++;
        }
        begin_chunk(&opened, sizeof opened);
        put(name, length);
        end_chunk(CHUNK_OPEN);
        unlock_recording();
    }
}

static uint32_t number_of_handle(uint64_t handle)
{
    for (size_t i = 0; i < HANDLES; i++) {
        if (recorded_handles[i].handle == handle) {
            return recorded_handles[i].number;
        }
    }
    return 0;
}

static void record_close(uint64_t handle, int code, uint32_t is64)
{
    if (records()) {
        const struct chunk_open closed = {number_of_handle(handle), code, is64};
        write_chunk(CHUNK_CLOSE, &closed, sizeof closed);
        unlock_recording();
    }
}

static uint32_t record_call(uint64_t handle, const char *module, uint32_t scalars,
                            const remote_arg *arguments)
{
    if (!is_recording()) {
        return 0;
    }
    lock_recording();
    const uint32_t number = begin_call(module, method_of(scalars, arguments));
    if (number == 0) {
        leave_out();
    } else {
        const uint32_t ins = REMOTE_SCALARS_INBUFS(scalars);
        const uint32_t buffers = ins + REMOTE_SCALARS_OUTBUFS(scalars);
        const struct chunk_call call = {number, own_id(GETTID), number_of_handle(handle), scalars};
        begin_chunk(&call, sizeof call);
        for (uint32_t i = 0; i < buffers; i++) {
            put_content(arguments[i].buf.pv, arguments[i].buf.nLen);
        }
        for (uint32_t i = buffers; i < REMOTE_SCALARS_LENGTH(scalars); i++) {
            put(&arguments[i], sizeof arguments[i]);
        }
        end_chunk(CHUNK_CALL);
    }
    unlock_recording();
    return number;
}

static void record_return(uint32_t number, uint32_t scalars, const remote_arg *arguments, int code)
{
    if (number != 0 && records()) {
        const uint32_t ins = REMOTE_SCALARS_INBUFS(scalars);
        const struct chunk_return done = {number, code};
        begin_chunk(&done, sizeof done);
        for (uint32_t i = ins; i < ins + REMOTE_SCALARS_OUTBUFS(scalars); i++) {
            put_content(arguments[i].buf.pv, arguments[i].buf.nLen);
        }
        end_chunk(CHUNK_RETURN);
        record_changes(number, 1);
        unlock_recording();
    }
}

/* The outputs of an asynchronous call are not known when it returns. */
static void record_asynchronous(void)
{
    if (records()) {
        leave_out();
        unlock_recording();
    }
}

static void record_map(uint32_t kind, int32_t domain, int32_t fd, uint32_t offset, uint32_t flags,
                       uint64_t size, int32_t code)
{
    if (records()) {
        const struct chunk_map map = {domain, fd, offset, flags, size, code, 0};
        write_chunk(kind, &map, sizeof map);
        unlock_recording();
    }
}

static void record_control(uint32_t request, const void *data, uint32_t size, int code)
{
    struct chunk_control control = {request, code, 0};
    const struct remote_rpc_reserve_new_session *session = data;
    if (data == NULL || !records()) {
        return;
    }
    if (request == FASTRPC_RESERVE_NEW_SESSION && size >= sizeof *session) {
        const uint32_t lengths[2] = {session->domain_name_len, session->session_name_len};
        control.session = session->session_id;
        begin_chunk(&control, sizeof control);
        put(lengths, sizeof lengths);
        put(session->domain_name, lengths[0]);
        put(session->session_name, lengths[1]);
        end_chunk(CHUNK_CONTROL);
    } else if (request == DSPRPC_CONTROL_UNSIGNED_MODULE || request == FASTRPC_THREAD_PARAMS ||
               request == FASTRPC_RELATIVE_THREAD_PRIORITY) {
        begin_chunk(&control, sizeof control);
        put(data, size);
        end_chunk(CHUNK_CONTROL);
    }
    unlock_recording();
}

/* ---- queues ---- */

static struct recorded_queue *queue_of(const void *queue)
{
    for (struct recorded_queue *each = recorded_queues; each < recorded_queues + QUEUES; each++) {
        if (each->queue == queue) {
            return each;
        }
    }
    return NULL;
}

static void record_queue(void *queue, struct chunk_queue made)
{
    struct recorded_queue *free = queue_of(NULL);
    if (records()) {
        made.queue = ++queue_numbers;
        if (free != NULL) {
            *free = (struct recorded_queue){.queue = queue, .number = made.queue};
        }
        write_chunk(CHUNK_QUEUE, &made, sizeof made);
        unlock_recording();
    }
}

static void record_queue_end(uint32_t kind, void *queue, uint64_t id)
{
    struct recorded_queue *known = queue_of(queue);
    if (known != NULL && records()) {
        const struct chunk_queue end = {.queue = known->number, .id = id};
        write_chunk(kind, &end, sizeof end);
        if (kind == CHUNK_UNQUEUE) {
            known->queue = NULL;
        }
        unlock_recording();
    }
}

static void put_message(uint32_t kind, struct chunk_message head, const void *buffers,
                        const void *message)
{
    begin_chunk(&head, sizeof head);
    put(buffers, (uint64_t)head.buffers * sizeof(struct recorded_buffer));
    put(message, head.length);
    end_chunk(kind);
}

/* Begins the record of a message.  The lock is held until it was written, so that no answer to it
 * is recorded before it; who writes does not wait. */
static uint32_t begin_message(const void *queue)
{
    if (!is_recording()) {
        return 0;
    }
    lock_recording();
    return queue_of(queue) != NULL ? begin_call("messages", 0) : 0;
}

static void end_message(uint32_t number, void *queue, uint32_t flags, uint32_t buffers,
                        const void *list, uint32_t length, const void *message, int code)
{
    struct recorded_queue *known = queue_of(queue);
    if (!is_recording()) {
        return;
    }
    if (code != 0) {
        recording.number -= number != 0; /* the queue has not taken it */
    } else if (known != NULL) {
        known->open[known->written++ % OPEN_MESSAGES] = number;
        if (number == 0) {
            leave_out();
        } else {
            put_message(CHUNK_MESSAGE,
                        (struct chunk_message){number, own_id(GETTID), known->number, flags,
                                               buffers, length},
                        list, message);
        }
    }
    unlock_recording();
}

/* Waits until the DSP has answered, so that what it has changed in memory is known apart from what
 * the program does next.  A queue whose messages have no answers of their own is waited for once. */
static void settle_message(uint32_t number, void *queue)
{
    struct recorded_queue *known = queue_of(queue);
    const uint64_t start = ticks();
    if (known == NULL || known->pipelined || memory_numbers == 0) {
        return;
    }
    while (nanoseconds_of(ticks() - start) < SETTLE_NANOSECONDS) {
        struct moment pause = {0, 20000};
        uint64_t unread = 0;
        if (dspqueue_get_stat(queue, READ_QUEUE_PACKETS, &unread) != 0) {
            break;
        }
        if (known->answered + unread >= known->written) {
            if (records()) {
                known->settled = number;
                record_changes(number, SETTLED);
                unlock_recording();
            }
            return;
        }
        (void)system_call(NANOSLEEP, (long)&pause, 0, 0, 0);
    }
    known->pipelined = 1;
}

/* The program need not ask for all of it. */
static uint32_t number_at(const uint32_t *number)
{
    return number != NULL ? *number : 0;
}

static void record_answer(void *queue, const uint32_t *flags, const uint32_t *count,
                          const void *list, const uint32_t *size, const void *message)
{
    struct recorded_queue *known = queue_of(queue);
    const uint32_t buffers = list != NULL ? number_at(count) : 0;
    const uint32_t length = message != NULL ? number_at(size) : 0;
    if (known != NULL && records()) {
        const int paired = known->answered < known->written;
        const uint32_t number = paired ? known->open[known->answered++ % OPEN_MESSAGES] : 0;
        if (number != 0 || !paired) {
            put_message(CHUNK_ANSWER,
                        (struct chunk_message){number, own_id(GETTID), known->number,
                                               number_at(flags), buffers, length},
                        list, message);
            if (number == 0 || number > known->settled) {
                record_changes(number, 1);
            }
        }
        unlock_recording();
    }
}
