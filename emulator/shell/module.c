/* module.c: loads and unloads skels and the libraries that they need, and runs constructors. */
#include "module.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "link.h"
#include "symbols.h"

#define DEPTH_MAX 16
#define NAME_MAX_BYTES 256 /* the longest file name and a terminator */

struct module {
    struct module *next;
    char name[NAME_MAX_BYTES];
    dev_t device;
    ino_t inode;
    unsigned references;
    int loading; /* set while it is loaded, to detect a library that needs itself */
    int run;
    struct image image;
    struct link_memory memory;
    uint32_t dependency_count;
    struct module *dependencies[IMAGE_NEEDED_MAX];
};

struct loading {
    uint32_t arch;
    module_opener opener;
    void *context;
    int run;
    char *reason;
};

static pthread_mutex_t modules_lock = PTHREAD_MUTEX_INITIALIZER;
static struct module *modules;

static void unload(struct module *module);
static int load(const struct loading *loading, int fd, const char *name, int depth,
                struct module **loaded);

/* Whether the shell itself provides a library. The SDK links every skel with these libraries. */
static int shell_provides(const char *library)
{
    return strcmp(library, "libc.so") == 0 || strcmp(library, "libgcc.so") == 0;
}

static int arch_digits(uint32_t arch)
{
    return (int)((arch >> 4) * 10 + (arch & 15));
}

/* ---- symbols ---- */

static void *exported(const struct module *module, const char *name, uint32_t flags)
{
    const struct image *image = &module->image;
    for (uint32_t i = 1; i < image->symbol_count; i++) {
        Elf32_Sym symbol;
        image_symbol(image, i, &symbol);
        if (symbol.st_shndx != SHN_UNDEF && ELF32_ST_BIND(symbol.st_info) != STB_LOCAL &&
            strcmp(image_symbol_name(image, &symbol), name) == 0 &&
            image_holds(image, symbol.st_value, 4, flags)) {
            return module->memory.base + symbol.st_value;
        }
    }
    return NULL;
}

static void *resolve(void *context, const char *name)
{
    const struct module *module = context;
    void *address = shell_symbol_find(name);
    for (uint32_t i = 0; address == NULL && i < module->dependency_count; i++) {
        address = exported(module->dependencies[i], name, PF_R);
    }
    return address;
}

/* ---- constructors and destructors ---- */

static void call(uint32_t address)
{
    if (address != 0 && address != UINT32_MAX) {
        void (*function)(void);
        void *target = (void *)(uintptr_t)address;
        memcpy(&function, &target, sizeof function);
        function();
    }
}

static uint32_t table_entry(const struct module *module, uint32_t table, uint32_t index)
{
    uint32_t address;
    memcpy(&address, module->memory.base + table + index * sizeof address, sizeof address);
    return address;
}

static void construct(const struct module *module)
{
    const struct image *image = &module->image;
    call(image->init == 0 ? 0 : (uint32_t)(uintptr_t)(module->memory.base + image->init));
    for (uint32_t i = 0; i < image->init_array_count; i++) {
        call(table_entry(module, image->init_array, i));
    }
}

static void destruct(const struct module *module)
{
    const struct image *image = &module->image;
    for (uint32_t i = image->fini_array_count; i > 0; i--) {
        call(table_entry(module, image->fini_array, i - 1));
    }
    call(image->fini == 0 ? 0 : (uint32_t)(uintptr_t)(module->memory.base + image->fini));
}

/* ---- loading ---- */

static int load_needed(const struct loading *loading, struct module *module, int depth)
{
    for (uint32_t i = 0; i < module->image.needed_count; i++) {
        const char *name = module->image.needed[i];
        if (shell_provides(name)) {
            continue;
        }
        char why[512];
        snprintf(why, sizeof why, "there is no library path");
        int fd = loading->opener == NULL ? -1
                                         : loading->opener(loading->context, name, why, sizeof why);
        if (fd < 0) {
            snprintf(
                loading->reason, MODULE_REASON_MAX,
                "%s needs the library %.200s, which is not found (%s): ship it beside the skel",
                module->name, name, why);
            return AEE_EUNABLETOLOAD;
        }
        struct module *needed;
        int code = load(loading, fd, name, depth + 1, &needed);
        close(fd);
        if (code != AEE_SUCCESS) {
            return code;
        }
        module->dependencies[module->dependency_count++] = needed;
    }
    return AEE_SUCCESS;
}

static int load_into(const struct loading *loading, struct module *module, int fd, int depth)
{
    char why[IMAGE_REASON_MAX];
    int code = image_read(fd, &module->image, why);
    if (code == AEE_SUCCESS && module->image.arch > loading->arch) {
        snprintf(why, sizeof why,
                 "is built for v%d and this device is v%d: build it for v%d or older",
                 arch_digits(module->image.arch), arch_digits(loading->arch),
                 arch_digits(loading->arch));
        code = AEE_EUNABLETOLOAD;
    }
    if (code != AEE_SUCCESS) {
        snprintf(loading->reason, MODULE_REASON_MAX, "%s %s", module->name, why);
        return code;
    }
    code = load_needed(loading, module, depth);
    if (code != AEE_SUCCESS) {
        return code;
    }
    code = link_image(&module->image, resolve, module, &module->memory, why, sizeof why);
    if (code != AEE_SUCCESS) {
        snprintf(loading->reason, MODULE_REASON_MAX, "%s %s", module->name, why);
    }
    return code;
}

static void module_remove(struct module *module)
{
    for (struct module **at = &modules; *at != NULL; at = &(*at)->next) {
        if (*at == module) {
            *at = module->next;
            break;
        }
    }
    for (uint32_t i = 0; i < module->dependency_count; i++) {
        unload(module->dependencies[i]);
    }
    link_unmap(&module->memory);
    image_free(&module->image);
    free(module);
}

static int load(const struct loading *loading, int fd, const char *name, int depth,
                struct module **loaded)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || depth > DEPTH_MAX) {
        snprintf(loading->reason, MODULE_REASON_MAX, "%.200s cannot be loaded (%s)", name,
                 depth > DEPTH_MAX ? "its chain of needed libraries is too long"
                                   : "its file status cannot be read");
        return AEE_EUNABLETOLOAD;
    }
    for (struct module *module = modules; module != NULL; module = module->next) {
        if (module->device == status.st_dev && module->inode == status.st_ino) {
            if (module->loading) {
                snprintf(loading->reason, MODULE_REASON_MAX, "%s needs itself", module->name);
                return AEE_EUNABLETOLOAD;
            }
            module->references++;
            *loaded = module;
            return AEE_SUCCESS;
        }
    }
    struct module *module = calloc(1, sizeof *module);
    if (module == NULL) {
        snprintf(loading->reason, MODULE_REASON_MAX, "%.200s does not fit into memory", name);
        return AEE_ENOMEMORY;
    }
    snprintf(module->name, sizeof module->name, "%s", name);
    module->device = status.st_dev;
    module->inode = status.st_ino;
    module->references = 1;
    module->run = loading->run;
    module->next = modules;
    modules = module;
    module->loading = 1;
    int code = load_into(loading, module, fd, depth);
    module->loading = 0;
    if (code != AEE_SUCCESS) {
        module_remove(module);
        return code;
    }
    if (module->run) {
        construct(module);
    }
    *loaded = module;
    return AEE_SUCCESS;
}

static void unload(struct module *module)
{
    if (--module->references == 0) {
        if (module->run) {
            destruct(module);
        }
        module_remove(module);
    }
}

int module_load(int fd, const char *name, uint32_t arch, module_opener opener, void *context,
                int run, struct module **loaded, char reason[MODULE_REASON_MAX])
{
    const struct loading loading = {
        .arch = arch, .opener = opener, .context = context, .run = run, .reason = reason};
    pthread_mutex_lock(&modules_lock);
    int code = load(&loading, fd, name, 0, loaded);
    pthread_mutex_unlock(&modules_lock);
    return code;
}

void module_unload(struct module *module)
{
    pthread_mutex_lock(&modules_lock);
    unload(module);
    pthread_mutex_unlock(&modules_lock);
}

void *module_function(const struct module *module, const char *name)
{
    return exported(module, name, PF_X);
}

const char *module_name(const struct module *module)
{
    return module->name;
}

const char *module_at(uintptr_t address, uint32_t *offset)
{
    for (const struct module *module = modules; module != NULL; module = module->next) {
        uintptr_t start = (uintptr_t)module->memory.mapping;
        if (start != 0 && address >= start && address - start < module->memory.mapping_size) {
            *offset = (uint32_t)(address - (uintptr_t)module->memory.base);
            return module->name;
        }
    }
    return NULL;
}
