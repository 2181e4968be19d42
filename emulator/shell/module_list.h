/* module_list.h: the interface between module.c, module_symbols.c and module_open.c. */
#ifndef BUILDTOOL_SHELL_MODULE_LIST_H
#define BUILDTOOL_SHELL_MODULE_LIST_H

#include <sys/types.h>

#include "image.h"
#include "link.h"
#include "module.h"

#define MODULE_NAME_BYTES 256 /* the longest file name and a terminator */
#define MODULE_PATH_BYTES 4096

/* A module in the list that debuggers read: struct link_map of <link.h>. */
struct module_link {
    uintptr_t base;
    const char *path;
    void *dynamic;
    struct module_link *next, *previous;
};

struct module {
    struct module *next;
    char name[MODULE_NAME_BYTES];
    char *path; /* of the file; NULL: unknown */
    dev_t device;
    ino_t inode;
    unsigned references;
    unsigned opened; /* how many of the references are dlopen's */
    bool global;     /* dlopen has made its symbols visible to modules that are loaded later */
    bool loading;    /* set while it is loaded, to detect a library that needs itself */
    bool run;
    unsigned mark; /* of the last search that visited the module */
    struct image image;
    struct link_memory memory;
    struct module_link link; /* path is NULL: debuggers do not know it */
    uint32_t tls;            /* id of the module's thread-local variables; 0: none */
    uint32_t dependency_count;
    struct module *dependencies[IMAGE_NEEDED_MAX];
};

/* All modules. Change the list with both locks, read it with either. */
extern struct module *modules;

/* Held while modules are loaded and unloaded, with their constructors and destructors. A thread may
 * acquire it again. */
void modules_lock(void);
void modules_unlock(void);

/* Held for short times, so that exceptions do not wait for constructors. */
void modules_list_lock(void);
void modules_list_unlock(void);

/* How many modules were added to the list and removed from it since the start. */
extern unsigned long long modules_added, modules_removed;

/* What an undefined symbol of a module stands for. */
struct module_symbol {
    void *address;
    uint32_t tls; /* of a thread-local variable: the module's id and the offset */
    uint32_t offset;
};

/* Finds a symbol in the shell, in the libraries that the module needs, or in global modules. NULL
 * stands for no module: then all modules are searched. The caller holds modules_lock. */
bool module_resolve(struct module *module, const char *name, struct module_symbol *found);

/* Finds a symbol in a module and in the libraries that it needs. */
bool module_search(struct module *module, const char *name, struct module_symbol *found);

/* Whether a module has an entry that FastRPC calls. Other modules are libraries. */
bool module_is_skel(const struct module *module);

/* Add a module, before its constructors run, to the list that debuggers read, and remove it. The
 * caller holds modules_lock. */
void debugger_add(struct module *module);
void debugger_remove(struct module *module);

/* Returns the module whose memory contains an address, or NULL. */
struct module *module_of(uintptr_t address);

#endif
