/* start.c: calls main for the loader, and ends the program: exit, abort, and the environment. */
#include "runtime.h"

#define STATUS_ABORTED 134 /* 128 + SIGABRT */

int main(int count, char **arguments, char **environment);
int qurt_thread_get_id(void);
/* The buffer is larger than that of any C library. */
int setjmp(void *buffer) __attribute__((returns_twice));
void longjmp(void *buffer, int value) __attribute__((noreturn));

static char *no_variables[] = {NULL};
OWN char **environ = no_variables;

static struct {
    const struct dsp_streams *streams;
    int thread, status;
    _Alignas(16) uint64_t jump[64];
} started;

/* ---- exit ---- */

struct at_exit {
    struct at_exit *next;
    void (*function)(void *);
    void *argument;
};

static struct at_exit *at_exit; /* the last one first */

void (*buildtool_end_thread)(void *unused);

typedef void destructor(void);
extern destructor *__fini_array_start[] __attribute__((visibility("hidden"), weak));
extern destructor *__fini_array_end[] __attribute__((visibility("hidden"), weak));

OWN int __cxa_atexit(void (*function)(void *), void *argument, void *module)
{
    struct at_exit *entry = malloc(sizeof *entry);

    (void)module;
    if (entry == NULL)
        return -1;
    entry->function = function;
    entry->argument = argument;
    do
        entry->next = __atomic_load_n(&at_exit, __ATOMIC_ACQUIRE);
    while (!__sync_bool_compare_and_swap(&at_exit, entry->next, entry));
    return 0;
}

static void call_plain(void *function)
{
    ((void (*)(void))function)();
}

OWN int atexit(void (*function)(void))
{
    return __cxa_atexit(call_plain, (void *)function, NULL);
}

/* Ends the program: in the thread of main by returning to the loader. */
static _Noreturn void leave(int status)
{
    buildtool_flush();
    if (qurt_thread_get_id() != started.thread)
        started.streams->leave(status);
    started.status = status;
    longjmp(started.jump, 1);
}

OWN _Noreturn void _exit(int status)
{
    leave(status);
}

OWN _Noreturn void _Exit(int status)
{
    leave(status);
}

OWN _Noreturn void quick_exit(int status)
{
    leave(status);
}

OWN _Noreturn void exit(int status)
{
    struct at_exit *entry;

    if (buildtool_end_thread != NULL)
        buildtool_end_thread(NULL);
    while ((entry = at_exit) != NULL) {
        at_exit = entry->next;
        entry->function(entry->argument);
    }
    for (destructor **end = __fini_array_end; end != __fini_array_start;)
        (*--end)();
    leave(status);
}

OWN _Noreturn void abort(void)
{
    leave(STATUS_ABORTED);
}

static _Noreturn void failed(const char *text)
{
    static const char what[] = "assertion failed: ";

    buildtool_write(STREAM_ERROR, what, sizeof what - 1);
    buildtool_write(STREAM_ERROR, text, strlen(text));
    buildtool_write(STREAM_ERROR, "\n", 1);
    abort();
}

/* assert() of zig's headers. */
OWN _Noreturn void __assert_fail(const char *expression, const char *file, int line,
                                 const char *function)
{
    char text[1024];
    int snprintf(char *, size_t, const char *, ...);

    snprintf(text, sizeof text, "%s:%d: %s: %s", file, line, function == NULL ? "" : function,
             expression);
    failed(text);
}

/* assert() of the SDK's headers: "file:line expression". */
OWN _Noreturn void _Assert(const char *text)
{
    failed(text);
}

OWN int *__errno_location(void)
{
    return _Geterrno();
}

/* ---- the environment ---- */

static char **find_variable(const char *name, size_t length)
{
    char **at = environ;

    while (*at != NULL && (strncmp(*at, name, length) != 0 || (*at)[length] != '='))
        at++;
    return at;
}

OWN char *getenv(const char *name)
{
    const size_t length = strlen(name);
    char *found = *find_variable(name, length);

    return found == NULL ? NULL : found + length + 1;
}

/* Sets a variable to an assignment, or removes it with NULL. */
static int change(const char *name, size_t length, char *assignment)
{
    char **at = find_variable(name, length);
    size_t count = 0;

    if (*at != NULL && assignment != NULL) {
        *at = assignment;
    } else if (*at != NULL) {
        for (; at[0] != NULL; at++)
            at[0] = at[1];
    } else if (assignment != NULL) {
        while (environ[count] != NULL)
            count++;
        char **more = malloc((count + 2) * sizeof *more);
        if (more == NULL)
            return -1;
        memcpy(more, environ, count * sizeof *more);
        more[count] = assignment;
        more[count + 1] = NULL;
        environ = more; /* the former one may be in use */
    }
    return 0;
}

OWN int setenv(const char *name, const char *value, int overwrite)
{
    const size_t length = strlen(name), size = strlen(value) + 1;
    char *assignment;

    if (!overwrite && getenv(name) != NULL)
        return 0;
    assignment = malloc(length + 1 + size);
    if (assignment == NULL)
        return -1;
    memcpy(assignment, name, length);
    assignment[length] = '=';
    memcpy(assignment + length + 1, value, size);
    return change(name, length, assignment);
}

OWN int unsetenv(const char *name)
{
    return change(name, strlen(name), NULL);
}

OWN int putenv(char *assignment)
{
    size_t length = 0;

    while (assignment[length] != '\0' && assignment[length] != '=')
        length++;
    return change(assignment, length, assignment[length] == '=' ? assignment : NULL);
}

/* ---- the entry ---- */

__attribute__((visibility("default"))) program_entry buildtool_dsp_program;

int buildtool_dsp_program(const struct dsp_streams *streams, int count, char **arguments,
                          char **environment)
{
    started.streams = streams;
    started.thread = qurt_thread_get_id();
    environ = environment;
    buildtool_attach(streams);
    if (setjmp(started.jump) == 0)
        exit(main(count, arguments, environment));
    return started.status;
}
