/* compiler.c: what Hexagon compilers call for operations that have no instruction.
 *
 * compiler-rt's own; only their addresses are of interest here, so all are declared as
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
void __extendhfsf2(void);
void __truncsfhf2(void);

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
    OFFER(__extendhfsf2),
    OFFER(__truncsfhf2),
    OFFER_END,
};
