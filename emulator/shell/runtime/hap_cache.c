/* hap_cache.c: memory locked into the L2 cache.
 *
 * The emulator has no cache, so locking has no effect. The size is limited as on a DSP, so that a
 * request that is too large fails here too. */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#include "AEEStdErr.h"
#include "runtime.h"
#include "sysmon_cachelock.h"

#define TOTAL (512u * 1024u)
#define LINE 32u

struct locked {
    struct locked *next;
    void *address;
    unsigned int size;
    bool own; /* allocated here */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct locked *all;
static unsigned int used;

static bool keep(void *address, unsigned int size, bool own)
{
    struct locked *locked = malloc(sizeof *locked);
    if (locked == NULL) {
        return false;
    }
    pthread_mutex_lock(&lock);
    bool fits = size <= TOTAL - used;
    if (fits) {
        *locked = (struct locked){all, address, size, own};
        all = locked;
        used += size;
    }
    pthread_mutex_unlock(&lock);
    if (!fits) {
        free(locked);
    }
    return fits;
}

static int drop(void *address, bool own)
{
    struct locked *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct locked **at = &all; *at != NULL; at = &(*at)->next) {
        if ((*at)->address == address && (*at)->own == own) {
            found = *at;
            *at = found->next;
            used -= found->size;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    if (found == NULL) {
        return AEE_EBADPARM;
    }
    if (own) {
        free(address);
    }
    free(found);
    return AEE_SUCCESS;
}

void *HAP_cache_lock(unsigned int size, unsigned long long *paddr_ptr)
{
    if (paddr_ptr != NULL) {
        *paddr_ptr = 0;
    }
    if (size == 0 || size > TOTAL) {
        return NULL;
    }
    unsigned int whole = (size + LINE - 1) / LINE * LINE;
    void *address = memalign(4096, whole);
    if (address == NULL || !keep(address, whole, true)) {
        free(address);
        return NULL;
    }
    if (paddr_ptr != NULL) {
        *paddr_ptr = (uintptr_t)address; /* no emulated device uses physical addresses */
    }
    return address;
}

int HAP_cache_unlock(void *vaddr_ptr)
{
    return drop(vaddr_ptr, true);
}

int HAP_cache_lock_addr(void *vaddr_ptr, unsigned int size)
{
    if (vaddr_ptr == NULL || (uintptr_t)vaddr_ptr % LINE != 0 || size == 0 || size % LINE != 0) {
        return AEE_EBADPARM;
    }
    return keep(vaddr_ptr, size, false) ? AEE_SUCCESS : AEE_ENOMEMORY;
}

int HAP_cache_unlock_addr(void *vaddr_ptr)
{
    return drop(vaddr_ptr, false);
}

int HAP_query_avail_cachelock(void)
{
    return (int)(TOTAL - used);
}

int HAP_query_total_cachelock(void)
{
    return (int)used;
}

const struct shell_symbol hap_cache_symbols[] = {
    EXPORT(HAP_cache_lock),
    EXPORT(HAP_cache_unlock),
    EXPORT(HAP_cache_lock_addr),
    EXPORT(HAP_cache_unlock_addr),
    EXPORT(HAP_query_avail_cachelock),
    EXPORT(HAP_query_total_cachelock),
    EXPORT_END,
};
