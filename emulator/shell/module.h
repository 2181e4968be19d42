/* module.h: loaded skels and libraries. */
#ifndef BUILDTOOL_SHELL_MODULE_H
#define BUILDTOOL_SHELL_MODULE_H

#include <stddef.h>
#include <stdint.h>

#define MODULE_REASON_MAX 2048

struct module;

/* Opens a library that a module needs. Returns a descriptor, which the caller closes, or -1 and the
 * reason in `reason`. */
typedef int (*module_opener)(void *context, const char *name, char *reason, size_t room);

/* Loads the shared object in fd, or adds a reference when the same file is already loaded. name is
 * used in messages. arch is the newest arch that the device runs, 0x68 for v68. run tells whether
 * to run constructors and destructors. Returns 0, or a code and a message of one line in reason:
 * AEE_EBADELF, AEE_ENOMEMORY, or AEE_EUNABLETOLOAD (arch, undefined symbols, a needed library). */
int module_load(int fd, const char *name, uint32_t arch, module_opener opener, void *context,
                int run, struct module **loaded, char reason[MODULE_REASON_MAX]);

/* Drops a reference. Dropping the last one runs destructors and unmaps the memory. */
void module_unload(struct module *module);

/* Returns the address of a function that the module exports, or NULL. */
void *module_function(const struct module *module, const char *name);

const char *module_name(const struct module *module);

/* Returns the name of the module that contains an address, or NULL, for reports of crashes. Stores
 * the link-time address in *offset. Takes no lock, so that signal handlers can call it. */
const char *module_at(uintptr_t address, uint32_t *offset);

#endif
