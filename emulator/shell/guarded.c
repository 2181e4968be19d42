/* guarded.c: memory between unmapped pages. */
#define _GNU_SOURCE
#include "guarded.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell.h"

/* Retired mappings keep their addresses, of which a Hexagon process has 4 GiB. */
#define RETIRED_BYTES (512u << 20)
#define RETIRED_MAX 2048u
#define SLACK_BYTES 4096u /* on each side: what is filled and checked */

static struct {
    pthread_mutex_t lock;
    struct {
        void *mapping;
        size_t mapped;
    } oldest_first[RETIRED_MAX];
    size_t first, count, bytes;
} retired = {.lock = PTHREAD_MUTEX_INITIALIZER};

size_t guarded_page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static bool reserve(struct guarded *guarded, size_t pages_size)
{
    size_t page = guarded_page();
    guarded->mapping = NULL;
    if (pages_size > 0x7fffffffu - 2 * page) {
        return false;
    }
    guarded->mapped = pages_size + 2 * page;
    void *mapping = mmap(NULL, guarded->mapped, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        return false;
    }
    guarded->mapping = mapping;
    guarded->pages = guarded->mapping + page;
    guarded->pages_size = pages_size;
    return true;
}

static size_t whole_pages(size_t size)
{
    size_t page = guarded_page();
    return size == 0 ? page : (size + page - 1) & ~(page - 1);
}

static void release(struct guarded *guarded)
{
    munmap(guarded->mapping, guarded->mapped);
    guarded->mapping = NULL;
}

struct slack {
    uint8_t *from, *to; /* the data is in between */
};

static struct slack slack_of(const struct guarded *guarded)
{
    uint8_t *end = guarded->data + guarded->size;
    size_t before = (size_t)(guarded->data - guarded->pages);
    size_t after = (size_t)(guarded->pages + guarded->pages_size - end);
    return (struct slack){guarded->data - (before < SLACK_BYTES ? before : SLACK_BYTES),
                          end + (after < SLACK_BYTES ? after : SLACK_BYTES)};
}

bool guarded_map(struct guarded *guarded, size_t size, size_t alignment, bool front, bool slack)
{
    size_t room = size == 0 ? alignment : (size + alignment - 1) & ~(alignment - 1);
    if (room < size || room > 0x70000000u || !reserve(guarded, whole_pages(room))) {
        return false;
    }
    if (mprotect(guarded->pages, guarded->pages_size, PROT_READ | PROT_WRITE) != 0) {
        release(guarded);
        return false;
    }
    guarded->data = front ? guarded->pages : guarded->pages + guarded->pages_size - room;
    guarded->size = size;
    if (slack) {
        struct slack around = slack_of(guarded);
        memset(around.from, GUARDED_SLACK, (size_t)(guarded->data - around.from));
        memset(guarded->data + size, GUARDED_SLACK, (size_t)(around.to - guarded->data) - size);
    }
    return true;
}

/* Whether a file has whole pages up to `end`: QEMU maps others only at addresses that it chooses. */
static bool has_whole_pages(int fd, uint64_t end)
{
    struct stat status;
    return fstat(fd, &status) == 0 && (uint64_t)status.st_size >= end;
}

bool guarded_map_file(struct guarded *guarded, int fd, uint64_t offset, size_t size, int prot)
{
    size_t before = (size_t)(offset & (guarded_page() - 1));
    size_t length = before + size;
    off_t start = (off_t)(offset - before);
    int flags = MAP_SHARED;
    guarded->mapping = NULL;
    if (size == 0 || size > 0x7fffffffu || length < size) {
        return false;
    }
    guarded->pages = NULL;
    guarded->pages_size = whole_pages(length);
    guarded->has_guards = shell_facts()->strict != STRICT_OFF &&
                          has_whole_pages(fd, (uint64_t)start + guarded->pages_size);
    if (guarded->has_guards) {
        if (!reserve(guarded, guarded->pages_size)) {
            return false;
        }
        flags |= MAP_FIXED;
    }
    void *pages = mmap(guarded->pages, length, prot, flags, fd, start);
    if (pages == MAP_FAILED) {
        int problem = errno;
        if (guarded->has_guards) {
            release(guarded);
        }
        errno = problem;
        return false;
    }
    *guarded = guarded_at((uint8_t *)pages + before, size, guarded->has_guards);
    return true;
}

struct guarded guarded_at(void *data, size_t size, bool has_guards)
{
    size_t page = guarded_page();
    size_t before = (uintptr_t)data & (page - 1);
    struct guarded guarded = {
        .data = data, .size = size, .pages = (uint8_t *)data - before, .has_guards = has_guards};
    guarded.pages_size = whole_pages(before + size);
    guarded.mapping = guarded.pages - (has_guards ? page : 0);
    guarded.mapped = guarded.pages_size + (has_guards ? 2 * page : 0);
    return guarded;
}

bool guarded_spoiled(const struct guarded *guarded, uintptr_t *address)
{
    struct slack around = slack_of(guarded);
    const uint8_t *after = guarded->data + guarded->size;
    while (after < around.to && *after == GUARDED_SLACK) {
        after++;
    }
    const uint8_t *before = guarded->data;
    while (before > around.from && before[-1] == GUARDED_SLACK) {
        before--;
    }
    *address = (uintptr_t)(after < around.to ? after : before - 1);
    return after < around.to || before > around.from;
}

void guarded_retire(struct guarded *guarded)
{
    if (guarded->mapping == NULL) {
        return;
    }
    if (shell_facts()->strict == STRICT_OFF || guarded->mapped > RETIRED_BYTES / 4) {
        release(guarded);
        return;
    }
    void *same = mmap(guarded->mapping, guarded->mapped, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (same == MAP_FAILED) {
        release(guarded);
        return;
    }
    pthread_mutex_lock(&retired.lock);
    while (retired.count > 0 &&
           (retired.count == RETIRED_MAX || retired.bytes + guarded->mapped > RETIRED_BYTES)) {
        munmap(retired.oldest_first[retired.first].mapping,
               retired.oldest_first[retired.first].mapped);
        retired.bytes -= retired.oldest_first[retired.first].mapped;
        retired.first = (retired.first + 1) % RETIRED_MAX;
        retired.count--;
    }
    size_t last = (retired.first + retired.count) % RETIRED_MAX;
    retired.oldest_first[last].mapping = guarded->mapping;
    retired.oldest_first[last].mapped = guarded->mapped;
    retired.count++;
    retired.bytes += guarded->mapped;
    pthread_mutex_unlock(&retired.lock);
    guarded->mapping = NULL;
}
