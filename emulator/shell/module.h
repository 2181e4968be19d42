/* module.h: skels and their libraries in memory. */
#ifndef BUILDTOOL_SHELL_MODULE_H
#define BUILDTOOL_SHELL_MODULE_H

#include <stddef.h>
#include <stdint.h>

#define MODULE_REASON_MAX 2048

struct module;

/* Opens a library that a module needs: a descriptor, which becomes the callee's own, or
 * -1 with `reason` filled. */
typedef int (*module_opener)(void *context, const char *name, char *reason, size_t room);

/* Loads the shared object in fd, or adds a reference when the same file is already loaded.
 * name is for messages. arch is the newest that the device runs, 0x68 for v68. Returns
 * 0 or a code, and then in reason one line that says why: AEE_EBADELF, AEE_ENOMEMORY,
 * AEE_EUNABLETOLOAD (arch, undefined symbols, a needed library). run: whether its
 * constructors run. */
int module_load(int fd, const char *name, uint32_t arch, module_opener opener, void *context,
                int run, struct module **loaded, char reason[MODULE_REASON_MAX]);

/* Drops a reference. With the last one, destructors run and the memory is unmapped. */
void module_unload(struct module *module);

/* The address of a function that the module exports, or NULL. */
void *module_function(const struct module *module, const char *name);

const char *module_name(const struct module *module);

/* Which module an address belongs to, for reports of crashes: its name, or NULL, and
 * the address as linked in *offset. Takes no lock: may be called in a signal handler. */
const char *module_at(uintptr_t address, uint32_t *offset);

#endif
