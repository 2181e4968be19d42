/* link.c: maps the segments of a skel. */
#include "link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "module_list.h"
#include "profile.h"
#include "releases.h"
#include "relocate.h"
#include "saved_code.h"
#include "translate/translate.h"

/* Returns the link-time address, possibly below 0, where the first page of `size` bytes begins.
 *
 * The pages of qemu-hexagon have 64 KiB, and most skels fit into one. A page begins where the data
 * begins, so that no code is in the page of the data: writes to code and jumps to data fault, as
 * they do on a DSP. */
static int64_t first_page(const struct image *image, uint32_t size)
{
    uint32_t data = UINT32_MAX;
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        if ((segment->flags & PF_W) != 0 && segment->address < data) {
            data = segment->address & ~(IMAGE_PAGE - 1);
        }
    }
    const uint32_t boundary = data == UINT32_MAX || image->alignment > IMAGE_PAGE ? 0 : data;
    return (int64_t)image->low - ((image->low - boundary) & (size - 1));
}

/* `place`: where the memory should be, or NULL; the thunks of such an image are known. */
static int map(const struct image *image, struct functions *functions, struct link_memory *memory,
               void *place, char *reason, size_t room)
{
    uint32_t alignment = (uint32_t)sysconf(_SC_PAGESIZE);
    alignment = image->alignment > alignment ? image->alignment : alignment;
    const int64_t first = first_page(image, alignment);
    size_t span = (size_t)(image->high - first);
    if (place == NULL) {
        translate_find(image, functions, memory);
    }
    span = (span + alignment - 1) & ~(size_t)(alignment - 1);
    memory->mapping_size = memory->veneers_size + span + memory->thunks_size + alignment;
    void *mapping = mmap(place, memory->mapping_size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) {
        free(memory->thunk_origins);
        snprintf(reason, room, "needs %zu bytes of memory, which the DSP process does not have",
                 span);
        return AEE_ENOMEMORY;
    }
    memory->mapping = mapping;
    uintptr_t start = (uintptr_t)mapping + memory->veneers_size;
    uintptr_t misfit = start & (alignment - 1);
    start += misfit == 0 ? 0 : alignment - misfit;
    memory->thunks = (uint8_t *)start + span;
    memory->veneers[0] = (uint8_t *)start - memory->veneers_size;
    memory->veneers[1] = memory->thunks;
    memory->base = (uint8_t *)(start - (uintptr_t)first);
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        memcpy(memory->base + segment->address, image->bytes + segment->file_offset,
               segment->file_size);
    }
    return AEE_SUCCESS;
}

/* Returns the protection of a page. A page that two segments share has the rights of both. */
static int page_rights(const struct image *image, int64_t page, uint32_t page_size)
{
    uint32_t flags = 0;
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        if (segment->address < page + page_size &&
            page < (int64_t)segment->address + segment->memory_size) {
            flags |= segment->flags;
        }
    }
    return ((flags & PF_R) != 0 ? PROT_READ : 0) | ((flags & PF_W) != 0 ? PROT_WRITE : 0) |
           ((flags & PF_X) != 0 ? PROT_EXEC : 0);
}

static void protect(const struct image *image, const struct link_memory *memory)
{
    const uint32_t page_size = (uint32_t)sysconf(_SC_PAGESIZE);
    int64_t from = first_page(image, page_size);
    int rights = page_rights(image, from, page_size);
    for (int64_t page = from + page_size; from < image->high; page += page_size) {
        int next = page < image->high ? page_rights(image, page, page_size) : -1;
        if (next != rights) {
            /* Two segments can share a page. NOLINTNEXTLINE(clang-analyzer-security.MmapWriteExec) */
            mprotect(memory->base + from, (size_t)(page - from), rights);
            from = page;
            rights = next;
        }
    }
}

static void patch(const struct image *image, struct functions *functions,
                  struct link_memory *memory, struct saved_code *saved, const char *name)
{
    saved_code_note(image, memory, saved);
    const bool whole = translate_patch(image, functions, memory, name);
    releases_patch(image, functions, memory);
    if (whole) {
        saved_code_keep(image, memory, saved);
    }
}

static int load(const struct image *image, struct functions *functions, struct module *module,
                struct link_memory *memory, struct saved_code *saved, char *reason, size_t room)
{
    int code = map(image, functions, memory, saved->mapping, reason, room);
    if (code != AEE_SUCCESS) {
        return code;
    }
    code = relocate_image(image, module, memory->base, reason, room);
    if (code != AEE_SUCCESS) {
        link_unmap(memory);
        return code;
    }
    if (saved->mapping == NULL) {
        patch(image, functions, memory, saved, module_name(module));
    } else if (!saved_code_use(image, memory, saved)) {
        link_unmap(memory);
        memset(memory, 0, sizeof *memory);
        saved->mapping = NULL;
        return load(image, functions, module, memory, saved, reason, room);
    }
    translate_protect(memory);
    protect(image, memory);
    return AEE_SUCCESS;
}

int link_image(const struct image *image, struct module *module, struct link_memory *memory,
               char *reason, size_t room)
{
    memset(memory, 0, sizeof *memory);
    struct functions functions = {NULL, 0, 0, false};
    struct saved_code saved;
    saved_code_find(image, memory, &saved);
    const int code = load(image, &functions, module, memory, &saved, reason, room);
    saved_code_end(&saved);
    functions_free(&functions);
    return code;
}
void link_unmap(struct link_memory *memory)
{
    if (memory->mapping != NULL) {
        if (!profile_keeps_addresses() ||
            mmap(memory->mapping, memory->mapping_size, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
            munmap(memory->mapping, memory->mapping_size);
        }
        free(memory->thunk_origins);
        memory->mapping = NULL;
    }
}
