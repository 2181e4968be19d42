/* symbols.c: looks up names in all symbol tables. */
#include "symbols.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
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

static pthread_once_t indexed = PTHREAD_ONCE_INIT;
static const struct shell_symbol **slots; /* a hash table with at most half of its slots used */
static uint32_t slot_mask;

static uint32_t hash(const char *name)
{
    uint32_t value = 2166136261u;
    for (; *name != 0; name++) {
        value = (value ^ (uint8_t)*name) * 16777619u;
    }
    return value;
}

/* Returns the slot that has a name, or the empty slot where it belongs. */
static const struct shell_symbol **slot_of(const char *name)
{
    uint32_t at = hash(name) & slot_mask;
    while (slots[at] != NULL && strcmp(slots[at]->name, name) != 0) {
        at = (at + 1) & slot_mask;
    }
    return &slots[at];
}

static void make_index(void)
{
    size_t count = 0;
    for (const struct symbol_table *table = symbol_tables; table->name != NULL; table++) {
        for (const struct shell_symbol *symbol = table->symbols; symbol->name != NULL; symbol++) {
            count++;
        }
    }
    size_t size = 1024;
    while (size < 2 * count) {
        size *= 2;
    }
    slots = calloc(size, sizeof *slots);
    if (slots == NULL) {
        abort();
    }
    slot_mask = (uint32_t)size - 1;
    for (const struct symbol_table *table = symbol_tables; table->name != NULL; table++) {
        for (const struct shell_symbol *symbol = table->symbols; symbol->name != NULL; symbol++) {
            const struct shell_symbol **slot = slot_of(symbol->name);
            *slot = *slot == NULL ? symbol : *slot;
        }
    }
}

void *shell_symbol_find(const char *name)
{
    pthread_once(&indexed, make_index);
    const struct shell_symbol *symbol = *slot_of(name);
    return symbol == NULL ? NULL : symbol->address;
}

const char *shell_symbol_at(const void *address)
{
    for (const struct symbol_table *table = symbol_tables; table->name != NULL; table++) {
        for (const struct shell_symbol *symbol = table->symbols; symbol->name != NULL; symbol++) {
            if (symbol->address == address) {
                return symbol->name;
            }
        }
    }
    return NULL;
}
