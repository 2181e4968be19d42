/* old_intrinsics.c: the functions behind the circular and bit-reversed intrinsics of old compilers.
 *
 * The macros of hexagon_circ_brev_intrinsics.h say what they do: the pointer before an access goes
 * in, the pointer after it comes out. A modifier is what the registers M0 and M1 hold: for circular
 * addressing the length in bytes in bits 0 to 16, an increment in elements in bits 17 to 23 and 28
 * to 31, and K in bits 24 to 27, where a buffer begins at a multiple of 2**(K + 2) bytes. */
#include "runtime.h"

#define LENGTH 0x1ffffu

static uint32_t circular(uint32_t pointer, uint32_t modifier, int32_t bytes)
{
    uint32_t length = modifier & LENGTH;
    uint32_t start = pointer & ~((4u << (modifier >> 24 & 15u)) - 1);
    uint32_t next = pointer + (uint32_t)bytes;
    if (bytes < 0 && (int32_t)(next - start) < 0) {
        return next + length;
    }
    return bytes >= 0 && next - start >= length ? next - length : next;
}

static int32_t increment(uint32_t modifier)
{
    uint32_t bits = (modifier >> 28 & 15u) << 7 | (modifier >> 17 & 127u);
    return (int32_t)(bits ^ 0x400u) - 0x400;
}

#define CIRCULAR_BY(size)                                                   \
    static uint32_t circular_by_##size(uint32_t pointer, uint32_t modifier) \
    {                                                                       \
        return circular(pointer, modifier, (size) * increment(modifier));   \
    }
CIRCULAR_BY(1)
CIRCULAR_BY(2)
CIRCULAR_BY(4)
CIRCULAR_BY(8)

/* Reverses the lower 16 bits. */
static uint32_t reversed(uint32_t pointer)
{
    return (pointer & 0xffff0000u) | __builtin_bitreverse16((uint16_t)pointer);
}

static uint32_t after_reversed(uint32_t pointer, uint32_t modifier)
{
    return reversed(pointer) + modifier;
}

static uint32_t same(uint32_t value)
{
    return value;
}

/* Copies words to memory that may be volatile: each is written once, in order. */
static void copy_words(volatile uint32_t *to, const uint32_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

#define PREFIX "__builtinfunction_"
#define EXPORT_ACCESS(size, access)                                                    \
    EXPORT_AS(PREFIX "circular_update" #size "_for_" access, circular),                \
        EXPORT_AS(PREFIX "circular_update" #size "I_for_" access, circular_by_##size), \
        EXPORT_AS(PREFIX "bitrev_update" #size "_for_" access, after_reversed)
#define EXPORT_SIZE(size) EXPORT_ACCESS(size, "load"), EXPORT_ACCESS(size, "store")

const struct shell_symbol old_intrinsics_symbols[] = {
    EXPORT_SIZE(1),
    EXPORT_SIZE(2),
    EXPORT_SIZE(4),
    EXPORT_SIZE(8),
    EXPORT_AS(PREFIX "bitreverse", reversed),
    EXPORT_AS("__builtin_mr_assignment", same),
    EXPORT_AS("__builtin_pseudo_barrier", same),
    EXPORT_AS("hexagon_memcpy_forward_vp4cp4n2", copy_words),
    EXPORT_END,
};
