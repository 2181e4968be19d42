/* memory.c: buffers of the ARM64 side by descriptor, the heap, and cache locking. */
#include "cases.h"
#include "HAP_mem.h"
#include "qurt.h"
#include "sysmon_cachelock.h"

int adsp_mmap_fd_getinfo(int, uint32_t *);

/* fd, length, offset: returns the first int, and changes it. */
static int map_and_change(const int32_t *in, int32_t *out)
{
    int *ints = HAP_mmap(NULL, in[1], HAP_PROT_READ | HAP_PROT_WRITE, 0, in[0], in[2]);
    if (ints == (void *)-1) {
        return AEE_EMMAP;
    }
    out[0] = ints[0];
    ints[0] = in[3];
    return HAP_munmap(ints, in[1]);
}

static int get_and_put(const int32_t *in, int32_t *out)
{
    void *first = NULL, *second = NULL;
    uint64 physical = 0;
    int code = HAP_mmap_get(in[0], &first, &physical);
    if (code != 0) {
        return code;
    }
    EQUAL(HAP_mmap_get(in[0], &second, NULL), 0);
    CHECK(first == second);
    out[0] = *(int *)first;
    EQUAL(HAP_mmap_put(in[0]), 0);
    EQUAL(HAP_mmap_put(in[0]), 0);
    CHECK(HAP_mmap_put(in[0]) != 0);
    return 0;
}

static int mappings_count(const int32_t *in, int32_t *out)
{
    char *first = HAP_mmap(NULL, in[1], HAP_PROT_READ | HAP_PROT_WRITE, 0, in[0], 0);
    char *again = HAP_mmap2(NULL, (size_t)in[1], HAP_PROT_READ | HAP_PROT_WRITE, 0, in[0], 0);
    uint32_t length = 0;
    (void)out;
    CHECK(first != (void *)-1);
    CHECK(first == again);
    EQUAL(HAP_munmap(first, in[1]), 0);
    first[in[1] - 1] = 3; /* still there */
    EQUAL(HAP_munmap2(first, (size_t)in[1]), 0);
    EQUAL(HAP_munmap(first, in[1]), AEE_ENOSUCHMAP);
    EQUAL(adsp_mmap_fd_getinfo(in[0], &length), 0);
    EQUAL(length, in[1]);
    CHECK(adsp_mmap_fd_getinfo(12345, &length) != 0);
    return 0;
}

static int bad_mappings(const int32_t *in, int32_t *out)
{
    int fd = in[0], both = HAP_PROT_READ | HAP_PROT_WRITE;
    (void)out;
    CHECK(HAP_mmap((void *)65536, 4096, both, 0, fd, 0) == (void *)-1);
    CHECK(HAP_mmap(NULL, 0, both, 0, fd, 0) == (void *)-1);
    CHECK(HAP_mmap(NULL, -1, both, 0, fd, 0) == (void *)-1);
    CHECK(HAP_mmap(NULL, in[1] + 4096, both, 0, fd, 0) == (void *)-1);
    CHECK(HAP_mmap(NULL, 4096, both, 0, fd, 100) == (void *)-1);
    CHECK(HAP_mmap(NULL, 4096, HAP_PROT_EXEC, 0, fd, 0) == (void *)-1);
    CHECK(HAP_mmap(NULL, 4096, both, 0, 12345, 0) == (void *)-1);
    CHECK(HAP_mmap_get(12345, NULL, NULL) != 0);
    return 0;
}

static int by_request(const int32_t *in, int32_t *out)
{
    HAP_mem_req_payload_t request = {.request_id = HAP_MEM_MAP,
                                     .mmap = {.len = (uint64_t)in[1],
                                              .prot = HAP_PROT_READ | HAP_MEM_CACHE_NON_SHARED,
                                              .flags = HAP_MEM_FLAGS_EXTENDED_MAP,
                                              .fd = in[0]}};
    CHECK(HAP_mem_request != NULL);
    EQUAL(HAP_mem_request(&request), 0);
    uint64_t address = request.mmap.dsp_va;
    out[0] = *(int *)(uintptr_t)address;
    request = (HAP_mem_req_payload_t){.request_id = HAP_MEM_UNMAP,
                                      .munmap = {address, (uint64_t)in[1]}};
    EQUAL(HAP_mem_request(&request), 0);
    request.request_id = HAP_RESERVE_VA;
    EQUAL(HAP_mem_request(&request), AEE_EUNSUPPORTED);
    return 0;
}

static int heap(const int32_t *in, int32_t *out)
{
    struct HAP_mem_stats before, with, after;
    void *block = NULL;
    (void)in;
    (void)out;
    EQUAL(HAP_mem_set_grow_size(65536, 1 << 20), 0);
    EQUAL(HAP_mem_get_stats(&before), 0);
    EQUAL(HAP_malloc(100000, &block), 0);
    memset(block, 1, 100000);
    block = realloc(block, 200000);
    EQUAL(((char *)block)[99999], 1);
    EQUAL(HAP_mem_get_stats(&with), 0);
    CHECK(with.bytes_used >= before.bytes_used + 200000);
    EQUAL(HAP_free(block), 0);
    EQUAL(HAP_free(NULL), AEE_EBADCLASS);
    EQUAL(HAP_mem_get_stats(&after), 0);
    EQUAL(after.bytes_used, before.bytes_used);
    EQUAL(after.min_grow_bytes, 65536);
    void *aligned = memalign(128, 1000);
    EQUAL((uintptr_t)aligned % 128, 0);
    free(aligned);
    CHECK(qurt_calloc(10, 10) != NULL);
    return 0;
}

static int cache(const int32_t *in, int32_t *out)
{
    static char lines[128] __attribute__((aligned(32)));
    unsigned long long physical = 0;
    int free_now = HAP_query_avail_cachelock();
    (void)in;
    (void)out;
    char *locked = HAP_cache_lock(5000, &physical);
    CHECK(locked != NULL && physical != 0);
    memset(locked, 1, 5000);
    EQUAL(HAP_query_avail_cachelock(), free_now - 5024);
    EQUAL(HAP_query_total_cachelock(), 5024);
    CHECK(HAP_cache_lock((unsigned int)free_now, NULL) == NULL);
    EQUAL(HAP_cache_unlock(locked), 0);
    CHECK(HAP_cache_unlock(locked) != 0);
    EQUAL(HAP_cache_lock_addr(lines, 128), 0);
    CHECK(HAP_cache_lock_addr(lines + 1, 32) != 0);
    EQUAL(HAP_cache_unlock_addr(lines), 0);
    EQUAL(HAP_query_avail_cachelock(), free_now);
    qurt_addr_t at = (qurt_addr_t)(uintptr_t)lines;
    EQUAL(qurt_mem_cache_clean(at, 128, QURT_MEM_CACHE_FLUSH, QURT_MEM_DCACHE), QURT_EOK);
    EQUAL(qurt_mem_cache_clean(at, 128, QURT_MEM_CACHE_FLUSH_ALL, QURT_MEM_ICACHE), QURT_EVAL);
    return 0;
}

const struct named_case cases[] = {
    CASE(map_and_change), CASE(get_and_put), CASE(mappings_count), CASE(bad_mappings),
    CASE(by_request),     CASE(heap),        CASE(cache),          {NULL, NULL},
};
