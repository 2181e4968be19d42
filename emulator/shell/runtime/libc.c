/* libc.c: the part of the C library that is the same in musl and in the DSP's C library.
 *
 * A function is in this table if it has the same interface in both. Those with a FILE, a time_t, a
 * locale or another type that the DSP's C library defines differently are in files of their own. */
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

/* errno is a macro with this function in the DSP's C library. */
static int *error_number(void)
{
    return &errno;
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
    EXPORT_AS("_Geterrno", error_number), EXPORT_AS("strdup", duplicate), EXPORT_AS("posix_memalign", aligned),
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
    EXPORT(isxdigit), EXPORT(toascii),
    /* search.h, setjmp.h */
    EXPORT(tdelete), EXPORT(tfind), EXPORT(tsearch), EXPORT(twalk), EXPORT(setjmp), EXPORT(longjmp),
    EXPORT_END,
};
/* clang-format on */
