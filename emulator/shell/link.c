/* link.c: maps the segments of a skel and applies its relocations.
 *
 * The numbers of the relocation types are those of the Hexagon ABI. LLVM's ELFRelocs/Hexagon.def
 * lists them. */
#include "link.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "AEEStdErr.h"

enum {
    HEX_NONE = 0,
    HEX_32 = 6,
    HEX_GLOB_DAT = 33,
    HEX_JMP_SLOT = 34,
    HEX_RELATIVE = 35,
};

#define NAMES_MAX 12 /* maximum number of undefined names in a message */

struct linking {
    const struct image *image;
    link_resolver resolver;
    void *context;
    uint8_t *base;
    uint32_t undefined;
    char names[1024];
};

/* Adds an undefined name to the list, once even if several relocations use it. */
static void undefined_note(struct linking *linking, const char *name)
{
    size_t used = strlen(linking->names);
    size_t length = strlen(name);
    for (const char *at = linking->names; (at = strstr(at, name)) != NULL; at++) {
        int starts = at == linking->names || at[-1] == ' ';
        if (starts && (at[length] == ',' || at[length] == 0)) {
            return;
        }
    }
    if (linking->undefined++ < NAMES_MAX && used + length + 3 < sizeof linking->names) {
        snprintf(linking->names + used, sizeof linking->names - used, "%s%s", used == 0 ? "" : ", ",
                 name);
    }
}

static int symbol_value(struct linking *linking, uint32_t index, uint32_t *value, char *reason,
                        size_t room)
{
    const struct image *image = linking->image;
    *value = 0;
    if (index == 0) {
        return AEE_SUCCESS;
    }
    if (index >= image->symbol_count) {
        snprintf(reason, room, "has a relocation that refers to symbol %u of %u", (unsigned)index,
                 (unsigned)image->symbol_count);
        return AEE_EBADELF;
    }
    Elf32_Sym symbol;
    image_symbol(image, index, &symbol);
    const char *name = image_symbol_name(image, &symbol);
    if (ELF32_ST_TYPE(symbol.st_info) == STT_TLS) {
        snprintf(reason, room, "uses the thread-local variable %.200s", name);
        return AEE_EUNABLETOLOAD;
    }
    if (symbol.st_shndx == SHN_ABS) {
        *value = symbol.st_value;
    } else if (symbol.st_shndx != SHN_UNDEF) {
        *value = (uint32_t)(uintptr_t)(linking->base + symbol.st_value);
    } else {
        void *found = linking->resolver(linking->context, name);
        *value = (uint32_t)(uintptr_t)found;
        if (found == NULL && ELF32_ST_BIND(symbol.st_info) != STB_WEAK) {
            undefined_note(linking, name);
        }
    }
    return AEE_SUCCESS;
}

static int relocate(struct linking *linking, const Elf32_Rela *entry, char *reason, size_t room)
{
    uint32_t type = ELF32_R_TYPE(entry->r_info);
    if (type == HEX_NONE) {
        return AEE_SUCCESS;
    }
    if (type != HEX_32 && type != HEX_GLOB_DAT && type != HEX_JMP_SLOT && type != HEX_RELATIVE) {
        snprintf(reason, room,
                 "has a relocation of type %u: compile with -fPIC, without "
                 "thread-local variables",
                 (unsigned)type);
        return AEE_EBADELF;
    }
    if (!image_holds(linking->image, entry->r_offset, 4, 0)) {
        snprintf(reason, room, "has a relocation of address 0x%x, which is in no segment",
                 (unsigned)entry->r_offset);
        return AEE_EBADELF;
    }
    uint32_t value = (uint32_t)(uintptr_t)linking->base;
    if (type != HEX_RELATIVE) {
        int code = symbol_value(linking, ELF32_R_SYM(entry->r_info), &value, reason, room);
        if (code != AEE_SUCCESS) {
            return code;
        }
    }
    value += (uint32_t)entry->r_addend;
    memcpy(linking->base + entry->r_offset, &value, sizeof value);
    return AEE_SUCCESS;
}

static int relocate_all(struct linking *linking, char *reason, size_t room)
{
    for (int table = 0; table < 2; table++) {
        for (uint32_t i = 0; i < linking->image->relocation_count[table]; i++) {
            Elf32_Rela entry;
            memcpy(&entry, linking->image->relocations[table] + i * sizeof entry, sizeof entry);
            int code = relocate(linking, &entry, reason, room);
            if (code != AEE_SUCCESS) {
                return code;
            }
        }
    }
    if (linking->undefined > 0) {
        snprintf(reason, room, "needs %u name%s that this DSP shell does not have: %s%s",
                 (unsigned)linking->undefined, linking->undefined == 1 ? "" : "s", linking->names,
                 linking->undefined > NAMES_MAX ? ", ..." : "");
        return AEE_EUNABLETOLOAD;
    }
    return AEE_SUCCESS;
}

static int map(const struct image *image, struct link_memory *memory, char *reason, size_t room)
{
    /* Align the base so that pages of the emulator begin at link-time page boundaries. */
    uint32_t alignment = (uint32_t)sysconf(_SC_PAGESIZE);
    alignment = image->alignment > alignment ? image->alignment : alignment;
    size_t span = image->high - (image->low & ~(alignment - 1));
    memory->mapping_size = ((span + alignment - 1) & ~(size_t)(alignment - 1)) + alignment;
    void *mapping = mmap(NULL, memory->mapping_size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) {
        snprintf(reason, room, "needs %zu bytes of memory, which the DSP process does not have",
                 span);
        return AEE_ENOMEMORY;
    }
    memory->mapping = mapping;
    uintptr_t start = (uintptr_t)mapping;
    uintptr_t misfit = start & (alignment - 1);
    start += misfit == 0 ? 0 : alignment - misfit;
    memory->base = (uint8_t *)(start - (image->low & ~(alignment - 1)));
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        memcpy(memory->base + segment->address, image->bytes + segment->file_offset,
               segment->file_size);
    }
    return AEE_SUCCESS;
}

/* Returns the protection of a page. A page that two segments share has the rights of both. The
 * pages of qemu-hexagon have 64 KiB, so most skels fit into one page, and writes into their code
 * are not detected. */
static int page_rights(const struct image *image, uint32_t page, uint32_t page_size)
{
    uint32_t flags = 0;
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        if (segment->address < page + page_size && page < segment->address + segment->memory_size) {
            flags |= segment->flags;
        }
    }
    return ((flags & PF_R) != 0 ? PROT_READ : 0) | ((flags & PF_W) != 0 ? PROT_WRITE : 0) |
           ((flags & PF_X) != 0 ? PROT_EXEC : 0);
}

static void protect(const struct image *image, const struct link_memory *memory)
{
    const uint32_t page_size = (uint32_t)sysconf(_SC_PAGESIZE);
    const uint32_t low = image->low & ~(page_size - 1);
    uint32_t from = low;
    int rights = page_rights(image, from, page_size);
    for (uint32_t page = low + page_size; from < image->high; page += page_size) {
        int next = page < image->high ? page_rights(image, page, page_size) : -1;
        if (next != rights) {
            mprotect(memory->base + from, page - from, rights);
            from = page;
            rights = next;
        }
    }
}

int link_image(const struct image *image, link_resolver resolver, void *context,
               struct link_memory *memory, char *reason, size_t room)
{
    memset(memory, 0, sizeof *memory);
    int code = map(image, memory, reason, room);
    if (code != AEE_SUCCESS) {
        return code;
    }
    struct linking linking = {
        .image = image, .resolver = resolver, .context = context, .base = memory->base};
    code = relocate_all(&linking, reason, room);
    if (code != AEE_SUCCESS) {
        link_unmap(memory);
        return code;
    }
    protect(image, memory);
    return AEE_SUCCESS;
}

void link_unmap(struct link_memory *memory)
{
    if (memory->mapping != NULL) {
        munmap(memory->mapping, memory->mapping_size);
        memory->mapping = NULL;
    }
}
