/* compiler.c: what Hexagon compilers call for operations that have no instruction.
 *
 * compiler-rt's own; only their addresses are of interest here, so most are declared as
 * functions without arguments. */
#include "runtime.h"

void __hexagon_adddf3(void);
void __hexagon_divdf3(void);
void __hexagon_divsf3(void);
void __hexagon_muldf3(void);
void __hexagon_subdf3(void);
void __hexagon_divdi3(void);
void __hexagon_divsi3(void);
void __hexagon_moddi3(void);
void __hexagon_modsi3(void);
void __hexagon_udivdi3(void);
void __hexagon_udivsi3(void);
void __hexagon_umoddi3(void);
void __hexagon_umodsi3(void);
void __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes(void);

/* Half floats travel in the low half of a register. Compilers do not agree on what is in
 * the high half, so here it is ignored in and cleared out. */
float half_to_single(uint32_t half) __asm__("__extendhfsf2");
uint32_t single_to_half(float single) __asm__("__truncsfhf2");

static float extend(uint32_t half)
{
    return half_to_single(half & 0xffffu);
}

static uint32_t truncate_to_half(float single)
{
    return single_to_half(single) & 0xffffu;
}

const struct shell_symbol compiler_symbols[] = {
    OFFER(__hexagon_adddf3),
    OFFER(__hexagon_divdf3),
    OFFER(__hexagon_divsf3),
    OFFER(__hexagon_muldf3),
    OFFER(__hexagon_subdf3),
    OFFER(__hexagon_divdi3),
    OFFER(__hexagon_divsi3),
    OFFER(__hexagon_moddi3),
    OFFER(__hexagon_modsi3),
    OFFER(__hexagon_udivdi3),
    OFFER(__hexagon_udivsi3),
    OFFER(__hexagon_umoddi3),
    OFFER(__hexagon_umodsi3),
    OFFER(__hexagon_memcpy_likely_aligned_min32bytes_mult8bytes),
    OFFER_AS("__extendhfsf2", extend),
    OFFER_AS("__truncsfhf2", truncate_to_half),
    OFFER_END,
};
