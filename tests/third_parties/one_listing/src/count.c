#include <stdio.h>

#include "counter.h"

int main(void) {
    remote_handle64 handle = 0;
    int value = 0;
    if (counter_open(counter_URI "&_dom=cdsp", &handle)) return 1;
    if (counter_next(handle, 2, &value)) return 2;
    printf("%d\n", value);
    return counter_close(handle);
}
