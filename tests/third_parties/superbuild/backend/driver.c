#include <dlfcn.h>
#include <remote.h>
#include <stddef.h>

static void *entry(const char *name) {
    static void *library;
    if (library == NULL) library = dlopen("libcdsprpc.so", RTLD_NOW | RTLD_LOCAL);
    return library == NULL ? NULL : dlsym(library, name);
}

int remote_handle64_open(const char *uri, remote_handle64 *handle) {
    int (*call)(const char *, remote_handle64 *) = entry("remote_handle64_open");
    return call == NULL ? -1 : call(uri, handle);
}

int remote_handle64_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments) {
    int (*call)(remote_handle64, uint32_t, remote_arg *) = entry("remote_handle64_invoke");
    return call == NULL ? -1 : call(handle, scalars, arguments);
}

int remote_handle64_close(remote_handle64 handle) {
    int (*call)(remote_handle64) = entry("remote_handle64_close");
    return call == NULL ? -1 : call(handle);
}
