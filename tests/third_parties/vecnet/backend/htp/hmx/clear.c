#include "kernels.h"

void hmx_clear(void) {
    __asm__ volatile("mxclracc.hf");
}
