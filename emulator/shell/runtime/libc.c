/* libc.c: the part of the C library that DSP shells export to skels and that musl shares with them.
 *
 * A function is in this table if it has the same interface in musl and in the DSP's C library.
 * Functions with a FILE, a wchar_t, a time_t, a locale, errno, or another type or constant that the
 * DSP's C library defines differently are not. Functions that print are in stdio.c. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "heap.h"
#include "runtime.h"

/* A DSP process has no environment. */
static char *no_environment(const char *name)
{
    (void)name;
    return NULL;
}

static void leave(int status)
{
    die("the skel called exit(%d): on a DSP this ends the process and all its handles", status);
}

/* ---- functions that allocate: the skel frees the memory with heap_free ---- */

static char *duplicate(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = heap_malloc(size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

static int aligned(void **block, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) {
        return EINVAL;
    }
    void *got = heap_memalign(alignment, size);
    if (got == NULL) {
        return ENOMEM;
    }
    *block = got;
    return 0;
}

/* clang-format off */
const struct shell_symbol libc_symbols[] = {
    EXPORT_AS("exit", leave), EXPORT_AS("_Exit", leave), EXPORT_AS("getenv", no_environment),
    EXPORT_AS("strdup", duplicate), EXPORT_AS("posix_memalign", aligned),
    /* stdlib.h, inttypes.h */
    EXPORT(abort), EXPORT(abs), EXPORT(labs), EXPORT(llabs), EXPORT(imaxabs), EXPORT(div), EXPORT(ldiv),
    EXPORT(lldiv), EXPORT(imaxdiv), EXPORT(atof), EXPORT(atoi), EXPORT(atol), EXPORT(atoll),
    EXPORT(strtod), EXPORT(strtof), EXPORT(strtold), EXPORT(strtol), EXPORT(strtoll), EXPORT(strtoul),
    EXPORT(strtoull), EXPORT(strtoimax), EXPORT(strtoumax), EXPORT(bsearch), EXPORT(qsort), EXPORT(rand),
    EXPORT(rand_r), EXPORT(srand), EXPORT(drand48), EXPORT(erand48), EXPORT(jrand48), EXPORT(lcong48),
    EXPORT(lrand48), EXPORT(mrand48), EXPORT(nrand48), EXPORT(seed48), EXPORT(srand48), EXPORT(a64l),
    EXPORT(l64a),
    /* string.h, strings.h */
    EXPORT(bcmp), EXPORT(bcopy), EXPORT(bzero), EXPORT(ffs), EXPORT(index), EXPORT(rindex),
    EXPORT(memccpy), EXPORT(memchr), EXPORT(memcmp), EXPORT(memcpy), EXPORT(memmove), EXPORT(memset),
    EXPORT(strcasecmp), EXPORT(strcat), EXPORT(strchr), EXPORT(strcmp), EXPORT(strcoll), EXPORT(strcpy),
    EXPORT(strcspn), EXPORT(strerror), EXPORT(strerror_r), EXPORT(strlcat), EXPORT(strlcpy),
    EXPORT(strlen), EXPORT(strncasecmp), EXPORT(strncat), EXPORT(strncmp), EXPORT(strncpy),
    EXPORT(strpbrk), EXPORT(strrchr), EXPORT(strsep), EXPORT(strspn), EXPORT(strstr), EXPORT(strtok),
    EXPORT(strtok_r), EXPORT(strxfrm), EXPORT(swab),
    /* ctype.h */
    EXPORT(isalnum), EXPORT(isalpha), EXPORT(isascii), EXPORT(isblank), EXPORT(iscntrl), EXPORT(isdigit),
    EXPORT(isgraph), EXPORT(islower), EXPORT(isprint), EXPORT(ispunct), EXPORT(isspace), EXPORT(isupper),
    EXPORT(isxdigit), EXPORT(toascii), EXPORT(tolower), EXPORT(toupper),
    /* search.h, setjmp.h */
    EXPORT(tdelete), EXPORT(tfind), EXPORT(tsearch), EXPORT(twalk), EXPORT(setjmp), EXPORT(longjmp),
    EXPORT_END,
};
/* clang-format on */
