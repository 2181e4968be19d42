/* modules.c: thread-local variables, and libraries that are opened by the skel. */
#include <stdint.h>

#include "cases.h"
#include "qurt.h"

struct information {
    const char *file;
    void *base;
    const char *symbol;
    void *address;
};

void *dlopen(const char *name, int flags);
void *dlopenbuf(const char *name, const char *bytes, int size, int flags);
void *dlsym(void *handle, const char *name);
int dlclose(void *handle);
char *dlerror(void);
int dladdr(const void *address, struct information *information);
int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *owner);

#define COMPANION "libcompanion.so"
#define THREADS 4

static _Thread_local int initialized = 7;
static _Thread_local char zeroed[300];
static _Thread_local double number = 2.5;
_Thread_local int visible = 3;
static int at_construction;
static int anchor;
static volatile int destroyed, arrived;
static char stacks[THREADS][16384] __attribute__((aligned(16)));

#ifdef NEEDS_COMPANION
extern _Thread_local int shared_variable;
int companion_calls(void);
#endif

__attribute__((constructor)) static void construct(void)
{
    at_construction = initialized + (int)number;
}

static void destroy(void *argument)
{
    __atomic_add_fetch(&destroyed, *(int *)argument, __ATOMIC_SEQ_CST); /* threads end at once */
}

/* The results of a thread: each must be what a new thread sees. */
struct seen {
    int initialized, visible, zeros, companion, shared;
    double number;
    uintptr_t place;
};

static void look(void *argument)
{
    struct seen *seen = argument;
    seen->initialized = initialized;
    seen->visible = visible;
    seen->number = number;
    for (int i = 0; i < 300; i++) {
        char *at = &zeroed[0];
        seen->zeros += at[i] == 0;
    }
    seen->place = (uintptr_t)&initialized;
    initialized = 1000;
    number = -1;
    visible = 5;
    memset(zeroed, 1, sizeof zeroed);
    __cxa_thread_atexit_impl(destroy, &visible, &anchor);
#ifdef NEEDS_COMPANION
    seen->companion = companion_calls();
    seen->shared = shared_variable;
    shared_variable = 8;
#endif
    __atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
    while (arrived % THREADS != 0) {
        qurt_sleep(500);
    }
}

static int run_threads(struct seen seen[THREADS])
{
    qurt_thread_t ids[THREADS];
    for (int i = 0; i < THREADS; i++) {
        qurt_thread_attr_t attributes;
        qurt_thread_attr_init(&attributes);
        qurt_thread_attr_set_stack_addr(&attributes, stacks[i]);
        qurt_thread_attr_set_stack_size(&attributes, sizeof stacks[i]);
        qurt_thread_attr_set_priority(&attributes, 77);
        EQUAL(qurt_thread_create(&ids[i], &attributes, look, &seen[i]), QURT_EOK);
    }
    for (int i = 0; i < THREADS; i++) {
        int status;
        qurt_thread_join(ids[i], &status);
    }
    return 0;
}

static int thread_local(const int32_t in[4], int32_t out[8])
{
    struct seen seen[THREADS] = {{0}};
    initialized = 70 + in[0];
    CHECK(run_threads(seen) == 0);
    for (int i = 0; i < THREADS; i++) {
        EQUAL(seen[i].initialized, 7);
        EQUAL(seen[i].visible, 3);
        EQUAL(seen[i].zeros, 300);
        CHECK(seen[i].number == 2.5);
        CHECK(seen[i].place != (uintptr_t)&initialized);
#ifdef NEEDS_COMPANION
        EQUAL(seen[i].companion, 1);
        EQUAL(seen[i].shared, 41);
#endif
    }
    for (int i = 0; i < THREADS; i++) {
        for (int k = 0; k < i; k++) {
            CHECK(seen[i].place != seen[k].place);
        }
    }
    EQUAL(initialized, 70 + in[0]);
    EQUAL(at_construction, 9);
    out[0] = destroyed; /* 5 for each thread */
#ifdef NEEDS_COMPANION
    out[1] = companion_calls();
    out[2] = shared_variable;
#endif
    return 0;
}

/* Freed variables are found again: many threads do not need more memory than a few. */
static int many_threads(const int32_t in[4], int32_t out[8])
{
    (void)out;
    for (int i = 0; i < in[0]; i++) {
        struct seen seen[THREADS] = {{0}};
        CHECK(run_threads(seen) == 0);
        EQUAL(seen[0].initialized + seen[3].initialized, 14);
    }
    return 0;
}

static int open_library(const int32_t in[4], int32_t out[8])
{
    (void)in;
    int ended = 0;
    struct information information;
    CHECK(dlerror() == NULL);
    void *library = dlopen(COMPANION, 1);
    if (library == NULL) {
        FARF(ERROR, "%s", dlerror());
        return 1;
    }
    CHECK(dlopen(COMPANION, 1) == library);
    int (*constructed)(void) = (int (*)(void))dlsym(library, "companion_constructed");
    int (*calls)(void) = (int (*)(void))dlsym(library, "companion_calls");
    void (*report)(int *) = (void (*)(int *))dlsym(library, "companion_reports_to");
    int *variable = dlsym(library, "shared_variable");
    CHECK(constructed != NULL && calls != NULL && report != NULL && variable != NULL);
    out[0] = constructed();
    out[1] = calls();
    out[2] = *variable;
    report(&ended);

    CHECK(dlsym(library, "no_such_name") == NULL);
    CHECK(strstr(dlerror(), "no_such_name") != NULL);
    CHECK(dlerror() == NULL);
    CHECK(dladdr((char *)calls + 4, &information) == 1);
    CHECK(strcmp(information.file, COMPANION) == 0);
    CHECK(strcmp(information.symbol, "companion_calls") == 0 && information.address == calls);
    CHECK(dladdr((void *)dlsym, &information) == 1 && strcmp(information.symbol, "dlsym") == 0);
    CHECK(dladdr((void *)16, &information) == 0);

    EQUAL(dlclose(library), 0);
    EQUAL(ended, 0);
    EQUAL(calls(), 102);
    EQUAL(dlclose(library), 0);
    out[3] = ended;
    EQUAL(dlclose(library), -1);
    CHECK(dlerror() != NULL);

    CHECK(dlsym((void *)0, "memcpy") == (void *)memcpy);
    CHECK(dlsym((void *)-2, "companion_calls") == NULL && dlerror() != NULL);
    library = dlopen(COMPANION, 0x101);
    CHECK(library != NULL && dlsym((void *)-2, "companion_calls") != NULL);
    EQUAL(dlclose(library), 0);
    return 0;
}

/* Reads the bytes of the library; returns their number, or -1. */
static int read_companion(char *bytes, int room)
{
    FILE *file = fopen("usr/lib/rfsa/adsp/" COMPANION, "r");
    if (file == NULL) {
        return -1;
    }
    int size = (int)fread(bytes, 1, (size_t)room, file);
    fclose(file);
    return size;
}

static char companion[65536];

/* Opens the library from its bytes, each time as another one, until that fails. */
static int open_many(const int32_t in[4], int32_t out[8])
{
    static void *libraries[80];
    (void)in;
    int count = 0;
    int size = read_companion(companion, sizeof companion);
    CHECK(size > 0 && size < (int)sizeof companion);
    while (count < 80 && (libraries[count] = dlopenbuf("many.so", companion, size, 0)) != NULL) {
        count++;
    }
    FARF(ERROR, "%s", dlerror());
    out[0] = count;
    for (int i = 0; i < count; i++) {
        EQUAL(dlclose(libraries[i]), 0);
    }
    void *again = dlopenbuf("again.so", companion, size, 0);
    CHECK(again != NULL);
    EQUAL(dlclose(again), 0);
    return 0;
}

/* What a thread of the skel gets from dlopen(). */
static struct {
    const char *name;
    qurt_thread_t thread;
    int wait; /* microseconds, so that the call that has started the thread returns */
    int constructed;
} opener;

static void open_in_thread(void *unused)
{
    (void)unused;
    qurt_sleep((unsigned long long)opener.wait);
    void *library = dlopen(opener.name, 1);
    if (library == NULL) {
        FARF(ERROR, "%s", dlerror());
        return;
    }
    opener.constructed = ((int (*)(void))dlsym(library, "companion_constructed"))();
    dlclose(library);
}

/* Opens a library in a thread that waits in[0] microseconds. */
static int start_opener_of(const char *name, const int32_t in[4])
{
    qurt_thread_attr_t attributes;
    opener.name = name;
    opener.wait = in[0];
    opener.constructed = -1;
    qurt_thread_attr_init(&attributes);
    qurt_thread_attr_set_stack_addr(&attributes, stacks[0]);
    qurt_thread_attr_set_stack_size(&attributes, sizeof stacks[0]);
    qurt_thread_attr_set_priority(&attributes, 77);
    EQUAL(qurt_thread_create(&opener.thread, &attributes, open_in_thread, NULL), QURT_EOK);
    return 0;
}

static int start_opener(const int32_t in[4], int32_t out[8])
{
    (void)out;
    return start_opener_of(COMPANION, in);
}

/* While a library is loaded that has no directory. */
static int start_opener_after_bytes(const int32_t in[4], int32_t out[8])
{
    (void)out;
    int size = read_companion(companion, sizeof companion);
    CHECK(dlopenbuf("bytes.so", companion, size, 0) != NULL);
    return start_opener_of("proc", in); /* in the root directory of each machine */
}

static int join_opener(const int32_t in[4], int32_t out[8])
{
    (void)in;
    int status;
    qurt_thread_join(opener.thread, &status);
    out[0] = opener.constructed;
    return 0;
}

static int open_in_other_thread(const int32_t in[4], int32_t out[8])
{
    CHECK(start_opener(in, out) == 0);
    return join_opener(in, out);
}

/* dlerror() tells what is wrong with each of these names. */
static int bad_names(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    static char name[6000];
    CHECK(dlopen("", 1) == NULL && dlerror() != NULL);
    CHECK(dlopen("/nowhere/" COMPANION, 1) == NULL && dlerror() != NULL);
    memset(name, 'x', sizeof name - 1);
    for (size_t length = 200; length < sizeof name; length += 200) {
        char *end = name;
        end[length] = 0;
        CHECK(dlopen(name, 1) == NULL && dlerror() != NULL);
        end[length] = 'x';
    }
    return 0;
}

static int refused(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    char bytes[64] = "not a library";
    CHECK(dlopen("libnowhere.so", 1) == NULL);
    CHECK(strstr(dlerror(), "libnowhere.so is not found") != NULL);
    CHECK(dlopenbuf("libbytes.so", bytes, sizeof bytes, 1) == NULL);
    CHECK(strstr(dlerror(), "libbytes.so is not an ELF file") != NULL);
    CHECK(dlsym(dlopen(NULL, 1), "memset") == (void *)memset);
    return 0;
}

const struct named_case cases[] = {CASE(thread_local), CASE(many_threads),
                                   CASE(open_library), CASE(start_opener),
                                   CASE(join_opener),  CASE(open_in_other_thread),
                                   CASE(bad_names),    CASE(refused),
                                   CASE(open_many),    CASE(start_opener_after_bytes),
                                   {NULL, NULL}};
