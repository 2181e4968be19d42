/* bt_trace.h: marks what a skel does, for `buildtool run --trace`.
 *
 * An event lasts from bt_trace_begin to bt_trace_end in the same thread; events can be nested.
 * Both functions do nothing where nobody records: bt_trace_event is NULL then. */
#ifndef BT_TRACE_H
#define BT_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BT_TRACE_DSP_BEGIN 33u
#define BT_TRACE_DSP_END 34u

/* The emulated DSP has this function. */
__attribute__((weak)) void bt_trace_event(uint32_t kind, const char *name);

static inline void bt_trace_begin(const char *name)
{
    if (bt_trace_event != NULL) {
        bt_trace_event(BT_TRACE_DSP_BEGIN, name);
    }
}

static inline void bt_trace_end(void)
{
    if (bt_trace_event != NULL) {
        bt_trace_event(BT_TRACE_DSP_END, "");
    }
}

#ifdef __cplusplus
}
#endif

#endif
