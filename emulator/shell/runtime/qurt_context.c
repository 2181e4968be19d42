/* qurt_context.c: QuRT's functions for other threads, cycles of threads, the process, and objects
 * that only old code uses: all-signals and lists of free buffers. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hmx_lock.h"
#include "qurt_error.h"
#include "qurt_thread.h"
#include "unsupported.h"

#define HW_THREADS 6 /* the length of the arrays that callers pass for hardware threads */

/* ---- other threads ---- */

/* Reads the attributes of a thread. Returns false if there is no such thread, or no place for the
 * `result` of the caller. */
static bool attributes_of(unsigned int id, const void *result, qurt_thread_attr_t *attributes)
{
    return result != NULL && qurt_thread_attr_get(id, attributes) == QURT_EOK;
}

/* Defines a function that stores one fact about a thread where `pointer`, a type, points to. */
#define QUERY(function, pointer, value)                  \
    static int function(unsigned int id, pointer result) \
    {                                                    \
        qurt_thread_attr_t attributes;                   \
        if (!attributes_of(id, result, &attributes)) {   \
            return QURT_EINVALID;                        \
        }                                                \
        *result = (__typeof__(*result))(value);          \
        return QURT_EOK;                                 \
    }

static unsigned int process_id(void)
{
    return shell_facts()->client_pid;
}

QUERY(thread_priority_of, unsigned char *, attributes.priority)
QUERY(stack_base, unsigned int *, (uintptr_t)attributes.stack_addr)
QUERY(stack_size, unsigned int *, attributes.stack_size)
QUERY(process_of, unsigned int *, process_id())

static int thread_name(unsigned int id, char *name, unsigned char size)
{
    qurt_thread_attr_t attributes;
    if (!attributes_of(id, name, &attributes)) {
        return QURT_EINVALID;
    }
    snprintf(name, size, "%s", attributes.name);
    return QURT_EOK;
}

static int process_name_of(unsigned int id, char *name, unsigned char size)
{
    qurt_thread_attr_t attributes;
    if (!attributes_of(id, name, &attributes)) {
        return QURT_EINVALID;
    }
    snprintf(name, size, "%s", process_name());
    return QURT_EOK;
}

/* ---- the process ---- */

struct heap_range { /* qurt_sysenv_app_heap_t */
    unsigned int base, limit;
};

/* The heap is not one range here. Code only prints what this returns. */
static int heap_range(struct heap_range *range)
{
    if (range == NULL) {
        return QURT_EVAL;
    }
    range->base = (unsigned int)(uintptr_t)sbrk(0);
    range->limit = range->base + (unsigned int)shell_facts()->heap_bytes;
    return QURT_EOK;
}

/* ---- cycles of threads and of idle hardware threads, which are not counted ---- */

static void no_cycles(uint64_t *cycles)
{
    REFUSE_ONCE("qurt_profile: cycles of single threads are not emulated: they read as 0");
    memset(cycles, 0, HW_THREADS * sizeof *cycles);
}

static void no_cycles_of(int id, uint64_t *cycles)
{
    (void)id;
    no_cycles(cycles);
}

static int nothing(void)
{
    return 0;
}

/* ---- all-signals: a thread waits until all flags of a mask are set, which clears them ---- */

struct all_signal {
    unsigned int waiting, flags, queue, reserved;
};

static void all_signal_init(struct all_signal *signal)
{
    *signal = (struct all_signal){0};
}

static void all_signal_wait(struct all_signal *signal, unsigned int mask)
{
    park_enter(signal);
    while ((signal->flags & mask) != mask) {
        struct park_waiter waiter;
        signal->waiting = mask;
        park_join(signal, &waiter);
        park_wait(&waiter, FOREVER);
    }
    signal->waiting = 0;
    signal->flags &= ~mask;
    park_leave(signal);
}

static void all_signal_set(struct all_signal *signal, unsigned int mask)
{
    park_enter(signal);
    signal->flags |= mask;
    park_wake(signal, 1);
    park_leave(signal);
}

/* ---- lists of free buffers: the first word of a buffer refers to the next one ---- */

struct buffer {
    struct buffer *next;
};

static void *pop(struct buffer **list)
{
    park_enter(list);
    struct buffer *buffer = *list;
    if (buffer != NULL) {
        *list = buffer->next;
    }
    park_leave(list);
    return buffer;
}

static void push(struct buffer **list, struct buffer *buffer)
{
    park_enter(list);
    buffer->next = *list;
    *list = buffer;
    park_leave(list);
}

static void take_out(struct buffer **list, const struct buffer *buffer)
{
    park_enter(list);
    for (struct buffer **at = list; *at != NULL; at = &(*at)->next) {
        if (*at == buffer) {
            *at = buffer->next;
            break;
        }
    }
    park_leave(list);
}

static bool has_hmx(void)
{
    if (shell_facts()->hmx == 0) {
        REFUSE_ONCE("qurt_hmx_lock: the %s has no HMX", shell_facts()->soc);
    }
    return shell_facts()->hmx != 0;
}

static int lock_hmx(void)
{
    return has_hmx() && hmx_lock(true) ? QURT_EOK : QURT_EVAL;
}

static int try_lock_hmx(void)
{
    return has_hmx() && hmx_lock(false) ? QURT_EOK : QURT_EVAL;
}

static int unlock_hmx(void)
{
    uint32_t turn;
    if (!hmx_is_locked(&turn)) {
        return QURT_EVAL;
    }
    hmx_unlock(1);
    return QURT_EOK;
}

/* ---- what an emulated process cannot do ---- */

/* clang-format off */
#define UNSUPPORTED_NAMES(X) \
    X(qurt_thread_context_get_pcycles, QURT_ENOTSUPPORTED, "counting cycles of threads") \
    X(qurt_thread_resume, QURT_ENOTSUPPORTED, "stopping threads") \
    X(qurt_thread_stop, QURT_ENOTSUPPORTED, "stopping threads") \
    X(qurt_thread_stid_get2, QURT_ENOTSUPPORTED, "tagging memory accesses") \
    X(qurt_thread_stid_set2, QURT_ENOTSUPPORTED, "tagging memory accesses") \
    X(qurt_process_stid_get, QURT_ENOTSUPPORTED, "tagging memory accesses") \
    X(qurt_process_stid_set, QURT_ENOTSUPPORTED, "tagging memory accesses") \
    X(qurt_stid_alloc, QURT_ENOTSUPPORTED, "tagging memory accesses") \
    X(qurt_stid_release, QURT_ENOTSUPPORTED, "tagging memory accesses") \
    X(qurt_process_dump_register_cb, QURT_ENOTSUPPORTED, "calling functions after a crash") \
    X(qurt_process_dump_deregister_cb, QURT_ENOTSUPPORTED, "calling functions after a crash") \
    X(qurt_client_proxy_ref_add, QURT_EFATAL, "a driver of QDI") \
    X(qurt_client_proxy_ref_remove, QURT_EFATAL, "a driver of QDI") \
    X(qurt_interrupt_register, QURT_ENOTALLOWED, "an interrupt for an unsigned process") \
    X(qurt_interrupt_deregister, QURT_ENOTALLOWED, "an interrupt for an unsigned process") \
    X(qurt_qdi_close, QURT_EFATAL, "a driver of QDI") \
    X(qurt_qdi_read, QURT_EFATAL, "a driver of QDI") \
    X(qurt_qdi_write, QURT_EFATAL, "a driver of QDI")
/* clang-format on */
UNSUPPORTED_NAMES(UNSUPPORTED)
UNSUPPORTED(qurt_qdi_call, QURT_EFATAL, "a driver of QDI")

#define QDI(count) EXPORT_AS("qurt_qdi_qhi" #count, unsupported_qurt_qdi_call)

const struct shell_symbol qurt_context_symbols[] = {
    EXPORT_AS("qurt_thread_context_get_tname", thread_name),
    EXPORT_AS("qurt_thread_context_get_prio", thread_priority_of),
    EXPORT_AS("qurt_thread_context_get_stack_base", stack_base),
    EXPORT_AS("qurt_thread_context_get_stack_size", stack_size),
    EXPORT_AS("qurt_thread_context_get_pid", process_of),
    EXPORT_AS("qurt_thread_context_get_pname", process_name_of),
    EXPORT_AS("qurt_process_get_id", process_id),
    EXPORT_AS("qurt_hmx_lock", lock_hmx),
    EXPORT_AS("qurt_hmx_try_lock", try_lock_hmx),
    EXPORT_AS("qurt_hmx_unlock", unlock_hmx),
    EXPORT_AS("qurt_sysenv_get_app_heap", heap_range),
    EXPORT_AS("qurt_profile_enable", nothing),
    EXPORT_AS("qurt_profile_reset_idle_pcycles", nothing),
    EXPORT_AS("qurt_profile_reset_threadid_pcycles", nothing),
    EXPORT_AS("qurt_profile_get_idle_pcycles", no_cycles),
    EXPORT_AS("qurt_profile_get_threadid_pcycles", no_cycles_of),
    EXPORT_AS("qurt_profile_get_thread_tcycles", clock_cycles),
    EXPORT_AS("qurt_trace_get_marker", nothing),
    EXPORT_AS("qurt_trace_changed", nothing),    /* no interrupt disturbs a measurement */
    EXPORT_AS("qurt_system_ipend_get", nothing), /* no interrupt is pending */
    EXPORT_AS("qurt_system_vid_get", nothing),
    EXPORT_AS("qurt_yield", sched_yield),
    EXPORT_AS("qurt_thread_set_prefetch", nothing),
    EXPORT_AS("qurt_allsignal_init", all_signal_init),
    EXPORT_AS("qurt_allsignal_destroy", nothing),
    EXPORT_AS("qurt_allsignal_wait", all_signal_wait),
    EXPORT_AS("qurt_allsignal_set", all_signal_set),
    EXPORT_AS("qurt_lifo_pop", pop),
    EXPORT_AS("qurt_lifo_push", push),
    EXPORT_AS("qurt_lifo_remove", take_out),
    UNSUPPORTED_NAMES(EXPORT_UNSUPPORTED) QDI(3),
    QDI(4),
    QDI(5),
    QDI(6),
    QDI(7),
    QDI(8),
    QDI(9),
    QDI(10),
    QDI(11),
    QDI(12),
    EXPORT_END,
};
