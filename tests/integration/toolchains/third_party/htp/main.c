#include <HAP_farf.h>
#include <qurt.h>

#include "demo_iface.h"

int demo_iface_open(const char *uri, remote_handle64 *handle) {
    (void)uri;
    *handle = 1;
    return 0;
}

int demo_iface_close(remote_handle64 handle) {
    (void)handle;
    return 0;
}

AEEResult demo_iface_twice(remote_handle64 handle, int value, int *result) {
    FARF(HIGH, "twice on thread %d for %u", (int)qurt_thread_get_id(), (unsigned)handle);
    *result = value * 2;
    return 0;
}
