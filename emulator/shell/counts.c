/* counts.c: the packets, instructions and HVX instructions of each method.
 *
 * qemu-hexagon counts them in registers that are reserved on a device, c20 to c22: 32 bits, for each
 * thread. They include what the shell's own functions execute for a skel, such as memcpy, and the
 * code that replaces instructions (translate/), but nothing of a thread that waits: how often it
 * looks is chance. */
#define _GNU_SOURCE
#include "counts.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

#define ROWS_MAX 256 /* methods; of further ones nothing is known */
#define LINE_MAX 320
#define LENGTHS_MAX 8 /* of the buffers of a call that failed; of further ones nothing is known */
/* QEMU executes less than 2^32 packets in so many seconds: fewer than 10^9 in one. */
#define TICKS_EXACT 3

struct counted {
    uint64_t packets, instructions, hvx;
};

/* A method of a skel. The first row is for threads of skels while no call, or more than one, is
 * running. */
struct row {
    const char *skel;
    uint32_t method;
    uint64_t calls;
    struct counted counted;
    struct counted_bytes bytes;
    unsigned running;     /* calls that have not returned */
    unsigned long unsure; /* how often the counters may have wrapped */
    struct {
        unsigned long times;
        int code; /* that and the lengths are those of the last one */
        uint32_t in, out;
        size_t lengths[LENGTHS_MAX];
    } failed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct row rows[ROWS_MAX] = {{.skel = ""}};
static size_t used = 1;
static unsigned running;
static struct row *only = rows; /* of the only call that is running */
static unsigned ticks;          /* of about a second */

static _Thread_local struct {
    struct row *row;                     /* NULL: the thread does not count */
    uint32_t packets, instructions, hvx; /* of qemu, when it began to count */
    unsigned since;                      /* in ticks */
    bool is_unsure;
    struct counted counted; /* since the last flush */
    struct counted_bytes bytes;
    bool is_call;
    unsigned paused; /* how many pauses have not ended */
} own;

/* The words are rN = c20, c21 and c22, for which assemblers have no names. */
#define READ(into, word)                               \
    do {                                               \
        register uint32_t value __asm__("r0");         \
        __asm__ volatile(".word " word : "=r"(value)); \
        (into) = value;                                \
    } while (0)

/* What handlers of signals have executed in the thread, and what each executes before it begins to
 * measure and after it has ended to. */
static _Thread_local uint32_t handled[3], unmeasured[3];

static inline void read_registers(uint32_t now[3])
{
    READ(now[0], "0x6a14c000");
    READ(now[1], "0x6a15c000");
    READ(now[2], "0x6a16c000");
}

/* qemu delivers signals between blocks of code only. This function is one block: it has no jumps,
 * and its page ends after it. So a handler runs before all of it, or after. */
static __attribute__((noinline, aligned(256))) void read_counters(uint32_t now[3])
{
    read_registers(now);
    now[0] -= handled[0];
    now[1] -= handled[1];
    now[2] -= handled[2];
}

void counts_handler_begin(uint32_t from[3])
{
    read_registers(from);
}

void counts_handler_end(const uint32_t from[3])
{
    uint32_t now[3];
    read_registers(now);
    for (int i = 0; i < 3; i++) {
        handled[i] += now[i] - from[i] + unmeasured[i];
    }
}

/* Stores what it takes to send a signal to the calling thread. */
static void measure_signal(int number, uint32_t cost[3])
{
    uint32_t before[3], after[3];
    read_registers(before);
    syscall(SYS_tgkill, getpid(), gettid(), number);
    read_registers(after);
    for (int i = 0; i < 3; i++) {
        cost[i] = after[i] - before[i];
    }
}

void counts_measure_handler(int number)
{
    uint32_t none[3], one[3];
    memset(unmeasured, 0, sizeof unmeasured);
    memset(handled, 0, sizeof handled);
    measure_signal(0, none);
    measure_signal(number, one);
    for (int i = 0; i < 3; i++) {
        unmeasured[i] = one[i] - none[i] - handled[i];
    }
}

void counts_pause(void)
{
    uint32_t now[3];
    read_counters(now);
    if (own.row != NULL && own.paused++ == 0) {
        own.counted.packets += now[0] - own.packets;
        own.counted.instructions += now[1] - own.instructions;
        own.counted.hvx += now[2] - own.hvx;
        own.is_unsure |= __atomic_load_n(&ticks, __ATOMIC_RELAXED) - own.since >= TICKS_EXACT;
    }
}

void counts_flush(void)
{
    if (own.row != NULL) {
        pthread_mutex_lock(&lock);
        own.row->counted.packets += own.counted.packets;
        own.row->counted.instructions += own.counted.instructions;
        own.row->counted.hvx += own.counted.hvx;
        own.row->unsure += own.is_unsure;
        pthread_mutex_unlock(&lock);
    }
    own.counted = (struct counted){0};
    own.is_unsure = false;
}

void counts_resume(void)
{
    struct row *row = __atomic_load_n(&only, __ATOMIC_ACQUIRE);
    if (own.row == NULL || --own.paused > 0) {
        return;
    }
    if (!own.is_call && own.row != row) {
        counts_flush();
        own.row = row;
    }
    uint32_t now[3];
    read_counters(now);
    own.packets = now[0];
    own.instructions = now[1];
    own.hvx = now[2];
    own.since = __atomic_load_n(&ticks, __ATOMIC_RELAXED);
}

void counts_tick(void)
{
    __atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED);
}

/* Returns the row of a method. The caller holds the lock. */
static struct row *row_of(const char *skel, uint32_t method)
{
    for (size_t i = 1; i < used; i++) {
        if (rows[i].method == method && strcmp(rows[i].skel, skel) == 0) {
            return &rows[i];
        }
    }
    const char *name = used < ROWS_MAX ? strdup(skel) : NULL; /* the module may be unloaded */
    if (name == NULL) {
        return rows;
    }
    rows[used] = (struct row){.skel = name, .method = method};
    return &rows[used++];
}

void counts_begin(const char *skel, uint32_t method)
{
    pthread_mutex_lock(&lock);
    struct row *row = row_of(skel, method);
    row->calls++;
    row->bytes.in += own.bytes.in;
    row->bytes.out += own.bytes.out;
    row->bytes.copied += own.bytes.copied;
    row->running++;
    running++;
    __atomic_store_n(&only, running == 1 ? row : rows, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    own.bytes = (struct counted_bytes){0};
    own.counted = (struct counted){0};
    own.row = row;
    own.is_call = true;
    own.paused = 1;
    counts_resume();
}

void counts_end(void)
{
    counts_pause();
    counts_flush();
    pthread_mutex_lock(&lock);
    own.row->running--;
    running--;
    struct row *left = rows;
    for (size_t i = 1; i < used && running == 1; i++) {
        left = rows[i].running > 0 ? &rows[i] : left;
    }
    __atomic_store_n(&only, left, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    own.row = NULL;
}

void counts_failed(const char *skel, uint32_t method, int code, const shell_argument *arguments,
                   uint32_t in, uint32_t out)
{
    pthread_mutex_lock(&lock);
    struct row *row = row_of(skel, method);
    row->failed.times++;
    row->failed.code = code;
    row->failed.in = in;
    row->failed.out = out;
    for (uint32_t i = 0; i < in + out && i < LENGTHS_MAX; i++) {
        row->failed.lengths[i] = arguments[i].buf.nLen;
    }
    pthread_mutex_unlock(&lock);
}

void counts_buffers(const struct counted_bytes *bytes)
{
    own.bytes = *bytes;
}

void counts_thread_begin(void)
{
    own.row = __atomic_load_n(&only, __ATOMIC_ACQUIRE);
    own.paused = 1;
    counts_resume();
}

void counts_thread_end(void)
{
    counts_pause();
    counts_flush();
    own.row = NULL;
}

/* Adds the line about the last call of a method that failed, for read_failed_calls of buildtool. */
static void add_failed(struct text *text, const struct row *row)
{
    text_add(text, "failed %u %u %lu %u %u", (unsigned)row->method, (unsigned)row->failed.code,
             row->failed.times, (unsigned)row->failed.in, (unsigned)row->failed.out);
    for (uint32_t i = 0; i < row->failed.in + row->failed.out && i < LENGTHS_MAX; i++) {
        text_add(text, " %lu", (unsigned long)row->failed.lengths[i]);
    }
    text_add(text, " %s\n", row->skel);
}

void counts_write(void)
{
    const char *path = shell_facts()->counts;
    int file = path[0] == 0 ? -1 : open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < used && file >= 0; i++) {
        const struct row *row = &rows[i];
        char line[LINE_MAX];
        struct text text = text_start(line, sizeof line);
        text_add(&text, "%u %llu %llu %llu %llu %llu %llu %llu %lu %s\n", (unsigned)row->method,
                 (unsigned long long)row->calls, (unsigned long long)row->counted.packets,
                 (unsigned long long)row->counted.instructions,
                 (unsigned long long)row->counted.hvx, (unsigned long long)row->bytes.in,
                 (unsigned long long)row->bytes.out, (unsigned long long)row->bytes.copied,
                 row->unsure, row->skel);
        if (row->calls + row->counted.packets > 0 && write(file, line, text.used) < 0) {
            break;
        }
        text = text_start(line, sizeof line);
        add_failed(&text, row);
        if (row->failed.times > 0 && write(file, line, text.used) < 0) {
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    if (file >= 0) {
        close(file);
    }
}
