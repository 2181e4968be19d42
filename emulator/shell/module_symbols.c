/* module_symbols.c: finds symbols of loaded modules by name and by address. */
#include <string.h>

#include "module_list.h"
#include "runtime/thread_local.h"
#include "shell.h"
#include "symbols.h"
#include "translate/translate.h"

/* ---- by name ---- */

static bool exported(const struct module *module, const char *name, uint32_t flags,
                     struct module_symbol *found)
{
    const struct image *image = &module->image;
    for (uint32_t i = image_hash_first(image, name); i != 0; i = image_hash_next(image, i)) {
        Elf32_Sym symbol;
        image_symbol(image, i, &symbol);
        if (symbol.st_shndx == SHN_UNDEF || ELF32_ST_BIND(symbol.st_info) == STB_LOCAL ||
            strcmp(image_symbol_name(image, &symbol), name) != 0) {
            continue;
        }
        if (ELF32_ST_TYPE(symbol.st_info) == STT_TLS) {
            *found = (struct module_symbol){.tls = module->tls, .offset = symbol.st_value};
            return module->tls != 0;
        }
        if (image_holds(image, symbol.st_value, 1, flags)) {
            *found = (struct module_symbol){.address = module->memory.base + symbol.st_value};
            return true;
        }
    }
    return false;
}

/* Depth first: libraries are looked at before what they need. */
static bool search(struct module *module, const char *name, unsigned mark,
                   struct module_symbol *found)
{
    if (module->mark == mark) {
        return false;
    }
    module->mark = mark;
    if (module->memory.base != NULL && !module->loading && exported(module, name, PF_R, found)) {
        return true;
    }
    for (uint32_t i = 0; i < module->dependency_count; i++) {
        if (search(module->dependencies[i], name, mark, found)) {
            return true;
        }
    }
    return false;
}

static unsigned next_mark(void)
{
    static unsigned last;
    return ++last;
}

bool module_search(struct module *module, const char *name, struct module_symbol *found)
{
    return search(module, name, next_mark(), found);
}

bool module_resolve(struct module *module, const char *name, struct module_symbol *found)
{
    *found = (struct module_symbol){.address = shell_symbol_find(name)};
    if (found->address != NULL) {
        return true;
    }
    unsigned mark = next_mark();
    if (module != NULL && search(module, name, mark, found)) {
        return true;
    }
    for (struct module *other = modules; other != NULL; other = other->next) {
        if ((module == NULL || other->global) && search(other, name, mark, found)) {
            return true;
        }
    }
    return false;
}

void *module_find(struct module *opened, const char *name)
{
    struct module_symbol found;
    modules_lock();
    bool is_found = opened == NULL ? module_resolve(NULL, name, &found)
                                   : module_search(opened, name, &found);
    modules_unlock();
    if (!is_found) {
        return NULL;
    }
    return found.tls == 0 ? found.address : thread_local_address(found.tls, found.offset);
}

void *module_function(const struct module *module, const char *name)
{
    struct module_symbol found;
    return exported(module, name, PF_X, &found) ? found.address : NULL;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length > end && strcmp(text + length - end, ending) == 0;
}

bool module_is_skel(const struct module *module)
{
    const struct image *image = &module->image;
    for (uint32_t i = 1; i < image->symbol_count; i++) {
        Elf32_Sym symbol;
        image_symbol(image, i, &symbol);
        const char *name = image_symbol_name(image, &symbol);
        if (symbol.st_shndx != SHN_UNDEF &&
            (ends_with(name, "_skel_handle_invoke") || ends_with(name, "_skel_invoke"))) {
            return true;
        }
    }
    return false;
}

const char *module_name(const struct module *module)
{
    return module->name;
}

/* ---- by address ---- */

struct module *module_of(uintptr_t address)
{
    for (struct module *module = modules; module != NULL; module = module->next) {
        uintptr_t start = (uintptr_t)module->memory.mapping;
        if (start != 0 && address >= start && address - start < module->memory.mapping_size) {
            return module;
        }
    }
    return NULL;
}

const struct image *module_image_at(uintptr_t address)
{
    const struct module *module = module_of(address);
    return module == NULL ? NULL : &module->image;
}

const char *module_at(uintptr_t address, uint32_t *offset)
{
    const struct module *module = module_of(address);
    if (module == NULL) {
        return NULL;
    }
    const char *instruction, *why;
    address = translate_origin(&module->memory, address, &instruction, &why);
    *offset = (uint32_t)(address - (uintptr_t)module->memory.base);
    return module->name;
}

const char *module_stopped_at(uintptr_t address, const char **why)
{
    const struct module *module = module_of(address);
    const char *instruction = NULL;
    if (module != NULL) {
        translate_origin(&module->memory, address, &instruction, why);
    }
    return instruction;
}

uintptr_t module_return_address(uintptr_t pc, uintptr_t r31, uintptr_t r29)
{
    const struct module *module = module_of(pc);
    const bool computes = module != NULL && translate_contains(&module->memory, pc) &&
                          translate_contains(&module->memory, r31);
    return computes ? ((const uint32_t *)r29)[1] : r31; /* r31:30 are at r29 */
}

bool shell_module_span(const void *address, const void **memory, size_t *size)
{
    modules_list_lock();
    const struct module *module = module_of((uintptr_t)address);
    if (module != NULL) {
        *memory = module->memory.mapping;
        *size = module->memory.mapping_size;
    }
    modules_list_unlock();
    return module != NULL;
}

bool module_describe(const void *address, struct module_place *place)
{
    modules_lock();
    const struct module *module = module_of((uintptr_t)address);
    if (module != NULL) {
        uint32_t offset = (uint32_t)((uintptr_t)address - (uintptr_t)module->memory.base);
        uint32_t nearest = 0;
        *place = (struct module_place){.file = module->name, .base = module->memory.base};
        for (uint32_t i = 1; i < module->image.symbol_count; i++) {
            Elf32_Sym symbol;
            image_symbol(&module->image, i, &symbol);
            if (symbol.st_shndx != SHN_UNDEF && ELF32_ST_TYPE(symbol.st_info) != STT_TLS &&
                symbol.st_value <= offset && symbol.st_value >= nearest) {
                nearest = symbol.st_value;
                place->symbol = image_symbol_name(&module->image, &symbol);
                place->address = module->memory.base + symbol.st_value;
            }
        }
    }
    modules_unlock();
    return module != NULL;
}
