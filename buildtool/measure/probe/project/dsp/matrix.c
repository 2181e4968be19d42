/* matrix.c: a product of known matrices on HMX. */
#include "matrix.h"

#include <string.h>

#define TILE 2048u
#define ONE 0x3c00u /* of fp16 */
#if __HEXAGON_ARCH__ < 73
#define SCALE_HALF 0u /* 2^0 */
#else
#define SCALE_HALF ONE
#endif
#define SCALE_BYTE 0x6000u /* 512, by which HMX divides */

struct tiles {
    uint8_t activations[TILE], weights[TILE], result[TILE];
    uint32_t scales[64];
};
_Static_assert(sizeof(struct tiles) <= MATRIX_BYTES, "matrix.h says how much memory it needs");

static void prepare(struct tiles *tiles, uint32_t one, uint32_t scale)
{
    uint32_t *const parts[] = {(uint32_t *)tiles->activations, (uint32_t *)tiles->weights};

    for (int i = 0; i < 2; i++) {
        for (uint32_t word = 0; word < TILE / 4; word++)
            parts[i][word] = one;
    }
    memset(tiles->result, 0xff, TILE);
    memset(tiles->scales, 0, sizeof tiles->scales);
    for (int i = 0; i < 32; i++)
        tiles->scales[i] = scale;
}

uint16_t matrix_of_halves(void *memory)
{
    struct tiles *tiles = memory;
    uint16_t result;

    prepare(tiles, ONE << 16 | ONE, SCALE_HALF);
    __asm__ volatile("bias = mxmem2(%0)" ::"r"(tiles->scales) : "memory");
    __asm__ volatile("mxclracc.hf" ::: "memory");
    __asm__ volatile(
        "{ activation.hf = mxmem(%0, %2)\n weight.hf = mxmem(%1, %2) }" ::"r"(tiles->activations),
        "r"(tiles->weights), "r"(TILE - 1)
        : "memory");
    __asm__ volatile("mxmem(%0, %1):after.hf = acc" ::"r"(tiles->result), "r"(0) : "memory");
    memcpy(&result, tiles->result, sizeof result);
    return result;
}

uint8_t matrix_of_bytes(void *memory)
{
    struct tiles *tiles = memory;

    prepare(tiles, 0x01010101u, SCALE_BYTE);
    __asm__ volatile("bias = mxmem2(%0)" ::"r"(tiles->scales) : "memory");
    __asm__ volatile("mxclracc" ::: "memory");
    __asm__ volatile(
        "{ activation.ub = mxmem(%0, %2)\n weight.b = mxmem(%1, %3) }" ::"r"(tiles->activations),
        "r"(tiles->weights), "r"(TILE - 1), "r"(TILE / 2 - 1)
        : "memory");
    __asm__ volatile("mxmem(%0, %1):after:sat.ub = acc" ::"r"(tiles->result), "r"(0) : "memory");
    return tiles->result[0];
}
