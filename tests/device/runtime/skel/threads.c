/* threads.c: QuRT's threads, thread-local data and POSIX's threads. */
#include "cases.h"
#include "qurt.h"
#include "HAP_mem.h"

static char stacks[8][8192] __attribute__((aligned(16)));
static qurt_thread_t seen_id;
static char seen_name[32];
static int seen_priority;
static uint64 seen_stack;

static int start(qurt_thread_t *id, int slot, unsigned short state, void (*entry)(void *),
                 void *arg)
{
    qurt_thread_attr_t attributes;
    qurt_thread_attr_init(&attributes);
    qurt_thread_attr_set_name(&attributes, "a rather long name");
    qurt_thread_attr_set_stack_addr(&attributes, stacks[slot]);
    qurt_thread_attr_set_stack_size(&attributes, sizeof stacks[slot]);
    qurt_thread_attr_set_priority(&attributes, 77);
    qurt_thread_attr_set_detachstate(&attributes, state);
    return qurt_thread_create(id, &attributes, entry, arg);
}

static void look_around(void *arg)
{
    seen_id = qurt_thread_get_id();
    qurt_thread_get_name(seen_name, sizeof seen_name);
    seen_priority = qurt_thread_get_priority(seen_id);
    seen_stack = HAP_mem_available_stack();
    qurt_thread_exit(*(int *)arg);
}

static int join_gives_the_status(const int32_t *in, int32_t *out)
{
    qurt_thread_t id = 0;
    int status = -1;
    int argument = in[0];
    EQUAL(start(&id, 0, QURT_THREAD_ATTR_CREATE_JOINABLE, look_around, &argument), QURT_EOK);
    EQUAL(qurt_thread_join(id, &status), QURT_EOK);
    EQUAL(status, in[0]);
    EQUAL(seen_id, id);
    CHECK(strcmp(seen_name, "a rather long n") == 0);
    EQUAL(seen_priority, 77);
    CHECK(seen_stack > 6000 && seen_stack <= 8192);
    EQUAL(qurt_thread_join(id, &status), QURT_ENOTHREAD);
    EQUAL(qurt_thread_get_priority(id), -1);
    out[0] = status;
    return 0;
}

static void set(void *arg)
{
    *(volatile int *)arg = 1;
}

static void sleeper(void *arg)
{
    qurt_sleep(20000);
    *(volatile int *)arg = 1;
}

static int states_of_threads(const int32_t *in, int32_t *out)
{
    qurt_thread_t id = 0;
    volatile int done = 0;
    int status = 5;
    (void)in;
    (void)out;
    /* Neither joinable nor detached: can be joined while it runs, not after. */
    EQUAL(start(&id, 0, QURT_THREAD_ATTR_CREATE_LEGACY, sleeper, (void *)(uintptr_t)&done), 0);
    EQUAL(qurt_thread_join(id, &status), QURT_EOK);
    EQUAL(status, 0);
    EQUAL(done, 1);
    done = 0;
    EQUAL(start(&id, 1, QURT_THREAD_ATTR_CREATE_LEGACY, set, (void *)(uintptr_t)&done), 0);
    while (!done) {
        qurt_sleep(1000);
    }
    qurt_sleep(50000); /* it ends soon after that */
    EQUAL(qurt_thread_join(id, &status), QURT_ENOTHREAD);
    /* Detached: can never be joined. */
    done = 0;
    EQUAL(start(&id, 2, QURT_THREAD_ATTR_CREATE_DETACHED, sleeper, (void *)(uintptr_t)&done), 0);
    EQUAL(qurt_thread_join(id, &status), QURT_ENOTHREAD);
    while (!done) {
        qurt_sleep(1000);
    }
    /* Joinable: can be joined even long after its end. */
    EQUAL(start(&id, 3, QURT_THREAD_ATTR_CREATE_JOINABLE, set, (void *)(uintptr_t)&done), 0);
    qurt_sleep(30000);
    EQUAL(qurt_thread_join(id, &status), QURT_EOK);
    EQUAL(qurt_thread_join(9999, &status), QURT_ENOTHREAD);
    EQUAL(qurt_thread_join(qurt_thread_get_id(), &status), QURT_ENOTHREAD);
    return 0;
}

static int bad_attributes(const int32_t *in, int32_t *out)
{
    qurt_thread_attr_t attributes;
    qurt_thread_t id = 0;
    (void)in;
    (void)out;
    qurt_thread_attr_init(&attributes);
    EQUAL(qurt_thread_create(&id, &attributes, set, NULL), QURT_EFAILED);
    qurt_thread_attr_set_stack_addr(&attributes, stacks[0]);
    EQUAL(qurt_thread_create(&id, &attributes, set, NULL), QURT_EFAILED);
    qurt_thread_attr_set_stack_size(&attributes, sizeof stacks[0]);
    qurt_thread_attr_set_priority(&attributes, 256);
    EQUAL(qurt_thread_create(&id, &attributes, set, NULL), QURT_EFAILED);
    EQUAL(sizeof attributes, 36);
    return 0;
}

static int priorities(const int32_t *in, int32_t *out)
{
    qurt_thread_t self = qurt_thread_get_id();
    (void)in;
    out[0] = qurt_thread_get_priority(self);
    EQUAL(qurt_thread_set_priority(self, 100), 0);
    EQUAL(qurt_thread_get_priority(self), 100);
    EQUAL(qurt_thread_set_priority(self, 300), -1);
    EQUAL(qurt_thread_set_priority(12345, 3), -1);
    EQUAL(qurt_thread_set_priority(self, (unsigned short)out[0]), 0);
    return 0;
}

/* Many threads, one after the other and at once.  They share no atomic counter, which repeats its
 * instructions when two threads meet: counts of instructions are compared. */
static void count_up(void *arg)
{
    ++*(int *)arg;
}

static int many_threads(const int32_t *in, int32_t *out)
{
    int counts[8] = {0};
    for (int round = 0; round < in[0]; round++) {
        qurt_thread_t ids[8];
        for (int i = 0; i < 8; i++) {
            EQUAL(start(&ids[i], i, QURT_THREAD_ATTR_CREATE_JOINABLE, count_up, &counts[i]), 0);
        }
        for (int i = 0; i < 8; i++) {
            EQUAL(qurt_thread_join(ids[i], NULL), QURT_EOK);
        }
    }
    out[0] = 0;
    for (int i = 0; i < 8; i++) {
        out[0] += counts[i];
    }
    return 0;
}

static int destroyed;

static void destructor(void *value)
{
    destroyed += *(int *)value;
}

static int key;

static void with_a_value(void *arg)
{
    if (qurt_tls_get_specific(key) == NULL) {
        qurt_tls_set_specific(key, arg);
    }
}

static int thread_local_data(const int32_t *in, int32_t *out)
{
    int mine = 1, its = 10;
    qurt_thread_t id;
    (void)in;
    destroyed = 0;
    EQUAL(qurt_tls_create_key(&key, destructor), QURT_EOK);
    EQUAL(qurt_tls_set_specific(key, &mine), QURT_EOK);
    EQUAL(start(&id, 0, QURT_THREAD_ATTR_CREATE_JOINABLE, with_a_value, &its), 0);
    EQUAL(qurt_thread_join(id, NULL), QURT_EOK);
    EQUAL(destroyed, 10);
    CHECK(qurt_tls_get_specific(key) == &mine);
    EQUAL(qurt_tls_delete_key(key), QURT_EOK);
    EQUAL(qurt_tls_delete_key(key), QURT_ETLSENTRY);
    EQUAL(qurt_tls_set_specific(key, &mine), QURT_EINVALID);
    CHECK(qurt_tls_get_specific(key) == NULL);
    /* A reused number is another key. */
    EQUAL(qurt_tls_create_key(&key, NULL), QURT_EOK);
    CHECK(qurt_tls_get_specific(key) == NULL);
    EQUAL(qurt_tls_delete_key(key), QURT_EOK);
    int keys[200], made = 0;
    while (made < 200 && qurt_tls_create_key(&keys[made], NULL) == QURT_EOK) {
        made++;
    }
    out[0] = made;
    for (int i = 0; i < made; i++) {
        EQUAL(qurt_tls_delete_key(keys[i]), QURT_EOK);
    }
    return 0;
}

__attribute__((noinline)) static int deeper(volatile char *above, int depth)
{
    volatile char here[1024];
    here[0] = above[0];
    return depth == 0 ? here[0] : deeper(here, depth - 1) + here[1];
}

static void overflow(void *arg)
{
    volatile char top[1] = {0};
    deeper(top, *(int *)arg);
}

static int overflow_a_stack(const int32_t *in, int32_t *out)
{
    qurt_thread_t id;
    int depth = in[0];
    (void)out;
    EQUAL(start(&id, 0, QURT_THREAD_ATTR_CREATE_JOINABLE, overflow, &depth), 0);
    EQUAL(qurt_thread_join(id, NULL), QURT_EOK);
    return 0;
}

/* ---- POSIX, by QuRT's types ---- */

typedef unsigned int posix_word;
int pthread_create(posix_word *, const void *, void *(*)(void *), void *);
int pthread_join(posix_word, void **);
posix_word pthread_self(void);
int pthread_mutex_lock(posix_word *);
int pthread_mutex_trylock(posix_word *);
int pthread_mutex_unlock(posix_word *);
int pthread_cond_wait(posix_word *, posix_word *);
int pthread_cond_signal(posix_word *);
int pthread_getname_np(posix_word, char *, size_t);
int sem_init(posix_word *, int, unsigned int);
int sem_wait(posix_word *);
int sem_post(posix_word *);
int sem_destroy(posix_word *);
int *_Geterrno(void);

static posix_word mutex = 0xffffffff, condition = 0xffffffff, posix_self;
static int ready;

static void *posix_thread(void *arg)
{
    posix_self = pthread_self();
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return (char *)arg + 1;
}

static int posix_threads(const int32_t *in, int32_t *out)
{
    posix_word thread = 0;
    char argument;
    void *result = NULL;
    (void)in;
    (void)out;
    ready = 0;
    EQUAL(pthread_mutex_lock(&mutex), 0);
    CHECK(pthread_mutex_trylock(&mutex) != 0);
    EQUAL(pthread_create(&thread, NULL, posix_thread, &argument), 0);
    while (!ready) {
        EQUAL(pthread_cond_wait(&condition, &mutex), 0);
    }
    EQUAL(pthread_mutex_unlock(&mutex), 0);
    EQUAL(pthread_join(thread, &result), 0);
    CHECK(result == &argument + 1);
    EQUAL(posix_self, thread);
    CHECK(pthread_join(thread, &result) != 0);
    return 0;
}

static posix_word semaphore, answers;

static void *posix_worker(void *name)
{
    int failed = pthread_getname_np(pthread_self(), name, 16);
    failed |= pthread_getname_np(pthread_self(), (char *)name + 16, 9) - 34; /* ERANGE */
    failed |= pthread_getname_np(0x7ffffff0, name, 16) - 3;                  /* ESRCH */
    for (int i = 0; i < 3; i++) {
        failed |= sem_wait(&semaphore);
        failed |= sem_post(&answers);
    }
    return failed == 0 ? name : NULL;
}

static int posix_semaphores(const int32_t *in, int32_t *out)
{
    posix_word thread = 0, none = 0;
    char name[32] = "";
    void *result = NULL;
    (void)in;
    (void)out;
    EQUAL(sem_init(&semaphore, 0, 31), -1);
    EQUAL(*_Geterrno(), 22); /* EINVAL */
    EQUAL(sem_init(&semaphore, 1, 0), -1);
    EQUAL(sem_wait(&none), -1);
    EQUAL(sem_post(&none), -1);
    EQUAL(sem_init(&semaphore, 0, 1), 0);
    EQUAL(sem_init(&answers, 0, 0), 0);
    EQUAL(pthread_create(&thread, NULL, posix_worker, name), 0);
    EQUAL(sem_wait(&answers), 0);
    EQUAL(sem_post(&semaphore), 0);
    EQUAL(sem_post(&semaphore), 0);
    EQUAL(pthread_join(thread, &result), 0);
    CHECK(result == name);
    EQUAL(strcmp(name, "Anonymous"), 0);
    EQUAL(strcmp(name + 16, "Anonymou"), 0);
    EQUAL(sem_wait(&answers), 0);
    EQUAL(sem_wait(&answers), 0);
    EQUAL(sem_destroy(&answers), 0);
    EQUAL(sem_destroy(&semaphore), 0);
    EQUAL(sem_destroy(&semaphore), -1);
    return 0;
}

const struct named_case cases[] = {
    CASE(join_gives_the_status), CASE(states_of_threads),
    CASE(bad_attributes),        CASE(priorities),
    CASE(many_threads),          CASE(thread_local_data),
    CASE(overflow_a_stack),      CASE(posix_threads),
    CASE(posix_semaphores),      {NULL, NULL},
};
