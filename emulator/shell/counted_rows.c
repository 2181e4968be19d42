/* counted_rows.c: what was counted for each method, and the file in which it is at the end. */
#include "counted_rows.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

#define ROWS_MAX 256 /* methods; of further ones nothing is known */
#define LINE_MAX 320
#define LENGTHS_MAX 8 /* of the buffers of a call that failed; of further ones nothing is known */
#define BEGUN_MAX 64u /* calls that have begun last; a thread is not away for longer */

/* The first row is for threads of skels while no call, or more than one, is running. */
struct row {
    const char *skel;
    uint32_t method;
    uint64_t calls;
    struct counted counted;
    uint64_t waiting, within; /* packets; see row_add */
    struct counted_bytes bytes;
    uint32_t vtcm, stack; /* the most bytes at a time */
    unsigned running;     /* calls that have not returned */
    unsigned long unsure; /* how often the counters may have wrapped, or it is chance what counts */
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
static struct row *only; /* of the only call that is running; NULL: of none; `rows`: of several */
static struct row *begun[BEGUN_MAX];
static unsigned begun_count;

struct row *row_of_none(void)
{
    return rows;
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

struct row *row_begin(const char *skel, uint32_t method, unsigned calls,
                      const struct counted_bytes *bytes)
{
    pthread_mutex_lock(&lock);
    struct row *row = row_of(skel, method);
    row->calls += calls;
    row->bytes.in += bytes->in;
    row->bytes.out += bytes->out;
    row->bytes.copied += bytes->copied;
    row->running++;
    running++;
    only = running == 1 ? row : rows;
    begun[begun_count++ % BEGUN_MAX] = row;
    pthread_mutex_unlock(&lock);
    return row;
}

void row_end(struct row *row)
{
    pthread_mutex_lock(&lock);
    row->running--;
    running--;
    only = running == 0 ? NULL : rows;
    for (size_t i = 1; i < used && running == 1; i++) {
        only = rows[i].running > 0 ? &rows[i] : only;
    }
    pthread_mutex_unlock(&lock);
}

struct working_for rows_now(void)
{
    pthread_mutex_lock(&lock);
    const struct working_for now = {only, begun_count};
    pthread_mutex_unlock(&lock);
    return now;
}

struct row *row_worked_for(const struct working_for *known, struct row *last)
{
    if (known->row != NULL) {
        return known->row;
    }
    pthread_mutex_lock(&lock);
    const unsigned behind = begun_count - known->begun;
    struct row *row = behind == 0           ? last
                      : behind <= BEGUN_MAX ? begun[known->begun % BEGUN_MAX]
                                            : rows;
    pthread_mutex_unlock(&lock);
    return row;
}

void row_add(struct row *row, const struct counted *counted, uint64_t waiting, bool is_unsure,
             uint64_t within)
{
    pthread_mutex_lock(&lock);
    row->counted.packets += counted->packets;
    row->counted.instructions += counted->instructions;
    row->counted.hvx += counted->hvx;
    row->waiting += waiting;
    row->within += within;
    row->unsure += is_unsure;
    pthread_mutex_unlock(&lock);
}

void row_peak(struct row *row, uint32_t vtcm, uint32_t stack)
{
    pthread_mutex_lock(&lock);
    row->vtcm = vtcm > row->vtcm ? vtcm : row->vtcm;
    row->stack = stack > row->stack ? stack : row->stack;
    pthread_mutex_unlock(&lock);
}

void row_add_messages(struct row *row, uint64_t messages, bool looked)
{
    pthread_mutex_lock(&lock);
    row->calls += messages;
    row->unsure += !looked && messages != 1;
    pthread_mutex_unlock(&lock);
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

/* What a loop that waits has executed can be in another row than its rounds. */
static unsigned long long not_negative(uint64_t number)
{
    return (int64_t)number < 0 ? 0 : number;
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
        text_add(&text, "%u %llu %llu %llu %llu %llu %llu %llu %llu %lu %llu %u %u %s\n",
                 (unsigned)row->method, (unsigned long long)row->calls,
                 not_negative(row->counted.packets), not_negative(row->counted.instructions),
                 not_negative(row->counted.hvx), (unsigned long long)row->waiting,
                 (unsigned long long)row->bytes.in, (unsigned long long)row->bytes.out,
                 (unsigned long long)row->bytes.copied, row->unsure, not_negative(row->within),
                 (unsigned)row->vtcm, (unsigned)row->stack, row->skel);
        if (row->calls + row->counted.packets + row->waiting + row->stack > 0 &&
            write(file, line, text.used) < 0) {
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
