/* qurt_region.c: QuRT's memory regions, and mappings of memory.
 *
 * A process of an unsigned module may reserve memory, and may not map physical addresses. Physical
 * addresses are equal to virtual ones here. The types are those of qurt_types.h in the Hexagon
 * SDK. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qurt_error.h"
#include "unsupported.h"

#define PAGE 4096u
#define ANY 0xffffffffu
#define CACHE_WRITEBACK 7u
#define PERMISSIONS_FULL 7u

enum { MAPPING_VIRTUAL = 0, MAPPING_CONTIGUOUS = 1, MAPPING_IDEMPOTENT = 2, MAPPING_FIXED = 3 };

struct attributes { /* qurt_mem_region_attr_t */
    uint32_t mapping;
    uint8_t permissions;
    uint16_t owner;
    uint32_t page_attributes;
    uint32_t physical_page;
    uint32_t address;
    uint32_t type;
    uint32_t size;
};
_Static_assert(sizeof(struct attributes) == 28, "qurt_mem_region_attr_t");

struct region {
    struct region *next;
    struct attributes attributes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct region *regions;
static uint32_t default_pool = 1; /* qurt_mem_default_pool; the only pool has the handle 1 */

static int pool_attach(const char *name, uint32_t *pool)
{
    if (name == NULL || pool == NULL) {
        return QURT_EINVALID;
    }
    if (strcmp(name, "DEFAULT_PHYSPOOL") != 0) {
        shell_logf(SHELL_ERROR, "qurt_mem_pool_attach: there is no pool %.32s", name);
        return QURT_EINVALID;
    }
    *pool = default_pool;
    return QURT_EOK;
}

static void attributes_init(struct attributes *attributes)
{
    *attributes = (struct attributes){.mapping = MAPPING_VIRTUAL,
                                      .permissions = PERMISSIONS_FULL,
                                      .page_attributes = CACHE_WRITEBACK,
                                      .physical_page = ANY,
                                      .address = ANY};
}

static void attributes_set_permissions(struct attributes *attributes, unsigned permissions)
{
    attributes->permissions = (uint8_t)permissions;
}

static int create(struct region **created, uint32_t size, uint32_t pool,
                  const struct attributes *wanted)
{
    struct attributes attributes;
    attributes_init(&attributes);
    attributes = wanted == NULL ? attributes : *wanted;
    if (created == NULL || size == 0 || pool != default_pool) {
        return QURT_EINVALID;
    }
    if (attributes.mapping >= MAPPING_CONTIGUOUS && attributes.mapping <= MAPPING_FIXED &&
        attributes.physical_page != ANY) {
        REFUSE_ONCE("qurt_mem_region_create: physical memory cannot be mapped");
        return QURT_EMEM;
    }
    attributes.size = (size + PAGE - 1) & ~(PAGE - 1);
    struct region *region = calloc(1, sizeof *region);
    void *memory = region == NULL || attributes.size < size
                       ? MAP_FAILED
                       : mmap(NULL, attributes.size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        free(region);
        return QURT_EMEM;
    }
    attributes.address = (uint32_t)(uintptr_t)memory;
    attributes.physical_page = attributes.address / PAGE;
    region->attributes = attributes;
    pthread_mutex_lock(&lock);
    region->next = regions;
    regions = region;
    pthread_mutex_unlock(&lock);
    *created = region;
    return QURT_EOK;
}

/* Returns where the list refers to a region, or to NULL at its end. The caller holds the lock. */
static struct region **place_of(const struct region *wanted)
{
    struct region **at = &regions;
    while (*at != NULL && *at != wanted) {
        at = &(*at)->next;
    }
    return at;
}

static int delete(const struct region *wanted)
{
    pthread_mutex_lock(&lock);
    struct region **at = place_of(wanted);
    struct region *region = *at;
    if (region != NULL) {
        *at = region->next;
        munmap((void *)(uintptr_t)region->attributes.address, region->attributes.size);
        free(region);
    }
    pthread_mutex_unlock(&lock);
    return region == NULL ? QURT_ENOTALLOWED : QURT_EOK;
}

static int attributes_get(const struct region *wanted, struct attributes *attributes)
{
    pthread_mutex_lock(&lock);
    const struct region *region = *place_of(wanted);
    if (region != NULL) {
        *attributes = region->attributes;
    }
    pthread_mutex_unlock(&lock);
    return region == NULL ? QURT_EINVALID : QURT_EOK;
}

/* ---- mappings ---- */

static void *map(int client, uint32_t pool, struct region **region, void *address, size_t length,
                 int protection, int flags, int fd, unsigned long long offset)
{
    (void)client;
    (void)pool;
    (void)region;
    (void)address;
    (void)flags;
    if (fd != -1 || offset != 0) {
        REFUSE_ONCE("qurt_mem_mmap: only anonymous memory can be mapped");
        return MAP_FAILED;
    }
    return mmap(NULL, length, protection & (PROT_READ | PROT_WRITE), MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
}

static int unmap(void *address, size_t length)
{
    return munmap(address, length) == 0 ? QURT_EOK : QURT_EFATAL;
}

/* The pages of qemu-hexagon have 64 KiB, so a part of one cannot be protected. */
static int protect(void *address, size_t length, int protection)
{
    return mprotect(address, length, protection & (PROT_READ | PROT_WRITE)) == 0 ? QURT_EOK
                                                                                 : QURT_EFATAL;
}

/* qemu checks what a program passes to write(). */
static bool is_mapped(uint32_t address)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool is = null >= 0 && write(null, (const void *)(uintptr_t)address, 1) == 1;
    close(null);
    return is;
}

/* Returns 0 for an address that is not mapped. */
static uint32_t physical(uint32_t address)
{
    return is_mapped(address) ? address : 0;
}

static uint64_t physical_64(uint32_t address)
{
    return physical(address);
}

static int nothing(void)
{
    return QURT_EOK;
}

/* QuRT documents that these fail in user processes. */
#define PRIVILEGED "only a privileged process can map physical memory; this"
/* clang-format off */
#define UNSUPPORTED_NAMES(X) \
    X(qurt_mapping_create, QURT_EMEM, PRIVILEGED) \
    X(qurt_mapping_create_64, QURT_EMEM, PRIVILEGED) \
    X(qurt_mapping_remove, QURT_EMEM, PRIVILEGED) \
    X(qurt_mapping_remove_64, QURT_EMEM, PRIVILEGED) \
    X(qurt_mem_pool_add_pages, QURT_EINVALID, PRIVILEGED) \
    X(qurt_mem_pool_remove_pages, QURT_EINVALID, PRIVILEGED) \
    X(qurt_mem_mmap_by_name, -1, PRIVILEGED)
/* clang-format on */
UNSUPPORTED_NAMES(UNSUPPORTED)

const struct shell_symbol qurt_region_symbols[] = {
    {"qurt_mem_default_pool", &default_pool},
    EXPORT_AS("qurt_mem_pool_attach", pool_attach),
    EXPORT_AS("qurt_mem_region_attr_init", attributes_init),
    EXPORT_AS("qurt_mem_region_attr_set_perms", attributes_set_permissions),
    EXPORT_AS("qurt_mem_region_attr_get", attributes_get),
    EXPORT_AS("qurt_mem_region_create", create),
    EXPORT_AS("qurt_mem_region_delete", delete),
    EXPORT_AS("qurt_mem_mmap", map),
    EXPORT_AS("qurt_mem_munmap", unmap),
    EXPORT_AS("qurt_mem_mprotect", protect),
    EXPORT_AS("qurt_lookup_physaddr", physical),
    EXPORT_AS("qurt_lookup_physaddr_64", physical_64),
    EXPORT_AS("qurt_mem_cache_phys_clean", nothing),
    UNSUPPORTED_NAMES(EXPORT_UNSUPPORTED) EXPORT_END,
};
