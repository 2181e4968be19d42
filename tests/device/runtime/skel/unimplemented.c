/* unimplemented.c: calls of functions that only real shells have. */
#include "cases.h"

void qurt_exception_raise_nonfatal(void);
void HAP_clear_registers(void) __attribute__((weak));
#ifdef VARIABLE
extern int AHB_User_Base, _Size_block;
#endif
#ifdef UNKNOWN
int on_no_shell(void);
#endif

static int enter(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    qurt_exception_raise_nonfatal();
    return 1;
}

static int weak(const int32_t in[4], int32_t out[8])
{
    (void)in;
#ifdef VARIABLE
    out[1] = AHB_User_Base + _Size_block;
#endif
#ifdef UNKNOWN
    out[2] = on_no_shell();
#endif
    out[0] = HAP_clear_registers != NULL;
    return 0;
}

const struct named_case cases[] = {CASE(enter), CASE(weak), {NULL, NULL}};
