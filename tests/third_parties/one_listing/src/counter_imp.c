#include "counter.h"

static int value;

int counter_open(const char *uri, remote_handle64 *handle) {
    (void)uri;
    *handle = 1;
    return 0;
}

int counter_close(remote_handle64 handle) {
    (void)handle;
    return 0;
}

AEEResult counter_next(remote_handle64 handle, int step, int *next) {
    (void)handle;
    *next = value += step;
    return 0;
}
