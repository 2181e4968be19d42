/* handles.c: opened interfaces of skels.
 *
 * Methods 0 and 1 of a 64-bit interface open and close it. This file calls them, as the DSP's
 * module table does (the open-source libcdsprpc has the same table: quic/fastrpc, src/mod_table.c).
 * A 32-bit interface has no such methods. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "core.h"
#include "counts.h"
#include "module.h"
#include "stack_depth.h"
#include "stack_switch.h"
#include "trace.h"
#include "translate/qf_tags.h"

#define METHOD_SHIFT 24
#define METHOD_ESCAPE 0x1f
#define SCALARS_OPEN ((0u << METHOD_SHIFT) | (2u << 16) | 1u)
#define SCALARS_CLOSE ((1u << METHOD_SHIFT) | (1u << 4))

typedef int (*entry_64)(uint64_t handle, uint32_t scalars, shell_argument *arguments);
typedef int (*entry_32)(uint32_t scalars, shell_argument *arguments);

struct handle {
    struct handle *next;
    uint64_t id;
    struct module *module;
    bool is_64;
    entry_64 invoke_64;
    entry_32 invoke_32;
    uint64_t skel_handle; /* the handle from the skel's open method */
    uint32_t traced_name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle *handles;
static uint64_t last_id;

static struct handle *by_id(uint64_t id)
{
    pthread_mutex_lock(&lock);
    struct handle *handle = handles;
    while (handle != NULL && handle->id != id) {
        handle = handle->next;
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

uintptr_t shell_call_frame(void)
{
    return fault_context.skel == NULL ? 0 : fault_context.frame;
}

struct entry_call {
    const struct handle *handle;
    uint64_t first;
    uint32_t scalars;
    shell_argument *arguments;
    uint64_t since; /* of clock_now() */
    int code;
};

/* The method, also one whose number does not fit into the scalars: it is the first word then. */
static uint32_t method_number(uint32_t scalars, const shell_argument *arguments)
{
    const uint32_t method = (scalars >> METHOD_SHIFT) & METHOD_ESCAPE;
    const bool has_number = ((scalars >> 16) & 0xff) > 0 && arguments[0].buf.nLen >= sizeof method;
    if (method != METHOD_ESCAPE || !has_number) {
        return method;
    }
    uint32_t number;
    memcpy(&number, arguments[0].buf.pv, sizeof number);
    return number;
}

/* Two functions are made of it, so that calls whose stack is not measured execute nothing for that. */
static inline __attribute__((always_inline)) void enter(struct entry_call *call, bool measured)
{
    const struct handle *handle = call->handle;
    fault_context.frame = (uintptr_t)__builtin_frame_address(0);
    const uint32_t method = method_number(call->scalars, call->arguments);
    counts_begin(fault_context.skel, method, 1);
    const uintptr_t top = measured ? stack_fill(fault_stack.low) : 0;
    call->code = handle->is_64 ? handle->invoke_64(call->first, call->scalars, call->arguments)
                               : handle->invoke_32(call->scalars, call->arguments);
    if (measured) {
        counts_stack(stack_depth(fault_stack.low, top));
    }
    counts_end();
    if (call->code != AEE_SUCCESS) {
        counts_failed(fault_context.skel, method, call->code, call->arguments,
                      (call->scalars >> 16) & 0xff, (call->scalars >> 8) & 0xff);
    }
    trace_call(call->since, handle->traced_name, method, call->code);
}

static void call_entry(void *argument)
{
    enter(argument, false);
}

static __attribute__((noinline)) void call_measured(struct entry_call *call)
{
    enter(call, true);
}

/* check may be NULL. */
static int call(const struct handle *handle, uint64_t first, uint32_t scalars,
                shell_argument *arguments, const struct call_check *check)
{
    const struct fault_context before = fault_context;
    struct entry_call entry = {
        .handle = handle, .first = first, .scalars = scalars, .arguments = arguments};
    fault_context.skel = module_name(handle->module);
    fault_context.method = (scalars >> METHOD_SHIFT) & 0x1f;
    fault_context.entry = handle->is_64 ? (uintptr_t)handle->invoke_64
                                        : (uintptr_t)handle->invoke_32;
    struct running_call running = {.skel = fault_context.skel, .method = fault_context.method};
    running_begin(&running);
    entry.since = running.since;
    struct guarded stack = {.mapping = NULL};
    if (shell_facts()->strict != STRICT_OFF && exact_stack(&stack, shell_facts()->stack_bytes)) {
        stack_switch(&stack, shell_facts()->stack_bytes, call_entry, &entry);
        guarded_retire(&stack);
    } else if (shell_facts()->measure_stack) {
        call_measured(&entry);
    } else {
        call_entry(&entry);
    }
    running_end(&running);
    qf_tags_check();
    if (check != NULL) {
        check->returned(check->context);
    }
    fault_context = before;
    log_end_line();
    return entry.code;
}

static int bind(struct handle *handle, const char *file, const char *symbol, const char *uri,
                char *reason, size_t room)
{
    void *entry = module_function(handle->module, symbol);
    if (entry == NULL) {
        snprintf(reason, room,
                 "%s does not export %s: the symbol is hidden, the interface has another name in "
                 "the IDL, or an older file of that name comes first on the path",
                 file, symbol);
        return AEE_ENOSUCHSYMBOL;
    }
    if (!handle->is_64) {
        memcpy(&handle->invoke_32, &entry, sizeof entry);
        return AEE_SUCCESS;
    }
    memcpy(&handle->invoke_64, &entry, sizeof entry);
    uint32_t length = (uint32_t)strlen(uri) + 1;
    shell_argument arguments[3];
    memset(arguments, 0, sizeof arguments);
    arguments[0].buf.pv = &length;
    arguments[0].buf.nLen = sizeof length;
    arguments[1].buf.pv = (void *)(uintptr_t)uri;
    arguments[1].buf.nLen = length;
    int code = call(handle, 0, SCALARS_OPEN, arguments, NULL);
    handle->skel_handle = arguments[2].raw;
    if (code != AEE_SUCCESS) {
        snprintf(reason, room, "the open method of %s returned 0x%x%s", file, (unsigned)code,
                 code == AEE_ESTUBSKELVERMISMATCH
                     ? ": the stub's IDL_VERSION is newer than the skel's"
                     : "");
    }
    return code;
}

int handle_open(int skel, const char *file, const char *symbol, const char *uri, bool is_64,
                uint64_t *id, char *reason, size_t room)
{
    struct handle *handle = calloc(1, sizeof *handle);
    if (handle == NULL) {
        snprintf(reason, room, "the DSP process is out of memory");
        return AEE_ENOMEMORY;
    }
    handle->is_64 = is_64;
    char why[MODULE_REASON_MAX];
    int code = module_load(skel, file, shell_facts()->arch, module_open_library, NULL, true,
                           &handle->module, why);
    if (code != AEE_SUCCESS) {
        snprintf(reason, room, "%s", why);
        free(handle);
        return code;
    }
    handle->traced_name = trace_name(module_name(handle->module));
    code = bind(handle, file, symbol, uri, reason, room);
    if (code != AEE_SUCCESS) {
        module_unload(handle->module);
        free(handle);
        return code;
    }
    pthread_mutex_lock(&lock);
    handle->id = ++last_id;
    handle->next = handles;
    handles = handle;
    pthread_mutex_unlock(&lock);
    *id = handle->id;
    return AEE_SUCCESS;
}

int handle_invoke(uint64_t id, uint32_t scalars, shell_argument *arguments,
                  const struct call_check *check)
{
    const struct handle *handle = by_id(id);
    if (trace_is_on() && method_number(scalars, arguments) == BT_TRACE_METHOD) {
        return AEE_EUNSUPPORTED; /* the shell has recorded what the skel would */
    }
    return handle == NULL ? AEE_ENOSUCHMOD
                          : call(handle, handle->skel_handle, scalars, arguments, check);
}

/* libcdsprpc closes a handle only after the last call has returned. */
int handle_close(uint64_t id)
{
    pthread_mutex_lock(&lock);
    struct handle **at = &handles;
    while (*at != NULL && (*at)->id != id) {
        at = &(*at)->next;
    }
    struct handle *handle = *at;
    if (handle != NULL) {
        *at = handle->next;
    }
    pthread_mutex_unlock(&lock);
    if (handle == NULL) {
        return AEE_ENOSUCHMOD;
    }
    int code = AEE_SUCCESS;
    if (handle->is_64) {
        shell_argument argument = {.raw = handle->skel_handle};
        code = call(handle, 0, SCALARS_CLOSE, &argument, NULL);
    }
    module_unload(handle->module);
    free(handle);
    return code;
}
