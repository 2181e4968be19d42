/* symbols.c: looks a name up in all families. */
#include "symbols.h"

#include <string.h>

#define SHELL_FAMILY(family) extern const struct shell_symbol family##_symbols[];
#include "runtime/families.h"
#undef SHELL_FAMILY

const struct shell_family shell_families[] = {
#define SHELL_FAMILY(family) {#family, family##_symbols},
#include "runtime/families.h"
#undef SHELL_FAMILY
    {NULL, NULL},
};

void *shell_symbol_find(const char *name)
{
    for (const struct shell_family *family = shell_families; family->name != NULL; family++) {
        for (const struct shell_symbol *symbol = family->symbols; symbol->name != NULL; symbol++) {
            if (strcmp(symbol->name, name) == 0) {
                return symbol->address;
            }
        }
    }
    return NULL;
}
