/* slots.h: threads of cases: `start` and `join` use one of THREADS slots. */
#include "cases.h"
#include "qurt.h"

#define THREADS 6

static char stacks[THREADS][16384] __attribute__((aligned(16)));
static qurt_thread_t ids[THREADS];

static int start(int slot, int priority, void (*entry)(void *), void *arg)
{
    qurt_thread_attr_t attributes;
    qurt_thread_attr_init(&attributes);
    qurt_thread_attr_set_stack_addr(&attributes, stacks[slot]);
    qurt_thread_attr_set_stack_size(&attributes, sizeof stacks[slot]);
    qurt_thread_attr_set_priority(&attributes, (unsigned short)priority);
    qurt_thread_attr_set_detachstate(&attributes, QURT_THREAD_ATTR_CREATE_JOINABLE);
    return qurt_thread_create(&ids[slot], &attributes, entry, arg);
}

/* Waits until something holds that another thread does, which a busy machine does late. */
#define UNTIL(condition)                                              \
    do {                                                              \
        for (int turn_ = 0; !(condition) && turn_ < 30000; turn_++) { \
            qurt_sleep(1000);                                         \
        }                                                             \
        CHECK(condition);                                             \
    } while (0)

static int waiting; /* threads that were about to wait */

static inline void about_to_wait(void)
{
    __atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
}

/* Threads wait soon after they have said so. */
#define UNTIL_THEY_WAIT(count)     \
    do {                           \
        UNTIL(waiting == (count)); \
        qurt_sleep(20000);         \
    } while (0)

static int join(int slot)
{
    int status = -1;
    return qurt_thread_join(ids[slot], &status) == QURT_EOK ? status : -1;
}
