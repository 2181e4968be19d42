/* vtcm.c: the vector memory: one buffer with the size of the SoC's VTCM. */
#define _GNU_SOURCE
#include "vtcm.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../shell.h"

#define PAGE 4096u

static uint8_t *base;
static int fd = -1;

uint32_t vtcm_total(void)
{
    return shell_facts()->vtcm_bytes & ~(PAGE - 1);
}

/* It is shared with the program that computes HMX. */
static void map_it(void)
{
    uint32_t size = vtcm_total();
    uint32_t alignment = 0x10000u; /* a page of qemu-hexagon */
    while (alignment < size && alignment < 0x1000000u) {
        alignment *= 2;
    }
    void *whole = size == 0 ? MAP_FAILED
                            : mmap(NULL, (size_t)size + alignment, PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    fd = memfd_create("vtcm", 0);
    if (whole == MAP_FAILED || fd < 0 || ftruncate(fd, (off_t)size) != 0) {
        return;
    }
    void *start = (void *)(((uintptr_t)whole + alignment - 1) & ~(uintptr_t)(alignment - 1));
    if (mmap(start, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == start) {
        base = start;
    }
}

int vtcm_fd(void)
{
    return vtcm_base() == NULL ? -1 : fd;
}

uint8_t *vtcm_base(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, map_it);
    return base;
}

bool vtcm_overlap(struct vtcm_range a, struct vtcm_range b)
{
    return a.size > 0 && b.size > 0 && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

/* Returns the number of bytes from `offset` to the next used range or to the end. Returns 0 inside
 * a used range. */
static uint32_t room_at(const struct vtcm_range *used, int count, uint32_t offset)
{
    uint32_t end = vtcm_total();
    for (int i = 0; i < count; i++) {
        if (offset >= used[i].offset && offset < used[i].offset + used[i].size) {
            return 0;
        }
        if (used[i].size > 0 && used[i].offset >= offset && used[i].offset < end) {
            end = used[i].offset;
        }
    }
    return end - offset;
}

struct vtcm_range vtcm_find(const struct vtcm_range *used, int count, uint32_t size, uint32_t least)
{
    struct vtcm_range largest = {0, 0};
    uint32_t whole = size > UINT32_MAX - PAGE ? UINT32_MAX : (size + PAGE - 1) & ~(PAGE - 1);
    for (int i = -1; i < count; i++) {
        uint32_t offset = i < 0 ? 0 : used[i].offset + used[i].size;
        uint32_t room = offset < vtcm_total() ? room_at(used, count, offset) : 0;
        if (room >= whole) {
            return (struct vtcm_range){offset, whole};
        }
        if (room > largest.size) {
            largest = (struct vtcm_range){offset, room};
        }
    }
    return least > 0 && largest.size >= least ? largest : (struct vtcm_range){0, 0};
}

/* Frees the pages instead of clearing memory, because a range can be megabytes long. */
void vtcm_clear(struct vtcm_range range)
{
    if (range.size > 0 && vtcm_base() != NULL &&
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)range.offset,
                  (off_t)range.size) != 0) {
        memset(base + range.offset, 0, range.size);
    }
}

void vtcm_poison(struct vtcm_range range)
{
    if (vtcm_base() != NULL) {
        memset(base + range.offset, POISON, range.size);
    }
}
