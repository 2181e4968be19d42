// The matrix unit has no intrinsics here: its instructions are written as assembly.
#include <string.h>

#include "kernels.h"

#define TILE 2048u
#define SCALE (__HEXAGON_ARCH__ < 73 ? 0 : 0x3c00u)

static inline void clear(void) {
    __asm__ volatile("mxclracc.hf" ::: "memory");
}

static inline void scales(const void *from) {
    __asm__ volatile("bias = mxmem2(%0)" ::"r"(from) : "memory");
}

static inline void multiply(const void *a, const void *b, unsigned bytes) {
    __asm__ volatile("{ activation.hf = mxmem(%0, %1)\n"
                     "  weight.hf = mxmem(%2, %3) }" ::"r"(a), "r"(bytes), "r"(b), "r"(bytes)
                     : "memory");
}

static inline void store(void *to) {
    __asm__ volatile("mxmem(%0, %1):after.hf = acc" ::"r"(to), "r"(0) : "memory");
}

uint16_t matrix_multiply_ones(uint8_t *vtcm) {
    uint16_t *ones = (uint16_t *) vtcm;
    uint32_t *words = (uint32_t *) (vtcm + 2 * TILE);
    for (unsigned i = 0; i < TILE; i++)
        ones[i] = 0x3c00;
    for (int i = 0; i < 64; i++)
        words[i] = i < 32 ? SCALE : 0;
    scales(words);
    clear();
    multiply(vtcm, vtcm + TILE, TILE - 1);
    store(vtcm + 3 * TILE);
    uint16_t result;
    memcpy(&result, vtcm + 3 * TILE, sizeof result);
    return result;
}
