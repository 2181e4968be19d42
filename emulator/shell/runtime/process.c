/* process.c: the end of the process, and calls that start other processes, which a DSP cannot. */
#include <errno.h>
#include <pthread.h>

#include "runtime.h"

/* ---- exit ---- */

/* One array holds Dinkumware's two stacks: that of atexit grows down from the end, and is empty here
 * (exit_functions.c has it); that of the library itself, _Atexit, grows up from the start. */
#define EXITS_MAX 80

static void (*exits[EXITS_MAX])(void);
static void (**exits_pointer)(void) = exits;
static size_t exits_size = EXITS_MAX;
static size_t exits_public = EXITS_MAX;
static size_t exits_private;
static pthread_mutex_t exits_lock = PTHREAD_MUTEX_INITIALIZER;

static int more_exits(void)
{
    return 0; /* the array cannot grow */
}

static void at_library_exit(void (*function)(void))
{
    pthread_mutex_lock(&exits_lock);
    if (exits_public <= exits_private) {
        die("the skel registered more than %d functions with atexit", EXITS_MAX);
    }
    exits_pointer[exits_private++] = function;
    pthread_mutex_unlock(&exits_lock);
}

static void leave(int status)
{
    while (exits_private > 0) {
        exits_pointer[--exits_private]();
    }
    die("the skel called exit(%d): on a DSP this ends the process and all its handles", status);
}

static void leave_at_once(int status)
{
    die("the skel called _Exit(%d): on a DSP this ends the process and all its handles", status);
}

/* The function behind assert() in the BSD libraries. */
static void assertion_failed(const char *file, int line, const char *expression)
{
    die("assertion failed: %s:%d %s", file, line, expression);
}

/* ---- other processes: a DSP has none ---- */

static int no_process(void)
{
    errno = ENOSYS;
    return -1;
}

static int no_command(const char *command)
{
    return command == NULL ? 0 : no_process();
}

const struct shell_symbol process_symbols[] = {
    EXPORT_AS("_Atexit", at_library_exit),
    EXPORT_AS("_Atrealloc", more_exits),
    {"_Atdata", (void *)exits},
    {"_Atfuns", (void *)&exits_pointer},
    {"_AtcountPublic", &exits_public},
    {"_AtcountPrivate", &exits_private},
    {"_Nats", &exits_size},
    EXPORT_AS("__assert", assertion_failed),
    EXPORT_AS("exit", leave),
    EXPORT_AS("_Exit", leave_at_once),
    EXPORT_AS("fork", no_process),
    EXPORT_AS("execve", no_process),
    EXPORT_AS("system", no_command),
    EXPORT_END,
};
