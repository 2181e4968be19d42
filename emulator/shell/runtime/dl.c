/* dl.c: libraries that skels open themselves: dlopen and the functions of dlfcn.h.
 *
 * Constants of the DSP's dlfcn.h that differ from musl's are those of NetBSD, which it comes from:
 * RTLD_DEFAULT is -2 there. 0, as in musl, means the same here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../module.h"
#include "runtime.h"

#define FLAG_GLOBAL 0x100
#define HANDLE_DEFAULT ((void *)-2)

struct information { /* Dl_info */
    const char *file;
    void *base;
    const char *symbol;
    void *address;
};

static char process;                /* its address is the handle of dlopen(NULL) */
static _Thread_local char *buffer;  /* of MODULE_REASON_MAX; not an array: see qurt_tls.c */
static _Thread_local char *message; /* what dlerror has not returned yet, or NULL */

static void fail(const char *format, const char *name, const char *reason)
{
    if (buffer == NULL) {
        buffer = malloc(MODULE_REASON_MAX);
    }
    if (buffer != NULL) {
        snprintf(buffer, MODULE_REASON_MAX, format, name, reason);
    }
    message = buffer;
}

static void *open_library(const char *name, int flags)
{
    char reason[MODULE_REASON_MAX];
    struct module *opened;
    if (name == NULL) {
        return &process;
    }
    if (module_open(name, (flags & FLAG_GLOBAL) != 0, &opened, reason) != 0) {
        fail("%.0s%s", name, reason);
        return NULL;
    }
    return opened;
}

static void *open_bytes(const char *name, const char *bytes, int size, int flags)
{
    char reason[MODULE_REASON_MAX];
    struct module *opened;
    if (name == NULL || bytes == NULL || size <= 0) {
        fail("dlopenbuf(%s): %s", name == NULL ? "NULL" : name, "no bytes");
        return NULL;
    }
    if (module_open_bytes(name, bytes, (size_t)size, (flags & FLAG_GLOBAL) != 0, &opened, reason) !=
        0) {
        fail("%.0s%s", name, reason);
        return NULL;
    }
    return opened;
}

static void *find(void *handle, const char *name)
{
    bool everywhere = handle == NULL || handle == HANDLE_DEFAULT || handle == &process;
    void *address = module_find(everywhere ? NULL : handle, name);
    if (address == NULL) {
        fail("no symbol %.256s%s", name, "");
    }
    return address;
}

static int close_library(void *handle)
{
    if (handle != &process && !module_close(handle)) {
        fail("%s%s", "dlclose: not the handle of an open library", "");
        return -1;
    }
    return 0;
}

static char *error(void)
{
    char *pending = message;
    message = NULL;
    return pending;
}

static int describe(const void *address, struct information *information)
{
    struct module_place place = {.file = "fastrpc_shell"};
    if (!module_describe(address, &place)) {
        place.symbol = shell_symbol_at(address);
        if (place.symbol == NULL) {
            return 0;
        }
        place.address = (void *)(uintptr_t)address;
    }
    *information = (struct information){place.file, place.base, place.symbol, place.address};
    return 1;
}

/* The DSP's requests are not documented. */
static int inform(void *handle, int request, void *result)
{
    (void)handle;
    (void)request;
    (void)result;
    fail("%s%s", "dlinfo is not emulated", "");
    return -1;
}

#define EXPORT_UNDER_ALL(name, function)                                                       \
    EXPORT_AS(name, function), EXPORT_AS("__" name, function), EXPORT_AS("___" name, function)

const struct shell_symbol dl_symbols[] = {
    EXPORT_UNDER_ALL("dlopen", open_library),
    EXPORT_UNDER_ALL("dlsym", find),
    EXPORT_UNDER_ALL("dlclose", close_library),
    EXPORT_UNDER_ALL("dlerror", error),
    EXPORT_UNDER_ALL("dladdr", describe),
    EXPORT_AS("dlopenbuf", open_bytes),
    EXPORT_AS("dlinfo", inform),
    EXPORT_END,
};
