/* libc.c: the part of the C library that DSP shells are known to give to skels.
 *
 * musl's own, where the interface is the same on both sides. Functions with unnamed
 * arguments or a va_list have entries of their own (variadic.h). */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "runtime.h"
#include "variadic.h"

/* A DSP process has no environment. */
static char *no_environment(const char *name)
{
    (void)name;
    return NULL;
}

static void leave(int status)
{
    die("the skel called exit(%d): on a DSP this ends the process of all its handles", status);
}

const struct shell_symbol libc_symbols[] = {
    OFFER(abort),
    OFFER(atoi),
    OFFER_AS("exit", leave),
    OFFER_AS("getenv", no_environment),
    OFFER(memcmp),
    OFFER(memcpy),
    OFFER(memmove),
    OFFER(memset),
    OFFER(strchr),
    OFFER(strcmp),
    OFFER(strlcpy),
    OFFER(strlen),
    OFFER(strncmp),
    OFFER(strncpy),
    OFFER(strstr),
    OFFER(strtok_r),
    OFFER(strtoul),
    OFFER_AS("snprintf", variadic_snprintf),
    OFFER_AS("vsnprintf", variadic_format),
    OFFER_END,
};
