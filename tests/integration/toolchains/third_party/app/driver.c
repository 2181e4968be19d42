#include <dlfcn.h>
#include <remote.h>

static void *of_system(const char *name) {
    static void *library;
    if (!library) library = dlopen("libcdsprpc.so.1", RTLD_NOW);
    return library ? dlsym(library, name) : 0;
}

int remote_handle64_open(const char *uri, remote_handle64 *handle) {
    int (*open)(const char *, remote_handle64 *) = of_system("remote_handle64_open");
    return open ? open(uri, handle) : -1;
}

int remote_handle64_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments) {
    int (*invoke)(remote_handle64, uint32_t, remote_arg *) = of_system("remote_handle64_invoke");
    return invoke ? invoke(handle, scalars, arguments) : -1;
}

int remote_handle64_close(remote_handle64 handle) {
    int (*close)(remote_handle64) = of_system("remote_handle64_close");
    return close ? close(handle) : -1;
}
