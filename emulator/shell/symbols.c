/* symbols.c: looks up names in all symbol tables. */
#include "symbols.h"

#include <string.h>

#define SYMBOL_TABLE(name) extern const struct shell_symbol name##_symbols[];
#include "runtime/symbol_tables.h"
#undef SYMBOL_TABLE

const struct symbol_table symbol_tables[] = {
#define SYMBOL_TABLE(name) {#name, name##_symbols},
#include "runtime/symbol_tables.h"
#undef SYMBOL_TABLE
    {NULL, NULL},
};

void *shell_symbol_find(const char *name)
{
    for (const struct symbol_table *table = symbol_tables; table->name != NULL; table++) {
        for (const struct shell_symbol *symbol = table->symbols; symbol->name != NULL; symbol++) {
            if (strcmp(symbol->name, name) == 0) {
                return symbol->address;
            }
        }
    }
    return NULL;
}
