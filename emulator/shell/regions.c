/* regions.c: a hash table of the pieces of memory that a skel sees.
 *
 * Regions that are gone stay in the table until it is rebuilt, which keeps the newest of them, so
 * that the use of freed memory can be reported. */
#include "regions.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#define LOCK_SECONDS 1
#define SLOTS_MIN 4096u
#define GONE_KEPT 1024u /* regions that a rebuilt table keeps */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct region *table;
static size_t slots, used, live;
static uint64_t last_number;

static size_t slot_of(uintptr_t start, size_t count)
{
    return (size_t)((uint32_t)(start >> 3) * 2654435761u) & (count - 1);
}

static void put(struct region *to, size_t count, const struct region *region)
{
    size_t at = slot_of(region->start, count);
    while (to[at].kind != REGION_NONE) {
        at = (at + 1) & (count - 1);
    }
    to[at] = *region;
}

/* Makes room for another region. The caller holds the lock. */
static bool make_room(void)
{
    if (table != NULL && used + 1 < slots / 4 * 3) {
        return true;
    }
    size_t count = SLOTS_MIN;
    while (count < 4 * (live + GONE_KEPT)) {
        count *= 2;
    }
    struct region *larger = mmap(NULL, count * sizeof *larger, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (larger == MAP_FAILED) {
        return false;
    }
    size_t kept = 0;
    for (size_t i = 0; table != NULL && i < slots; i++) {
        const struct region *region = &table[i];
        if (region->kind != REGION_NONE &&
            (!region->gone || region->number + GONE_KEPT > last_number)) {
            put(larger, count, region);
            kept++;
        }
    }
    struct region *before = table;
    size_t size = slots * sizeof *before;
    table = larger;
    slots = count;
    used = kept;
    if (before != NULL) {
        munmap(before, size);
    }
    return true;
}

/* Finds the newest region of that kind and start; one that is gone only if there is no live one.
 * The caller holds the lock. */
static struct region *newest(enum region_kind kind, const void *start)
{
    struct region *found = NULL;
    if (table == NULL) {
        return NULL;
    }
    for (size_t at = slot_of((uintptr_t)start, slots); table[at].kind != REGION_NONE;
         at = (at + 1) & (slots - 1)) {
        struct region *region = &table[at];
        if (region->kind == kind && region->start == (uintptr_t)start &&
            (found == NULL || (found->gone && !region->gone) ||
             (found->gone == region->gone && region->number > found->number))) {
            found = region;
        }
    }
    return found;
}

void region_add(enum region_kind kind, const void *start, size_t size, uint32_t index,
                uint32_t method)
{
    pthread_mutex_lock(&lock);
    const struct region region = {.start = (uintptr_t)start,
                                  .size = size,
                                  .kind = kind,
                                  .index = index,
                                  .method = method,
                                  .number = ++last_number};
    struct region *same = newest(kind, start);
    if (same != NULL && same->gone) {
        *same = region;
        live++;
    } else if (make_room()) {
        put(table, slots, &region);
        used++;
        live++;
    }
    pthread_mutex_unlock(&lock);
}

bool region_remove(enum region_kind kind, const void *start, struct region *region)
{
    pthread_mutex_lock(&lock);
    struct region *found = newest(kind, start);
    bool was_live = found != NULL && !found->gone;
    if (region != NULL) {
        *region = found == NULL ? (struct region){.kind = REGION_NONE} : *found;
    }
    if (was_live) {
        found->gone = true;
        found->number = ++last_number;
        live--;
    }
    pthread_mutex_unlock(&lock);
    return was_live;
}

bool region_at(enum region_kind kind, const void *start, struct region *region)
{
    pthread_mutex_lock(&lock);
    const struct region *found = newest(kind, start);
    bool is_live = found != NULL && !found->gone;
    if (is_live) {
        *region = *found;
    }
    pthread_mutex_unlock(&lock);
    return is_live;
}

int64_t region_distance(const struct region *region, uintptr_t address)
{
    if (address < region->start) {
        return -(int64_t)(region->start - address);
    }
    uint64_t inside = address - region->start;
    return inside < region->size ? 0 : (int64_t)(inside - region->size) + 1;
}

/* Whether the first region explains a bad access better: inside before outside, then the nearer
 * one, then a live one, then an argument rather than the buffer that it is a part of. */
static bool better(const struct region *first, int64_t first_away, const struct region *second,
                   int64_t second_away)
{
    if (first_away != second_away) {
        return first_away < second_away;
    }
    if (first->gone != second->gone) {
        return !first->gone;
    }
    bool first_argument = first->kind == REGION_IN || first->kind == REGION_OUT;
    bool second_argument = second->kind == REGION_IN || second->kind == REGION_OUT;
    if (first_argument != second_argument) {
        return first_argument;
    }
    return first->number > second->number;
}

bool region_near(uintptr_t address, size_t reach, struct region *region)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LOCK_SECONDS;
    if (pthread_mutex_timedlock(&lock, &until) != 0) {
        return false;
    }
    int64_t nearest = 0;
    bool found = false;
    for (size_t i = 0; table != NULL && i < slots; i++) {
        if (table[i].kind == REGION_NONE) {
            continue;
        }
        int64_t away = region_distance(&table[i], address);
        away = away < 0 ? -away : away;
        if (away <= (int64_t)reach && (!found || better(&table[i], away, region, nearest))) {
            *region = table[i];
            nearest = away;
            found = true;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}
