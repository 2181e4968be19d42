/* far_counter.c: a read of UTIMER that is farther from the start than a jump reaches, and, with BEHIND,
 * from the end. */
#include "cases.h"

uint32_t read_timer(void);
static uint32_t (*volatile far_function)(void) = read_timer; /* a call does not reach it */

__asm__(".section .text.last,\"ax\",@progbits\n"
        ".space 9 << 20\n"
        ".p2align 4\n"
        "read_timer: { r0 = c30 }\n{ jumpr r31 }\n"
#ifdef BEHIND
        ".space 9 << 20\n"
#endif
        ".text\n");

static int far(const int32_t *in, int32_t *out)
{
    (void)in;
    out[0] = (int32_t)far_function();
    return 0;
}

const struct named_case cases[] = {CASE(far), {NULL, NULL}};
