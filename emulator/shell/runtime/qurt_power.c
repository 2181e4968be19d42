/* qurt_power.c: QuRT's functions for the power of the whole DSP, and for its interrupts.
 *
 * Other hardware threads always run on the emulated DSP, so it never collapses: preparing for that
 * fails with the documented code, and there is nothing to undo. */
#include "qurt_error.h"
#include "runtime.h"

#define QURT_ESTM 22 /* the DSP is not in single-threaded mode */

static int not_alone(void)
{
    return QURT_ESTM;
}

static int success(void)
{
    return QURT_EOK;
}

static void nothing(void)
{
}

const struct shell_symbol qurt_power_symbols[] = {
    EXPORT_AS("qurt_power_shutdown_enter", not_alone),
    EXPORT_AS("qurt_power_tcxo_prepare", not_alone),
    EXPORT_AS("qurt_power_tcxo_enter", not_alone),
    EXPORT_AS("qurt_power_tcxo_exit", success),
    EXPORT_AS("qurt_power_tcxo_fail_exit", success),
    EXPORT_AS("qurt_power_wait_for_idle", nothing),
    EXPORT_AS("qurt_power_wait_for_active", nothing),
    EXPORT_END,
};
