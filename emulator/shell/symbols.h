/* symbols.h: the names that the emulated DSP shell offers to skels.
 *
 * One family of names is one file, runtime/<family>.c, that defines
 * `const struct shell_symbol <family>_symbols[]`, ended by {0, 0}.
 * runtime/families.h lists the families. A name that no family has is unknown:
 * a skel that needs it is refused at load, by name. */
#ifndef BUILDTOOL_SHELL_SYMBOLS_H
#define BUILDTOOL_SHELL_SYMBOLS_H

#include <stddef.h>

struct shell_symbol {
    const char *name;
    void *address;
};

struct shell_family {
    const char *name;
    const struct shell_symbol *symbols;
};

/* All families, ended by {0, 0}. */
extern const struct shell_family shell_families[];

/* The address of a name, or NULL when no family offers it. */
void *shell_symbol_find(const char *name);

#endif
