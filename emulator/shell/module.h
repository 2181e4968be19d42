/* module.h: loaded skels and libraries. */
#ifndef BUILDTOOL_SHELL_MODULE_H
#define BUILDTOOL_SHELL_MODULE_H

#include <stdbool.h>
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
                bool run, struct module **loaded, char reason[MODULE_REASON_MAX]);

/* Drops a reference. Dropping the last one runs destructors and unmaps the memory. */
void module_unload(struct module *module);

/* Returns the address of a function that the module exports, or NULL. */
void *module_function(const struct module *module, const char *name);

const char *module_name(const struct module *module);

/* Returns the name of the module that contains an address, or NULL, for reports of crashes. Stores
 * the link-time address in *offset. Takes no lock, so that signal handlers can call it. */
const char *module_at(uintptr_t address, uint32_t *offset);

/* Returns the instruction at which a module was stopped because its packet cannot be translated, and
 * stores why, or returns NULL. Takes no lock, either. */
const char *module_stopped_at(uintptr_t address, const char **why);

/* Returns the return address of the function that executes at `pc`, of these registers: that in r31,
 * unless a thunk has saved it, see translate/translate.h. */
uintptr_t module_return_address(uintptr_t pc, uintptr_t r31, uintptr_t r29);

/* ---- libraries that skels open themselves ---- */

/* A module_opener for modules of the device. libcdsprpc searches for the library. While no call is
 * running, nobody waits for its requests; then the library must be beside a loaded module. */
int module_open_library(void *context, const char *name, char *reason, size_t room);

/* Opens a library, or adds a reference to it. Returns 0, or a code and a message in reason, as
 * module_load. */
int module_open(const char *name, bool global, struct module **opened,
                char reason[MODULE_REASON_MAX]);

/* Opens a library from its bytes, which are not needed later. */
int module_open_bytes(const char *name, const void *bytes, size_t size, bool global,
                      struct module **opened, char reason[MODULE_REASON_MAX]);

/* Drops a reference that module_open has added. Returns false for anything else than an opened
 * library. */
bool module_close(struct module *opened);

/* Returns the address of a symbol for the calling thread, or NULL: of an opened library and those
 * that it needs, or, if `opened` is NULL, of the shell and of all modules. */
void *module_find(struct module *opened, const char *name);

/* The module and the exported symbol to which an address belongs. */
struct module_place {
    const char *file;
    void *base;
    const char *symbol; /* NULL: none */
    void *address;      /* of the symbol */
};

/* Returns false for an address outside of all modules. */
bool module_describe(const void *address, struct module_place *place);

/* Returns the image of that module, or NULL. */
struct image;
const struct image *module_image_at(uintptr_t address);

#endif
