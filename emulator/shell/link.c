/* link.c: maps the segments of a skel and applies its relocations.
 *
 * The numbers of the relocation types are those of the Hexagon ABI. LLVM's ELFRelocs/Hexagon.def
 * lists them. */
#include "link.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "module_list.h"
#include "profile.h"
#include "releases.h"
#include "runtime/heap.h"
#include "unimplemented.h"
#include "translate/translate.h"

enum {
    HEX_NONE = 0,
    HEX_32 = 6,
    HEX_GLOB_DAT = 33,
    HEX_JMP_SLOT = 34,
    HEX_RELATIVE = 35,
    HEX_DTPMOD_32 = 44,
    HEX_DTPREL_32 = 47,
    HEX_TPREL_32 = 63,
};

#define NAMES_MAX 12 /* maximum number of undefined names in a message */

struct linking {
    const struct image *image;
    struct module *module;
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

/* What the symbol of a relocation stands for. Both parts of `tls` are 0 for a symbol that is not
 * thread-local. */
struct value {
    uint32_t address;
    uint32_t tls_module, tls_offset;
    bool is_tls;
};

/* The libc++ and libc++abi of devices and of the SDK call malloc by its plain name. Skels do not:
 * they are linked with --wrap, because no shell exports it. */
static void *plain_allocation(const struct linking *linking, const char *name)
{
    void *function = heap_plain(name);
    return function == NULL || module_is_skel(linking->module) ? NULL : function;
}

static int symbol_value(struct linking *linking, uint32_t index, struct value *value, char *reason,
                        size_t room)
{
    const struct image *image = linking->image;
    *value = (struct value){.tls_module = linking->module->tls};
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
    value->is_tls = ELF32_ST_TYPE(symbol.st_info) == STT_TLS;
    if (symbol.st_shndx == SHN_ABS) {
        value->address = symbol.st_value;
        return AEE_SUCCESS;
    }
    if (symbol.st_shndx != SHN_UNDEF) {
        value->tls_offset = symbol.st_value;
        value->address = (uint32_t)(uintptr_t)(linking->base + symbol.st_value);
        return AEE_SUCCESS;
    }
    struct module_symbol found = {.address = NULL};
    if (!module_resolve(linking->module, name, &found)) {
        found.address = plain_allocation(linking, name);
        if (found.address == NULL && ELF32_ST_BIND(symbol.st_info) != STB_WEAK) {
            found.address = unimplemented_find(name);
            if (found.address == NULL || value->is_tls) {
                undefined_note(linking, name);
            }
        }
    }
    value->address = (uint32_t)(uintptr_t)found.address;
    value->tls_module = found.tls;
    value->tls_offset = found.offset;
    return AEE_SUCCESS;
}

/* Computes the word that a relocation writes. */
static int word_of(struct linking *linking, const Elf32_Rela *entry, uint32_t *word, char *reason,
                   size_t room)
{
    uint32_t type = ELF32_R_TYPE(entry->r_info);
    if (type == HEX_RELATIVE) {
        *word = (uint32_t)(uintptr_t)linking->base + (uint32_t)entry->r_addend;
        return AEE_SUCCESS;
    }
    struct value value;
    int code = symbol_value(linking, ELF32_R_SYM(entry->r_info), &value, reason, room);
    if (code != AEE_SUCCESS) {
        return code;
    }
    if (type == HEX_DTPMOD_32) {
        *word = value.tls_module;
    } else if (type == HEX_DTPREL_32) {
        *word = value.tls_offset + (uint32_t)entry->r_addend;
    } else if (value.is_tls) {
        *word = 0; /* LLD makes PLT entries, which nothing uses, for thread-local variables */
    } else {
        *word = value.address + (uint32_t)entry->r_addend;
    }
    return AEE_SUCCESS;
}

static int relocate(struct linking *linking, const Elf32_Rela *entry, char *reason, size_t room)
{
    uint32_t type = ELF32_R_TYPE(entry->r_info);
    switch (type) {
    case HEX_NONE:
        return AEE_SUCCESS;
    case HEX_32:
    case HEX_GLOB_DAT:
    case HEX_JMP_SLOT:
    case HEX_RELATIVE:
    case HEX_DTPMOD_32:
    case HEX_DTPREL_32:
        break;
    case HEX_TPREL_32:
        snprintf(reason, room,
                 "has thread-local variables of the initial-exec model, which is for programs: "
                 "compile with -fPIC and without -ftls-model");
        return AEE_EUNABLETOLOAD;
    default:
        snprintf(reason, room, "has a relocation of type %u: compile with -fPIC", (unsigned)type);
        return AEE_EBADELF;
    }
    if (!image_holds(linking->image, entry->r_offset, 4, 0)) {
        snprintf(reason, room, "has a relocation of address 0x%x, which is in no segment",
                 (unsigned)entry->r_offset);
        return AEE_EBADELF;
    }
    uint32_t word = 0;
    int code = word_of(linking, entry, &word, reason, room);
    if (code == AEE_SUCCESS) {
        memcpy(linking->base + entry->r_offset, &word, sizeof word);
    }
    return code;
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

static int map(const struct image *image, struct functions *functions, struct link_memory *memory,
               char *reason, size_t room)
{
    uint32_t alignment = (uint32_t)sysconf(_SC_PAGESIZE);
    alignment = image->alignment > alignment ? image->alignment : alignment;
    const int64_t first = first_page(image, alignment);
    size_t span = (size_t)(image->high - first);
    translate_find(image, functions, memory);
    span = (span + alignment - 1) & ~(size_t)(alignment - 1);
    memory->mapping_size = memory->veneers_size + span + memory->thunks_size + alignment;
    void *mapping = mmap(NULL, memory->mapping_size, PROT_READ | PROT_WRITE,
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

static int load(const struct image *image, struct functions *functions, struct module *module,
                struct link_memory *memory, char *reason, size_t room)
{
    int code = map(image, functions, memory, reason, room);
    if (code != AEE_SUCCESS) {
        return code;
    }
    struct linking linking = {.image = image, .module = module, .base = memory->base};
    code = relocate_all(&linking, reason, room);
    if (code != AEE_SUCCESS) {
        link_unmap(memory);
        return code;
    }
    translate_patch(image, functions, memory, module_name(module));
    releases_patch(image, functions, memory);
    protect(image, memory);
    return AEE_SUCCESS;
}

int link_image(const struct image *image, struct module *module, struct link_memory *memory,
               char *reason, size_t room)
{
    memset(memory, 0, sizeof *memory);
    struct functions functions = {NULL, 0, 0, false};
    const int code = load(image, &functions, module, memory, reason, room);
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
