/* companion.c: a library beside a skel. It has thread-local variables and a symbol table. */
#include <stdint.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE _Thread_local int shared_variable = 41;
static _Thread_local int calls;
static int constructed;
static int *ended; /* set by the opener: how often the destructors ran, in order */

int atexit(void (*function)(void));
int __cxa_atexit(void (*function)(void *), void *argument, void *owner);
static int anchor;

static void at_unload(void *argument)
{
    (void)argument;
    if (ended != 0) {
        *ended = *ended * 10 + 1;
    }
}

static void at_exit(void)
{
    if (ended != 0) {
        *ended = *ended * 10 + 3;
    }
}

__attribute__((constructor)) static void construct(void)
{
    calls = 100;
    constructed = shared_variable;
    __cxa_atexit(at_unload, 0, &anchor);
    atexit(at_exit);
}

__attribute__((destructor)) static void destruct(void)
{
    if (ended != 0) {
        *ended = *ended * 10 + 2;
    }
}

VISIBLE void companion_reports_to(int *counter)
{
    ended = counter;
}

VISIBLE int companion_constructed(void)
{
    return constructed;
}

/* Returns 1, 2, 3 ... in a new thread, and 101, 102 ... in the one that has loaded the library. */
VISIBLE int companion_calls(void)
{
    return ++calls;
}
