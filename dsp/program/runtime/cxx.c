/* cxx.c: what zig's C++ library needs of a C library and no DSP shell exports: aligned memory, the one
 * locale "C", and where the unwinder finds the tables of the program.
 *
 * Shells export an unwinder of their own.  Programs have LLVM's, so that exceptions work the same on
 * all of them; it knows the code of one program, so none passes from one library to another. */
#include <elf.h>

#include "runtime.h"

void *memalign(size_t alignment, size_t size);
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

/* ---- threads ---- */

/* QuRT's pthread_attr_t. */
struct thread_attributes {
    int words[12];
};
int pthread_attr_init(struct thread_attributes *attributes);
int pthread_attr_setstacksize(struct thread_attributes *attributes, size_t size);
int __real_pthread_create(unsigned int *thread, const struct thread_attributes *attributes,
                          void *(*function)(void *), void *argument);

/* Without attributes a thread gets 16 KiB of stack, which streams of C++ and exceptions need alone. */
OWN int __wrap_pthread_create(unsigned int *thread, const struct thread_attributes *attributes,
                              void *(*function)(void *), void *argument)
{
    struct thread_attributes own;

    if (attributes == NULL && pthread_attr_init(&own) == 0 &&
        pthread_attr_setstacksize(&own, 256 << 10) == 0)
        attributes = &own;
    return __real_pthread_create(thread, attributes, function, argument);
}

/* ---- destructors of thread-local objects, which the shells of some chips do not register ---- */

int pthread_once(int *control, void (*init)(void));
int pthread_key_create(int *key, void (*destructor)(void *));
void *pthread_getspecific(int key);
int pthread_setspecific(int key, const void *value);

struct thread_exit {
    struct thread_exit *next;
    void (*function)(void *);
    void *object;
};

static int exits_key, exits_once;

static void run_exits(void *unused)
{
    struct thread_exit *entry;

    (void)unused;
    while ((entry = pthread_getspecific(exits_key)) != NULL) {
        pthread_setspecific(exits_key, entry->next);
        entry->function(entry->object);
        free(entry);
    }
}

/* QuRT has removed the value when it calls this. */
static void run_exits_of_thread(void *first)
{
    pthread_setspecific(exits_key, first);
    run_exits(NULL);
}

static void prepare_exits(void)
{
    pthread_key_create(&exits_key, run_exits_of_thread);
    program_end_thread = run_exits;
}

OWN int __cxa_thread_atexit(void (*function)(void *), void *object, void *module)
{
    struct thread_exit *entry = malloc(sizeof *entry);

    (void)module;
    if (entry == NULL)
        return -1;
    pthread_once(&exits_once, prepare_exits);
    entry->function = function;
    entry->object = object;
    entry->next = pthread_getspecific(exits_key);
    pthread_setspecific(exits_key, entry);
    return 0;
}

/* ---- the unwinder ---- */

/* <link.h> */
struct dl_phdr_info {
    Elf32_Addr address;
    const char *name;
    const Elf32_Phdr *headers;
    Elf32_Half count;
    unsigned long long added, removed;
    size_t tls_module;
    void *tls_data;
};

extern const Elf32_Ehdr __ehdr_start __attribute__((visibility("hidden"))); /* of the program */

__attribute__((weak, visibility("hidden"))) int
dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
    const char *start = (const char *)&__ehdr_start;
    struct dl_phdr_info program = {.address = (Elf32_Addr)start,
                                   .name = "",
                                   .headers = (const Elf32_Phdr *)(start + __ehdr_start.e_phoff),
                                   .count = __ehdr_start.e_phnum,
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
    const bool known = *name == '\0' || strncmp(name, "C", 2) == 0 || strncmp(name, "POSIX", 6) == 0;
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
