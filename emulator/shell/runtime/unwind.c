/* unwind.c: the unwinder for C++ exceptions, which is LLVM's libunwind, and what C++ compilers call
 * besides: guards of static variables.
 *
 * libunwind asks dl_iterate_phdr for the unwind tables of all code. musl's knows only the shell
 * itself. The function here adds the modules. A module without an index of its tables
 * (PT_GNU_EH_FRAME) passes their address to __register_frame_info_bases. */
#define _GNU_SOURCE
#include <elf.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <unwind.h>

#include "../module_list.h"
#include "exit_functions.h"
#include "runtime.h"

/* As in <link.h>, whose name a header of the shell has, too. */
struct dl_phdr_info {
    Elf32_Addr dlpi_addr;
    const char *dlpi_name;
    const Elf32_Phdr *dlpi_phdr;
    Elf32_Half dlpi_phnum;
    unsigned long long dlpi_adds, dlpi_subs;
    size_t dlpi_tls_modid;
    void *dlpi_tls_data;
};
int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data);

/* libunwind_ext.h */
void __unw_add_dynamic_eh_frame_section(uintptr_t start);
void __unw_remove_dynamic_eh_frame_section(uintptr_t start);

static int visit_shell(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
    struct dl_phdr_info information = {
        .dlpi_name = "fastrpc_shell",
        .dlpi_phdr = (const void *)(uintptr_t)getauxval(AT_PHDR),
        .dlpi_phnum = (uint16_t)getauxval(AT_PHNUM),
        .dlpi_adds = modules_added,
        .dlpi_subs = modules_removed,
    };
    return visit(&information, sizeof information, data);
}

int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
    modules_list_lock();
    int result = visit_shell(visit, data);
    for (struct module *module = modules; module != NULL && result == 0; module = module->next) {
        if (module->memory.mapping == NULL) {
            continue;
        }
        struct dl_phdr_info information = {
            .dlpi_addr = (Elf32_Addr)(uintptr_t)module->memory.base,
            .dlpi_name = module->name,
            .dlpi_phdr = module->image.headers,
            .dlpi_phnum = (uint16_t)module->image.header_count,
            .dlpi_adds = modules_added,
            .dlpi_subs = modules_removed,
        };
        result = visit(&information, sizeof information, data);
    }
    modules_list_unlock();
    return result;
}

/* ---- tables without an index ---- */

static bool has_index(const struct module *module)
{
    for (uint32_t i = 0; i < module->image.header_count; i++) {
        if (module->image.headers[i].p_type == PT_GNU_EH_FRAME) {
            return true;
        }
    }
    return false;
}

/* Whether a table of frames begins here: entries, each with its length, and a zero at the end. */
static bool is_table(const uint8_t *at, const uint8_t *end)
{
    uint32_t length = 1;
    while (length != 0 && at <= end && (size_t)(end - at) >= sizeof length) {
        memcpy(&length, at, sizeof length);
        if (length > (size_t)(end - at) - sizeof length || length % 4 != 0) {
            return false;
        }
        at += sizeof length + length;
    }
    return length == 0;
}

/* Returns whether the unwinder needs the frames that begin at an address. */
static bool is_needed(const void *frames)
{
    modules_list_lock();
    const struct module *module = module_of((uintptr_t)frames);
    bool needed = module != NULL && !has_index(module) &&
                  is_table(frames, module->memory.mapping + module->memory.mapping_size);
    modules_list_unlock();
    return needed;
}

static void forget_frames(void *frames)
{
    __unw_remove_dynamic_eh_frame_section((uintptr_t)frames);
}

static void register_frames(void *frames)
{
    if (is_needed(frames) && exit_functions_add(forget_frames, frames, frames) == 0) {
        __unw_add_dynamic_eh_frame_section((uintptr_t)frames);
    }
}

/* The frames are forgotten after all functions of the module that run when it is unloaded. */
static void *deregister_frames(const void *frames)
{
    (void)frames;
    return NULL;
}

/* ---- static variables of functions ---- */

/* The first byte of a guard tells whether the variable has its value, the second one whether a
 * thread is computing it. */
struct guard {
    uint8_t done, busy;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;

static int guard_acquire(struct guard *guard)
{
    pthread_mutex_lock(&lock);
    while (guard->done == 0 && guard->busy != 0) {
        pthread_cond_wait(&released, &lock);
    }
    bool first = guard->done == 0;
    guard->busy = first;
    pthread_mutex_unlock(&lock);
    return first;
}

static void leave_guard(struct guard *guard, bool done)
{
    pthread_mutex_lock(&lock);
    __atomic_store_n(&guard->done, done, __ATOMIC_RELEASE);
    guard->busy = 0;
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&lock);
}

static void guard_release(struct guard *guard)
{
    leave_guard(guard, true);
}

static void guard_abort(struct guard *guard)
{
    leave_guard(guard, false);
}

static void pure_virtual(void)
{
    die("the skel called a pure virtual function");
}

const struct shell_symbol unwind_symbols[] = {
    EXPORT(_Unwind_DeleteException),
    EXPORT(_Unwind_ForcedUnwind),
    EXPORT(_Unwind_GetDataRelBase),
    EXPORT(_Unwind_GetGR),
    EXPORT(_Unwind_GetIP),
    EXPORT(_Unwind_GetLanguageSpecificData),
    EXPORT(_Unwind_GetRegionStart),
    EXPORT(_Unwind_GetTextRelBase),
    EXPORT(_Unwind_RaiseException),
    EXPORT(_Unwind_Resume),
    EXPORT(_Unwind_Resume_or_Rethrow),
    EXPORT(_Unwind_SetGR),
    EXPORT(_Unwind_SetIP),
    EXPORT_AS("__register_frame_info_bases", register_frames),
    EXPORT_AS("__deregister_frame_info_bases", deregister_frames),
    EXPORT_AS("__cxa_guard_acquire", guard_acquire),
    EXPORT_AS("__cxa_guard_release", guard_release),
    EXPORT_AS("__cxa_guard_abort", guard_abort),
    EXPORT_AS("__cxa_pure_virtual", pure_virtual),
    EXPORT_END,
};
