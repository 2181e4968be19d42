/* relocate.c: applies the relocations of a skel.
 *
 * The numbers of the relocation types are those of the Hexagon ABI. LLVM's ELFRelocs/Hexagon.def
 * lists them. */
#include "relocate.h"

#include <stdio.h>
#include <string.h>

#include "AEEStdErr.h"
#include "module_list.h"
#include "runtime/heap.h"
#include "unimplemented.h"

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

int relocate_image(const struct image *image, struct module *module, uint8_t *base, char *reason,
                   size_t room)
{
    struct linking linking = {.image = image, .module = module, .base = base};
    for (int table = 0; table < 2; table++) {
        for (uint32_t i = 0; i < image->relocation_count[table]; i++) {
            Elf32_Rela entry;
            memcpy(&entry, image->relocations[table] + i * sizeof entry, sizeof entry);
            int code = relocate(&linking, &entry, reason, room);
            if (code != AEE_SUCCESS) {
                return code;
            }
        }
    }
    if (linking.undefined > 0) {
        snprintf(reason, room, "needs %u name%s that this DSP shell does not have: %s%s",
                 (unsigned)linking.undefined, linking.undefined == 1 ? "" : "s", linking.names,
                 linking.undefined > NAMES_MAX ? ", ..." : "");
        return AEE_EUNABLETOLOAD;
    }
    return AEE_SUCCESS;
}
