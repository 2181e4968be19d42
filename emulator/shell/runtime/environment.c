/* environment.c: the process as POSIX sees it: environment, options, signals, exit. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime.h"

/* ---- environment: empty at first ---- */

#define VARIABLES_MAX 64

static char *variables[VARIABLES_MAX + 1];
static char **variables_pointer = variables; /* environ */

static char **find_variable(const char *name, size_t length)
{
    char **at = variables_pointer;
    while (*at != NULL && (strncmp(*at, name, length) != 0 || (*at)[length] != '=')) {
        at++;
    }
    return at;
}

static char *get_variable(const char *name)
{
    size_t length = strlen(name);
    char *found = *find_variable(name, length);
    return found == NULL || length == 0 ? NULL : found + length + 1;
}

static int put_variable(char *assignment)
{
    size_t length = strcspn(assignment, "=");
    if (length == 0 || assignment[length] == '\0') {
        errno = EINVAL;
        return -1;
    }
    char **at = find_variable(assignment, length);
    if (*at == NULL && at - variables_pointer >= VARIABLES_MAX) {
        errno = ENOMEM;
        return -1;
    }
    *at = assignment;
    return 0;
}

/* ---- getsubopt, with the variable of BSD ---- */

static char *sub_option;

static int get_sub_option(char **option, char *const *tokens, char **value)
{
    sub_option = *option;
    return getsubopt(option, tokens, value);
}

/* ---- signals: raised by the process itself only ---- */

#define SIGNALS 65
#define SIGNAL_ALARM 14

typedef void (*handler)(int);

static handler handlers[SIGNALS];
static const handler ignore = (handler)1;  /* SIG_IGN */
static const handler failed = (handler)-1; /* SIG_ERR */

static handler set_handler(int number, handler wanted)
{
    if (number <= 0 || number >= SIGNALS || wanted == failed) {
        errno = EINVAL;
        return failed;
    }
    return __atomic_exchange_n(&handlers[number], wanted, __ATOMIC_ACQ_REL);
}

/* As in the standard: the handler is removed before its call. */
static int raise_signal(int number)
{
    if (number <= 0 || number >= SIGNALS) {
        errno = EINVAL;
        return -1;
    }
    handler set = __atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE);
    if (set == ignore) {
        return 0;
    }
    if (set == NULL) {
        die("the skel raised signal %d, for which it has no handler", number);
    }
    __atomic_store_n(&handlers[number], NULL, __ATOMIC_RELEASE);
    set(number);
    return 0;
}

static struct {
    pthread_mutex_t lock;
    uint64_t at;       /* time of the alarm, 0 for none */
    uint32_t revision; /* counts calls of alarm */
} alarm_clock = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *wait_for_alarm(void *revision)
{
    pthread_mutex_lock(&alarm_clock.lock);
    uint64_t at = alarm_clock.at;
    pthread_mutex_unlock(&alarm_clock.lock);
    uint64_t now = clock_now();
    clock_sleep_us(at > now ? (at - now) / 1000u : 0);
    pthread_mutex_lock(&alarm_clock.lock);
    bool due = alarm_clock.revision == (uint32_t)(uintptr_t)revision;
    if (due) {
        alarm_clock.at = 0;
    }
    pthread_mutex_unlock(&alarm_clock.lock);
    if (due) {
        raise_signal(SIGNAL_ALARM);
    }
    return NULL;
}

static unsigned int set_alarm(unsigned int seconds)
{
    pthread_t thread;
    uint64_t now = clock_now();
    pthread_mutex_lock(&alarm_clock.lock);
    uint64_t before = alarm_clock.at;
    alarm_clock.at = seconds == 0 ? 0 : now + seconds * UINT64_C(1000000000);
    uint32_t revision = ++alarm_clock.revision;
    pthread_mutex_unlock(&alarm_clock.lock);
    if (seconds != 0 &&
        pthread_create(&thread, NULL, wait_for_alarm, (void *)(uintptr_t)revision) == 0) {
        pthread_detach(thread);
    }
    return before <= now ? 0 : (unsigned int)((before - now + 999999999u) / 1000000000u);
}

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

/* The function that BSD's hsearch() hashes with, which a program may replace: 33 * hash + byte. */
static uint32_t hash_bytes(const void *key, size_t length)
{
    uint32_t hash = 0;
    for (const unsigned char *byte = key; length > 0; byte++, length--) {
        hash = hash * 33 + *byte;
    }
    return hash;
}

static uint32_t (*default_hash)(const void *key, size_t length) = hash_bytes;

const struct shell_symbol environment_symbols[] = {
    EXPORT_AS("getenv", get_variable),
    EXPORT_AS("putenv", put_variable),
    {"environ", (void *)&variables_pointer},
    EXPORT(getopt),
    {"optarg", (void *)&optarg},
    {"optind", &optind},
    {"opterr", &opterr},
    {"optopt", &optopt},
    EXPORT_AS("getsubopt", get_sub_option),
    {"suboptarg", (void *)&sub_option},
    EXPORT_AS("signal", set_handler),
    EXPORT_AS("raise", raise_signal),
    EXPORT_AS("alarm", set_alarm),
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
    {"__default_hash", (void *)&default_hash},
    EXPORT_END,
};
