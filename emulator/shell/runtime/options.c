/* options.c: parsing of command lines, and the hash function of hsearch(). */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "runtime.h"

/* getsubopt, with the variable of BSD. */
static char *sub_option;

static int get_sub_option(char **option, char *const *tokens, char **value)
{
    sub_option = *option;
    return getsubopt(option, tokens, value);
}

/* The function that BSD's hsearch() hashes with, which a program may replace: 33 * hash + byte. */
static uint32_t hash_bytes(const void *key, size_t length)
{
    uint32_t hash = 0;
    for (const unsigned char *byte = key; length > 0; byte++, length--) {
        hash = hash * 33 + *byte;
    }
    return hash;
}

static uint32_t (*default_hash)(const void *key, size_t length) = hash_bytes;

const struct shell_symbol options_symbols[] = {
    EXPORT(getopt),
    {"optarg", (void *)&optarg},
    {"optind", &optind},
    {"opterr", &opterr},
    {"optopt", &optopt},
    EXPORT_AS("getsubopt", get_sub_option),
    {"suboptarg", (void *)&sub_option},
    {"__default_hash", (void *)&default_hash},
    EXPORT_END,
};
