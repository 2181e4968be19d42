#include <HAP_farf.h>

#include "dn_iface.h"
#include "filter.h"

int dn_iface_open(const char *uri, remote_handle64 *handle) {
    (void)uri;
    *handle = 1;
    return 0;
}

int dn_iface_close(remote_handle64 handle) {
    (void)handle;
    return 0;
}

AEEResult dn_iface_level(remote_handle64 handle, int wanted, int *level) {
    FARF(HIGH, "level %d for %u", wanted, (unsigned)handle);
    *level = filter(wanted);
    return 0;
}
