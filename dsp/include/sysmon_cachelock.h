/* sysmon_cachelock.h: memory locked into the DSP's L2 cache.
 *
 * The interface is that documented for the Hexagon SDK (L2 cache locking manager). */
#ifndef SYSMON_CACHELOCK_H_
#define SYSMON_CACHELOCK_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates and locks `size` bytes. Returns NULL when they are not free. */
void *HAP_cache_lock(unsigned int size, unsigned long long *paddr_ptr);
int HAP_cache_unlock(void *vaddr_ptr);

/* Locks memory of the caller. Address and size are multiples of 32. */
int HAP_cache_lock_addr(void *vaddr_ptr, unsigned int size);
int HAP_cache_unlock_addr(void *vaddr_ptr);

/* Return the available and the total bytes, or -1. */
int HAP_query_avail_cachelock(void);
int HAP_query_total_cachelock(void);

#ifdef __cplusplus
}
#endif

#endif
