/* debugger.c: tells a debugger which modules are loaded, as a dynamic linker does.
 *
 * A debugger sets a breakpoint at _rtld_debug_state, which is called before and after each change of
 * the list in _rtld_debug. It finds both by their names, and opens the files that the list names.
 * Source: <link.h> of the C library, and LLVM's lldb/source/Plugins/DynamicLoader/Hexagon-DYLD. */
#include "module_list.h"

enum state { CONSISTENT, ADD, DELETE };

/* struct r_debug of <link.h>. */
extern struct {
    int version;
    struct module_link *modules;
    void (*breakpoint)(void);
    enum state state;
    uintptr_t linker;
} _rtld_debug;

void _rtld_debug_state(void);
__attribute__((noinline)) void _rtld_debug_state(void)
{
    __asm__ volatile("" ::: "memory"); /* keeps the calls of this function */
}

__typeof__(_rtld_debug) _rtld_debug = {.version = 1, .breakpoint = _rtld_debug_state};

static void announce(enum state state)
{
    _rtld_debug.state = state;
    _rtld_debug_state();
}

void debugger_add(struct module *module)
{
    struct module_link *link = &module->link;
    announce(ADD);
    *link = (struct module_link){.base = (uintptr_t)module->memory.base,
                                 .path = module->path == NULL ? module->name : module->path,
                                 .next = _rtld_debug.modules};
    if (link->next != NULL) {
        link->next->previous = link;
    }
    _rtld_debug.modules = link;
    announce(CONSISTENT);
}

void debugger_remove(struct module *module)
{
    struct module_link *link = &module->link;
    announce(DELETE);
    if (link->next != NULL) {
        link->next->previous = link->previous;
    }
    *(link->previous == NULL ? &_rtld_debug.modules : &link->previous->next) = link->next;
    announce(CONSISTENT);
}
