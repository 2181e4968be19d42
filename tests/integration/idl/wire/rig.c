/* Guarded memory, counted allocations, hex. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_GUARDED = 2048 };

static struct {
    void *start;
    size_t size;
} guarded[MAX_GUARDED];
static size_t n_guarded;
static int blocks;
static int good_left = -1;

void *rig_guarded(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (size + page - 1) / page * page;
    char *start = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (start == MAP_FAILED || n_guarded == MAX_GUARDED) {
        fprintf(stderr, "no memory for %zu guarded bytes\n", size);
        exit(3);
    }
    if (mprotect(start + room, page, PROT_NONE) != 0) {
        exit(3);
    }
    guarded[n_guarded].start = start;
    guarded[n_guarded].size = room + page;
    n_guarded++;
    return start + room - size;
}

void rig_reset(void)
{
    while (n_guarded > 0) {
        n_guarded--;
        munmap(guarded[n_guarded].start, guarded[n_guarded].size);
    }
}

void *rig_calloc(size_t count, size_t size)
{
    void *memory;

    if (good_left == 0) {
        return NULL;
    }
    good_left -= good_left > 0;
    memory = calloc(count, size);
    blocks += memory != NULL;
    return memory;
}

void rig_free(void *memory)
{
    blocks -= memory != NULL;
    free(memory);
}

void rig_fail_after(int good)
{
    good_left = good;
}

int rig_leaked(void)
{
    return blocks;
}

void rig_show(const char *name, const void *data, size_t size)
{
    const unsigned char *octets = data;

    printf("%s=", name);
    for (size_t i = 0; i < size; i++) {
        printf("%02x", octets[i]);
    }
    printf(size == 0 ? "-\n" : "\n");
}
