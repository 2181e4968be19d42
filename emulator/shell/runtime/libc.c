/* libc.c: the part of the C library that DSP shells give to skels, and that is the same here.
 *
 * musl's own, where the interface is the same on both sides. Not here: what has a FILE, a
 * wchar_t, a time_t, a locale, errno or another type or constant that the DSP's C library has
 * its own idea of. What prints is in stdio.c. */
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
    die("the skel called exit(%d): on a DSP this ends the process of all its handles", status);
}

/* ---- what the skel frees, with the shell's heap ---- */

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

const struct shell_symbol libc_symbols[] = {
    OFFER_AS("exit", leave), OFFER_AS("_Exit", leave), OFFER_AS("getenv", no_environment),
    OFFER_AS("strdup", duplicate), OFFER_AS("posix_memalign", aligned),
    /* stdlib.h, inttypes.h */
    OFFER(abort), OFFER(abs), OFFER(labs), OFFER(llabs), OFFER(imaxabs), OFFER(div), OFFER(ldiv),
    OFFER(lldiv), OFFER(imaxdiv), OFFER(atof), OFFER(atoi), OFFER(atol), OFFER(atoll),
    OFFER(strtod), OFFER(strtof), OFFER(strtold), OFFER(strtol), OFFER(strtoll), OFFER(strtoul),
    OFFER(strtoull), OFFER(strtoimax), OFFER(strtoumax), OFFER(bsearch), OFFER(qsort), OFFER(rand),
    OFFER(rand_r), OFFER(srand), OFFER(drand48), OFFER(erand48), OFFER(jrand48), OFFER(lcong48),
    OFFER(lrand48), OFFER(mrand48), OFFER(nrand48), OFFER(seed48), OFFER(srand48), OFFER(a64l),
    OFFER(l64a),
    /* string.h, strings.h */
    OFFER(bcmp), OFFER(bcopy), OFFER(bzero), OFFER(ffs), OFFER(index), OFFER(rindex),
    OFFER(memccpy), OFFER(memchr), OFFER(memcmp), OFFER(memcpy), OFFER(memmove), OFFER(memset),
    OFFER(strcasecmp), OFFER(strcat), OFFER(strchr), OFFER(strcmp), OFFER(strcoll), OFFER(strcpy),
    OFFER(strcspn), OFFER(strerror), OFFER(strerror_r), OFFER(strlcat), OFFER(strlcpy),
    OFFER(strlen), OFFER(strncasecmp), OFFER(strncat), OFFER(strncmp), OFFER(strncpy),
    OFFER(strpbrk), OFFER(strrchr), OFFER(strsep), OFFER(strspn), OFFER(strstr), OFFER(strtok),
    OFFER(strtok_r), OFFER(strxfrm), OFFER(swab),
    /* ctype.h */
    OFFER(isalnum), OFFER(isalpha), OFFER(isascii), OFFER(isblank), OFFER(iscntrl), OFFER(isdigit),
    OFFER(isgraph), OFFER(islower), OFFER(isprint), OFFER(ispunct), OFFER(isspace), OFFER(isupper),
    OFFER(isxdigit), OFFER(toascii), OFFER(tolower), OFFER(toupper),
    /* search.h, setjmp.h */
    OFFER(tdelete), OFFER(tfind), OFFER(tsearch), OFFER(twalk), OFFER(setjmp), OFFER(longjmp),
    OFFER_END,
};
