/* module_open.c: libraries that skels open themselves, with dlopen. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "core.h"
#include "module_list.h"

/* Opens a file that is beside a loaded module. A name with a directory is opened as it is. */
static int open_beside_modules(const char *name)
{
    if (strchr(name, '/') != NULL) {
        return open(name, O_RDONLY | O_CLOEXEC);
    }
    for (const struct module *module = modules; module != NULL; module = module->next) {
        char path[MODULE_PATH_BYTES + MODULE_NAME_BYTES];
        const char *slash = module->path == NULL ? NULL : strrchr(module->path, '/');
        if (slash == NULL || strlen(name) >= MODULE_NAME_BYTES) {
            continue;
        }
        snprintf(path, sizeof path, "%.*s%s", (int)(slash + 1 - module->path), module->path, name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            return fd;
        }
    }
    return -1;
}

int module_open_library(void *context, const char *name, char *reason, size_t room)
{
    int fd = -1;
    (void)context;
    if (library_request(name, &fd)) {
        snprintf(reason, room, "it is in no directory of the library path");
        return fd;
    }
    snprintf(reason, room,
             "no call is running, so only the directories of loaded skels and libraries were "
             "searched");
    return open_beside_modules(name);
}

static struct module *by_name(const char *name)
{
    for (struct module *module = modules; module != NULL; module = module->next) {
        const char *soname = module->image.soname;
        if (strcmp(module->name, name) == 0 || (soname != NULL && strcmp(soname, name) == 0)) {
            return module;
        }
    }
    return NULL;
}

static int open_file(int fd, const char *name, bool global, struct module **opened,
                     char reason[MODULE_REASON_MAX])
{
    const char *slash = strrchr(name, '/');
    int code = module_load(fd, slash == NULL ? name : slash + 1, shell_facts()->arch,
                           module_open_library, NULL, true, opened, reason);
    close(fd);
    if (code == AEE_SUCCESS) {
        (*opened)->opened++;
        (*opened)->global |= global;
    }
    return code;
}

int module_open(const char *name, bool global, struct module **opened,
                char reason[MODULE_REASON_MAX])
{
    modules_lock();
    struct module *loaded = by_name(name);
    int code = AEE_SUCCESS;
    if (loaded != NULL && !loaded->loading) {
        loaded->references++;
        loaded->opened++;
        loaded->global |= global;
        *opened = loaded;
    } else {
        char why[512] = "";
        int fd = module_open_library(NULL, name, why, sizeof why);
        if (fd < 0) {
            snprintf(reason, MODULE_REASON_MAX, "%.300s is not found: %s", name, why);
            code = AEE_EUNABLETOLOAD;
        } else {
            code = open_file(fd, name, global, opened, reason);
        }
    }
    modules_unlock();
    return code;
}

int module_open_bytes(const char *name, const void *bytes, size_t size, bool global,
                      struct module **opened, char reason[MODULE_REASON_MAX])
{
    int fd = memfd_create("library", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) {
        snprintf(reason, MODULE_REASON_MAX, "%.300s does not fit into memory", name);
        if (fd >= 0) {
            close(fd);
        }
        return AEE_ENOMEMORY;
    }
    modules_lock();
    int code = open_file(fd, name, global, opened, reason);
    modules_unlock();
    return code;
}

bool module_close(struct module *opened)
{
    modules_lock();
    struct module *module = modules;
    while (module != NULL && module != opened) {
        module = module->next;
    }
    bool is_open = module != NULL && module->opened > 0;
    if (is_open) {
        module->opened--;
        module_unload(module);
    }
    modules_unlock();
    return is_open;
}
