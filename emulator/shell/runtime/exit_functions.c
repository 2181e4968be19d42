/* exit_functions.c: __cxa_atexit and atexit for modules, and destructors of threads.
 *
 * A DSP process never exits in an orderly way, so a function runs when the module that registered
 * it is unloaded. */
#include "exit_functions.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime.h"

struct entry {
    struct entry *next;
    void (*function)(void *);
    void *argument;
    uintptr_t owner;    /* an address in the module */
    const void *thread; /* NULL: when the module is unloaded */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;  /* the last one first */
static _Thread_local int self; /* its address stands for the thread */
static pthread_key_t ending;

static void end_thread(void *unused)
{
    (void)unused;
    exit_functions_end_thread();
}

__attribute__((constructor)) static void initialize(void)
{
    pthread_key_create(&ending, end_thread);
}

static int add(void (*function)(void *), void *argument, uintptr_t owner, const void *thread)
{
    struct entry *entry = malloc(sizeof *entry);
    if (entry == NULL) {
        return -1;
    }
    *entry = (struct entry){
        .function = function, .argument = argument, .owner = owner, .thread = thread};
    pthread_mutex_lock(&lock);
    entry->next = entries;
    entries = entry;
    pthread_mutex_unlock(&lock);
    return 0;
}

int exit_functions_add(void (*function)(void *), void *argument, const void *owner)
{
    return add(function, argument, (uintptr_t)owner, NULL);
}

/* Removes and returns the first entry of a thread whose owner is in [low, low + size), or NULL. */
static struct entry *take(uintptr_t low, size_t size, const void *thread, bool any_thread)
{
    pthread_mutex_lock(&lock);
    struct entry **at = &entries;
    while (*at != NULL &&
           ((*at)->owner - low >= size || (!any_thread && (*at)->thread != thread))) {
        at = &(*at)->next;
    }
    struct entry *entry = *at;
    if (entry != NULL) {
        *at = entry->next;
    }
    pthread_mutex_unlock(&lock);
    return entry;
}

static void run(uintptr_t low, size_t size, const void *thread)
{
    struct entry *entry;
    while ((entry = take(low, size, thread, false)) != NULL) {
        entry->function(entry->argument);
        free(entry);
    }
}

void exit_functions_run(const void *memory, size_t size)
{
    uintptr_t low = (uintptr_t)memory;
    run(low, size, &self);
    run(low, size, NULL);
    struct entry *entry;
    while ((entry = take(low, size, NULL, true)) != NULL) {
        free(entry);
    }
}

void exit_functions_end_thread(void)
{
    run(0, SIZE_MAX, &self);
}

/* ---- what modules call ---- */

/* Modules without start files of their own pass the shell's __dso_handle, which is in no module. The
 * function's address then stands for the module. */
static uintptr_t owner_of(void (*function)(void *), const void *handle)
{
    const void *low;
    size_t size;
    bool known = handle != NULL && shell_module_span(handle, &low, &size);
    return known ? (uintptr_t)handle : (uintptr_t)function;
}

static int register_for_module(void (*function)(void *), void *argument, const void *handle)
{
    return add(function, argument, owner_of(function, handle), NULL);
}

static int register_for_thread(void (*function)(void *), void *argument, const void *handle)
{
    pthread_setspecific(ending, &self); /* so that end_thread is called */
    return add(function, argument, owner_of(function, handle), &self);
}

static void call_plain(void *argument)
{
    void (*function)(void);
    *(void **)&function = argument;
    function();
}

static int register_plain(void (*function)(void))
{
    return add(call_plain, (void *)function, (uintptr_t)function, NULL);
}

/* A module's own finalizer calls this with the address of its __dso_handle. */
static void finalize(const void *owner)
{
    const void *low;
    size_t size;
    if (owner != NULL && shell_module_span(owner, &low, &size)) {
        run((uintptr_t)low, size, NULL);
    }
}

static void nothing(void)
{
}

static const void *own_handle = &own_handle;

const struct shell_symbol exit_functions_symbols[] = {
    EXPORT_AS("__cxa_atexit", register_for_module),
    EXPORT_AS("__cxa_thread_atexit_impl", register_for_thread),
    EXPORT_AS("__cxa_thread_run_atexit", exit_functions_end_thread),
    EXPORT_AS("__cxa_finalize", finalize),
    EXPORT_AS("__cxa_finalize_stub", nothing),
    EXPORT_AS("atexit", register_plain),
    {"__dso_handle", &own_handle},
    EXPORT_END,
};
