/* module.c: loads and unloads skels and the libraries that they need, and runs constructors. */
#include "module.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "module_list.h"
#include "profile.h"
#include "runtime/exit_functions.h"
#include "runtime/thread_local.h"
#include "shell.h"

#define DEPTH_MAX 16

struct loading {
    uint32_t arch;
    module_opener opener;
    void *context;
    bool run;
    char *reason;
};

static pthread_mutex_t lock; /* recursive: constructors call dlopen */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
struct module *modules;
unsigned long long modules_added, modules_removed;

__attribute__((constructor)) static void initialize(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void modules_lock(void)
{
    pthread_mutex_lock(&lock);
}

void modules_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void modules_list_lock(void)
{
    pthread_mutex_lock(&list_lock);
}

void modules_list_unlock(void)
{
    pthread_mutex_unlock(&list_lock);
}

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
    exit_functions_run(module->memory.mapping, module->memory.mapping_size);
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
    module->tls = thread_local_reserve(module->image.tls_size, module->image.tls_alignment);
    if (module->tls == 0 && module->image.tls_size != 0) {
        snprintf(loading->reason, MODULE_REASON_MAX,
                 "%s has thread-local variables, as have %d loaded modules, the most that this "
                 "shell supports: close libraries that are not used",
                 module->name, THREAD_LOCAL_MODULES);
        return AEE_EUNABLETOLOAD;
    }
    code = link_image(&module->image, module, &module->memory, why, sizeof why);
    if (code != AEE_SUCCESS) {
        snprintf(loading->reason, MODULE_REASON_MAX, "%s %s", module->name, why);
    } else {
        thread_local_start(module->tls, module->memory.base + module->image.tls,
                           module->image.tls_file_size);
    }
    return code;
}

static void module_remove(struct module *module)
{
    modules_list_lock();
    for (struct module **at = &modules; *at != NULL; at = &(*at)->next) {
        if (*at == module) {
            *at = module->next;
            break;
        }
    }
    modules_removed++;
    modules_list_unlock();
    if (module->link.path != NULL) {
        debugger_remove(module);
    }
    thread_local_release(module->tls);
    for (uint32_t i = 0; i < module->dependency_count; i++) {
        unload(module->dependencies[i]);
    }
    link_unmap(&module->memory);
    image_free(&module->image);
    free(module->path);
    free(module);
}

/* Returns the path of an open file, or NULL for one that has none, as the bytes of dlopenbuf. The
 * caller frees it. */
static char *path_of(int fd)
{
    char link[64];
    char path[MODULE_PATH_BYTES];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    bool in_memory = strncmp(path, "/memfd:", strlen("/memfd:")) == 0;
    return length <= 0 || in_memory ? NULL : strdup(path);
}

static void module_add(struct module *module)
{
    modules_list_lock();
    module->next = modules;
    modules = module;
    modules_added++;
    modules_list_unlock();
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
    module->path = path_of(fd);
    module_add(module);
    module->loading = true;
    int code = load_into(loading, module, fd, depth);
    module->loading = false;
    if (code != AEE_SUCCESS) {
        module_remove(module);
        return code;
    }
    debugger_add(module);
    profile_module(&module->memory, module->name);
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
                bool run, struct module **loaded, char reason[MODULE_REASON_MAX])
{
    const struct loading loading = {
        .arch = arch, .opener = opener, .context = context, .run = run, .reason = reason};
    modules_lock();
    int code = load(&loading, fd, name, 0, loaded);
    modules_unlock();
    return code;
}

void module_unload(struct module *module)
{
    modules_lock();
    unload(module);
    modules_unlock();
}
