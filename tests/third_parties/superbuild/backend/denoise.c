#include <stdio.h>

#include "dn_iface.h"

int main(void) {
    remote_handle64 handle = 0;
    int level = 0;
    if (dn_iface_open(dn_iface_URI "&_dom=cdsp", &handle)) return 1;
    if (dn_iface_level(handle, 3, &level)) return 2;
    printf("%d\n", level);
    return dn_iface_close(handle);
}
