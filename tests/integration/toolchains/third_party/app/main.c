#include <stdio.h>

#include "demo_iface.h"

int main(void) {
    remote_handle64 handle = 0;
    int result = 0;
    if (demo_iface_open(demo_iface_URI "&_dom=cdsp", &handle)) return 1;
    if (demo_iface_twice(handle, 21, &result)) return 2;
    printf("%d\n", result);
    return demo_iface_close(handle);
}
