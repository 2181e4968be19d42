#include <stdio.h>

#include "imgkit.h"

int main(void) {
    printf("at most %d\n", imgkit_widest());
    return 0;
}
