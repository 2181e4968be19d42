/* threads.c: the stacks of threads, and the ends of their thread-local objects. */
#include "runtime.h"

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

OWN int pthread_equal(unsigned int one, unsigned int other)
{
    return one == other;
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
    buildtool_end_thread = run_exits;
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
