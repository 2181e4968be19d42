/* hap_mem.c: statistics of the heap, and access to buffers of the ARM side by descriptor.
 *
 * A skel can access a buffer in two ways, as on a DSP. HAP_mmap uses the mapping that the client
 * created with fastrpc_mmap(FASTRPC_MAP_FD), and creates another one if there is none. HAP_mmap_get
 * returns the client's mapping or that of HAP_mmap, and fails without either. Both count references,
 * which HAP_munmap and HAP_mmap_put drop. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "AEEStdErr.h"
#include "HAP_mem.h"
#include "heap.h"
#include "runtime.h"

#define PAGE 4096u
#define FAILED ((void *)-1)

struct mapping {
    struct mapping *next;
    int fd;
    uint8_t *address;
    size_t length;
    long offset;
    unsigned references;
    unsigned gets; /* the references of HAP_mmap_get */
    bool clients;  /* the client's own mapping, held by shell_fd_get */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mapping *mappings;
static uint64 grow_min;

/* ---- mapping by descriptor ---- */

static struct mapping *find(int fd, size_t length, long offset)
{
    for (struct mapping *at = mappings; at != NULL; at = at->next) {
        if (at->fd == fd && at->offset == offset && at->length >= length) {
            return at;
        }
    }
    return NULL;
}

/* Maps the buffer and sets mapping->address. Returns a code. The caller holds the lock. */
static int make(struct mapping *mapping, int prot)
{
    void *address = NULL;
    uint64_t size = 0;
    if (shell_fd_get(mapping->fd, &address, &size) == AEE_SUCCESS) {
        mapping->clients = true;
        mapping->address = (uint8_t *)address + mapping->offset;
        if ((uint64_t)mapping->offset + mapping->length <= size) {
            return AEE_SUCCESS;
        }
        shell_fd_put(mapping->fd);
        return AEE_EBADPARM;
    }
    int wanted = (prot & HAP_PROT_READ ? PROT_READ : 0) | (prot & HAP_PROT_WRITE ? PROT_WRITE : 0);
    int code = shell_fd_map(mapping->fd, (uint64_t)mapping->offset, mapping->length, wanted,
                            &address);
    mapping->address = address;
    return code;
}

static const char *objection(const void *addr, size_t len, int prot, long offset)
{
    return addr != NULL                             ? "the address must be NULL"
           : len == 0                               ? "the length is 0"
           : prot & HAP_PROT_EXEC                   ? "HAP_PROT_EXEC is not supported"
           : offset < 0 || offset % (long)PAGE != 0 ? "the offset is not a multiple of 4096"
                                                    : NULL;
}

void *HAP_mmap2(void *addr, size_t len, int prot, int flags, int fd, long offset)
{
    (void)flags;
    const char *wrong = objection(addr, len, prot, offset);
    if (wrong != NULL) {
        shell_logf(SHELL_ERROR, "HAP_mmap of descriptor %d: %s", fd, wrong);
        return FAILED;
    }
    pthread_mutex_lock(&lock);
    struct mapping *mapping = find(fd, len, offset);
    int code = AEE_SUCCESS;
    if (mapping == NULL) {
        mapping = calloc(1, sizeof *mapping);
        if (mapping != NULL) {
            *mapping = (struct mapping){.fd = fd, .length = len, .offset = offset};
            code = make(mapping, prot);
        }
        if (mapping != NULL && code == AEE_SUCCESS) {
            mapping->next = mappings;
            mappings = mapping;
        } else {
            free(mapping);
            mapping = NULL;
        }
    }
    void *address = FAILED;
    if (mapping != NULL) {
        mapping->references++;
        address = mapping->address;
    }
    pthread_mutex_unlock(&lock);
    if (address == FAILED) {
        shell_logf(SHELL_ERROR,
                   "HAP_mmap of descriptor %d, %zu bytes at %ld: 0x%x; the client must map it "
                   "with fastrpc_mmap, or pass it as a dma handle",
                   fd, len, offset, (unsigned)code);
    }
    return address;
}

void *mapped_address(int client_fd)
{
    pthread_mutex_lock(&lock);
    const struct mapping *mapping = find(client_fd, 0, 0);
    void *address = mapping == NULL ? NULL : mapping->address;
    pthread_mutex_unlock(&lock);
    return address;
}

void *HAP_mmap(void *addr, int len, int prot, int flags, int fd, long offset)
{
    return HAP_mmap2(addr, len < 0 ? 0 : (size_t)len, prot, flags, fd, offset);
}

/* Drops a reference of the mapping that *at points to. Dropping the last one removes it. The caller
 * holds the lock. */
static int drop(struct mapping **at)
{
    struct mapping *mapping = *at;
    if (--mapping->references > 0) {
        return AEE_SUCCESS;
    }
    *at = mapping->next;
    int code = mapping->clients ? shell_fd_put(mapping->fd)
                                : shell_fd_unmap(mapping->address, mapping->length);
    free(mapping);
    return code;
}

int HAP_munmap2(void *addr, size_t len)
{
    int code = AEE_ENOSUCHMAP;
    (void)len;
    pthread_mutex_lock(&lock);
    struct mapping **at = &mappings;
    while (*at != NULL && ((*at)->address != addr || (*at)->references == (*at)->gets)) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        code = drop(at);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int HAP_munmap(void *addr, int len)
{
    return HAP_munmap2(addr, (size_t)len);
}

/* Adds a reference to a mapping of HAP_mmap. Returns its address, or NULL. */
static void *get_mapped(int fd)
{
    void *address = NULL;
    pthread_mutex_lock(&lock);
    struct mapping *mapping = mappings;
    while (mapping != NULL && mapping->fd != fd) {
        mapping = mapping->next;
    }
    if (mapping != NULL) {
        mapping->references++;
        mapping->gets++;
        address = mapping->address;
    }
    pthread_mutex_unlock(&lock);
    return address;
}

int HAP_mmap_get(int fd, void **vaddr, uint64 *paddr)
{
    void *address = NULL;
    uint64_t size = 0;
    int code = shell_fd_get(fd, &address, &size);
    if (code != AEE_SUCCESS) {
        address = get_mapped(fd);
    }
    if (address == NULL) {
        return code;
    }
    if (vaddr != NULL) {
        *vaddr = address;
    }
    if (paddr != NULL) {
        *paddr = (uintptr_t)address; /* no emulated device uses physical addresses */
    }
    return AEE_SUCCESS;
}

int HAP_mmap_put(int fd)
{
    pthread_mutex_lock(&lock);
    struct mapping **at = &mappings;
    while (*at != NULL && ((*at)->fd != fd || (*at)->gets == 0)) {
        at = &(*at)->next;
    }
    bool found = *at != NULL;
    int code = AEE_SUCCESS;
    if (found) {
        (*at)->gets--;
        code = drop(at);
    }
    pthread_mutex_unlock(&lock);
    return found ? code : shell_fd_put(fd);
}

/* Stores the length of a dma handle's buffer. Generated skels call it. */
int adsp_mmap_fd_getinfo(int fd, uint32_t *length);
int adsp_mmap_fd_getinfo(int fd, uint32_t *length)
{
    uint64_t size = 0;
    int code = shell_fd_size(fd, &size);
    if (code == AEE_SUCCESS && length != NULL) {
        *length = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
    }
    return code;
}

int HAP_mem_request(HAP_mem_req_payload_t *mem_payload)
{
    if (mem_payload == NULL) {
        return AEE_EBADPARM;
    }
    if (mem_payload->request_id == HAP_MEM_MAP && mem_payload->mmap.addr == 0) {
        HAP_mem_map_t *map = &mem_payload->mmap;
        void *address = HAP_mmap2(NULL, (size_t)map->len, map->prot, map->flags, map->fd,
                                  (long)map->dsp_pa);
        map->dsp_va = address == FAILED ? 0 : (uintptr_t)address;
        return address == FAILED ? AEE_EMMAP : AEE_SUCCESS;
    }
    if (mem_payload->request_id == HAP_MEM_UNMAP) {
        return HAP_munmap2((void *)(uintptr_t)mem_payload->munmap.dsp_va,
                           (size_t)mem_payload->munmap.len);
    }
    REFUSE_ONCE("HAP_mem_request: request %d is not emulated: only HAP_MEM_MAP without an address "
                "and HAP_MEM_UNMAP are",
                (int)mem_payload->request_id);
    return AEE_EUNSUPPORTED;
}

/* ---- heap ---- */

int HAP_mem_get_stats(struct HAP_mem_stats *stats)
{
    if (stats == NULL) {
        return AEE_EBADPARM;
    }
    *stats = (struct HAP_mem_stats){
        .bytes_used = heap_used(), .seg_used = 1, .min_grow_bytes = grow_min};
    return AEE_SUCCESS;
}

/* Has no effect on how the heap grows. The value is stored for HAP_mem_get_stats. */
int HAP_mem_set_grow_size(uint64 min, uint64 max)
{
    if (max != 0 && min > max) {
        return AEE_EBADPARM;
    }
    grow_min = min;
    return AEE_SUCCESS;
}

int HAP_mem_set_heap_thresholds(unsigned int low_largest_block_size,
                                unsigned int high_largest_block_size)
{
    return low_largest_block_size > high_largest_block_size ? AEE_EBADPARM : AEE_SUCCESS;
}

const struct shell_symbol hap_mem_symbols[] = {
    EXPORT(HAP_mmap),
    EXPORT(HAP_mmap2),
    EXPORT(HAP_munmap),
    EXPORT(HAP_munmap2),
    EXPORT(HAP_mmap_get),
    EXPORT(HAP_mmap_put),
    EXPORT(adsp_mmap_fd_getinfo),
    EXPORT(HAP_mem_request),
    EXPORT(HAP_mem_get_stats),
    EXPORT(HAP_mem_set_grow_size),
    EXPORT(HAP_mem_set_heap_thresholds),
    EXPORT_AS("HAP_mem_available_stack", thread_stack_left),
    EXPORT_END,
};
