/* cxx.c: what zig's C++ library needs of a C library and no DSP shell exports: aligned memory, the one
 * locale "C", and where the unwinder finds the tables of the program.
 *
 * Shells export an unwinder of their own.  Programs have LLVM's, so that exceptions work the same on
 * all of them; it knows the code of one program, so none passes from one library to another. */
#include "runtime.h"

void *memalign(size_t alignment, size_t size);
int strcmp(const char *one, const char *other);
void qurt_sleep(unsigned long long microseconds);

OWN void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

/* The shell's own takes blocks of another heap than free(), which the linker replaces (--wrap). */
OWN int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = memalign(alignment, size);
    return *block == NULL ? 12 : 0; /* ENOMEM */
}

OWN int sched_yield(void)
{
    qurt_sleep(1);
    return 0;
}

/* ---- the unwinder ---- */

/* The start of an ELF file of 32 bits. */
struct elf_header {
    unsigned char identity[16];
    uint16_t type, machine;
    uint32_t version, entry, segments_at, sections_at, flags;
    uint16_t size, segment_size, segment_count;
};

/* <link.h> */
struct dl_phdr_info {
    uint32_t address;
    const char *name;
    const void *segments;
    uint16_t count;
    unsigned long long added, removed;
    size_t tls_module;
    void *tls_data;
};

extern const struct elf_header __ehdr_start
    __attribute__((visibility("hidden"))); /* the linker's */

__attribute__((weak, visibility("hidden"))) int
dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
    const char *start = (const char *)&__ehdr_start;
    struct dl_phdr_info program = {.address = (uint32_t)(uintptr_t)start,
                                   .name = "",
                                   .segments = start + __ehdr_start.segments_at,
                                   .count = __ehdr_start.segment_count,
                                   .added = 1};

    return visit(&program, sizeof program, data);
}

/* ---- locales: "C" is the only one ---- */

typedef struct locale *locale_t;
struct tm;

static char only; /* its address is the locale */

OWN locale_t newlocale(int categories, const char *name, locale_t base)
{
    (void)categories;
    (void)base;
    const bool known = *name == '\0' || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0;
    return known ? (locale_t)&only : NULL;
}

OWN void freelocale(locale_t locale)
{
    (void)locale;
}

OWN locale_t uselocale(locale_t locale)
{
    (void)locale;
    return (locale_t)&only;
}

OWN size_t __ctype_get_mb_cur_max(void)
{
    return 1;
}

/* NAME_l is NAME, without the locale. */
#define IN_LOCALE_1(result, name, A)          \
    result name(A);                           \
    OWN result name##_l(A a, locale_t locale) \
    {                                         \
        (void)locale;                         \
        return name(a);                       \
    }
#define IN_LOCALE_2(result, name, A, B)            \
    result name(A, B);                             \
    OWN result name##_l(A a, B b, locale_t locale) \
    {                                              \
        (void)locale;                              \
        return name(a, b);                         \
    }
#define IN_LOCALE_3(result, name, A, B, C)              \
    result name(A, B, C);                               \
    OWN result name##_l(A a, B b, C c, locale_t locale) \
    {                                                   \
        (void)locale;                                   \
        return name(a, b, c);                           \
    }
IN_LOCALE_1(int, tolower, int)
IN_LOCALE_1(int, toupper, int)
IN_LOCALE_1(int, iswalpha, int)
IN_LOCALE_1(int, iswblank, int)
IN_LOCALE_1(int, iswcntrl, int)
IN_LOCALE_1(int, iswdigit, int)
IN_LOCALE_1(int, iswlower, int)
IN_LOCALE_1(int, iswprint, int)
IN_LOCALE_1(int, iswpunct, int)
IN_LOCALE_1(int, iswspace, int)
IN_LOCALE_1(int, iswupper, int)
IN_LOCALE_1(int, iswxdigit, int)
IN_LOCALE_1(int, towlower, int)
IN_LOCALE_1(int, towupper, int)
IN_LOCALE_2(float, strtof, const char *, char **)
IN_LOCALE_2(double, strtod, const char *, char **)
IN_LOCALE_2(long double, strtold, const char *, char **)
IN_LOCALE_2(int, strcoll, const char *, const char *)
IN_LOCALE_2(int, wcscoll, const wchar_t *, const wchar_t *)
IN_LOCALE_3(size_t, strxfrm, char *, const char *, size_t)
IN_LOCALE_3(size_t, wcsxfrm, wchar_t *, const wchar_t *, size_t)

size_t strftime(char *out, size_t room, const char *format, const struct tm *time);

OWN size_t strftime_l(char *out, size_t room, const char *format, const struct tm *time,
                      locale_t locale)
{
    (void)locale;
    return strftime(out, room, format, time);
}
