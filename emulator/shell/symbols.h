/* symbols.h: the names that the emulated DSP shell exports to skels.
 *
 * Each symbol table is one file, runtime/<name>.c, that defines
 * `const struct shell_symbol <name>_symbols[]`, terminated by {0, 0}. runtime/symbol_tables.h lists
 * them. unimplemented.h has the names that only real shells export. */
#ifndef BUILDTOOL_SHELL_SYMBOLS_H
#define BUILDTOOL_SHELL_SYMBOLS_H

#include <stddef.h>

struct shell_symbol {
    const char *name;
    void *address;
};

struct symbol_table {
    const char *name;
    const struct shell_symbol *symbols;
};

/* All symbol tables, terminated by {0, 0}. */
extern const struct symbol_table symbol_tables[];

/* Returns the address of a name, or NULL when no table has it. */
void *shell_symbol_find(const char *name);

/* Returns the name of the exported function or variable at an address, or NULL. */
const char *shell_symbol_at(const void *address);

#endif
