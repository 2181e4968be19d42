/* runtime.c: functions that compilers and linkers expect from the shell: assertions, stack guards,
 * and the allocator for --wrap. */
#include "heap.h"
#include "runtime.h"

/* For assert() of the DSP's C library. The message is "file:line expression". */
static void assertion_failed(const char *message)
{
    die("assertion failed: %s", message == NULL ? "" : message);
}

static void stack_smashed(void)
{
    die("a function of the skel wrote beyond an array on its stack (stack protector)");
}

/* The value that the stack protector compares with. It is constant, and its bytes differ. */
static uint32_t guard = 0x00d50af1u;

const struct shell_symbol runtime_symbols[] = {
    EXPORT_AS("_Assert", assertion_failed),
    EXPORT_AS("__stack_chk_fail", stack_smashed),
    {"__stack_chk_guard", &guard},
    EXPORT_AS("__wrap_malloc", heap_malloc),
    EXPORT_AS("__wrap_calloc", heap_calloc),
    EXPORT_AS("__wrap_realloc", heap_realloc),
    EXPORT_AS("__wrap_free", heap_free),
    EXPORT_AS("__wrap_memalign", heap_memalign),
    EXPORT_AS("aligned_alloc", heap_memalign),
    EXPORT_END,
};
