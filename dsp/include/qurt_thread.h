/* qurt_thread.h: threads.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK.
 *
 * Not on every DSP shell: qurt_thread_detach, qurt_thread_get_timetest_id,
 * qurt_thread_set_timetest_id. On no known DSP shell: qurt_thread_get_thread_id. */
#ifndef QURT_THREAD_H
#define QURT_THREAD_H

#ifdef __cplusplus
extern "C" {
#endif

#define QURT_THREAD_ATTR_CREATE_LEGACY 0
#define QURT_THREAD_ATTR_CREATE_JOINABLE 1
#define QURT_THREAD_ATTR_CREATE_DETACHED 2

#define QURT_THREAD_BUS_PRIO_DISABLED 0
#define QURT_THREAD_BUS_PRIO_ENABLED 1
#define QURT_THREAD_AUTOSTACK_DISABLED 0
#define QURT_THREAD_AUTOSTACK_ENABLED 1

#define QURT_THREAD_ATTR_NAME_MAXLEN 16
#define QURT_THREAD_ATTR_TCB_PARTITION_RAM 0
#define QURT_THREAD_ATTR_TCB_PARTITION_TCM 1
#define QURT_THREAD_ATTR_TCB_PARTITION_DEFAULT QURT_THREAD_ATTR_TCB_PARTITION_RAM
#define QURT_THREAD_ATTR_PRIORITY_DEFAULT 254
#define QURT_THREAD_ATTR_BUS_PRIO_DEFAULT 255
#define QURT_THREAD_ATTR_AUTOSTACK_DEFAULT 0
#define QURT_THREAD_ATTR_TIMETEST_ID_DEFAULT (-2)
#define QURT_THREAD_ATTR_STID_DEFAULT 0

typedef unsigned int qurt_thread_t;

typedef struct _qurt_thread_attr {
    char name[QURT_THREAD_ATTR_NAME_MAXLEN];
    unsigned char tcb_partition;
    unsigned char stid;
    unsigned short priority; /* 1 is the highest, 255 the lowest */
    unsigned char autostack : 1;
    unsigned char reserved : 7;
    unsigned char bus_priority;
    unsigned short timetest_id;
    unsigned int stack_size; /* bytes */
    void *stack_addr;        /* lowest address, a multiple of 8 */
    unsigned short detach_state;
} qurt_thread_attr_t;

static inline void qurt_thread_attr_init(qurt_thread_attr_t *attr)
{
    attr->name[0] = 0;
    attr->tcb_partition = QURT_THREAD_ATTR_TCB_PARTITION_DEFAULT;
    attr->stid = QURT_THREAD_ATTR_STID_DEFAULT;
    attr->priority = QURT_THREAD_ATTR_PRIORITY_DEFAULT;
    attr->autostack = QURT_THREAD_ATTR_AUTOSTACK_DEFAULT;
    attr->reserved = 0;
    attr->bus_priority = QURT_THREAD_ATTR_BUS_PRIO_DEFAULT;
    attr->timetest_id = (unsigned short)QURT_THREAD_ATTR_TIMETEST_ID_DEFAULT;
    attr->stack_size = 0;
    attr->stack_addr = 0;
    attr->detach_state = QURT_THREAD_ATTR_CREATE_LEGACY;
}

/* Truncates the name to QURT_THREAD_ATTR_NAME_MAXLEN bytes, including the terminator. */
static inline void qurt_thread_attr_set_name(qurt_thread_attr_t *attr, const char *name)
{
    int i = 0;
    for (; i < QURT_THREAD_ATTR_NAME_MAXLEN - 1 && name[i]; i++)
        attr->name[i] = name[i];
    attr->name[i] = 0;
}

static inline void qurt_thread_attr_set_tcb_partition(qurt_thread_attr_t *attr,
                                                      unsigned char tcb_partition)
{
    attr->tcb_partition = tcb_partition;
}

static inline void qurt_thread_attr_set_priority(qurt_thread_attr_t *attr, unsigned short priority)
{
    attr->priority = priority;
}

static inline void qurt_thread_attr_set_detachstate(qurt_thread_attr_t *attr,
                                                    unsigned short detachstate)
{
    if (detachstate == QURT_THREAD_ATTR_CREATE_JOINABLE ||
        detachstate == QURT_THREAD_ATTR_CREATE_DETACHED)
        attr->detach_state = detachstate;
}

static inline void qurt_thread_attr_set_timetest_id(qurt_thread_attr_t *attr,
                                                    unsigned short timetest_id)
{
    attr->timetest_id = timetest_id;
}

static inline void qurt_thread_attr_set_stack_size(qurt_thread_attr_t *attr,
                                                   unsigned int stack_size)
{
    attr->stack_size = stack_size;
}

static inline void qurt_thread_attr_set_stack_addr(qurt_thread_attr_t *attr, void *stack_addr)
{
    attr->stack_addr = stack_addr;
}

static inline void qurt_thread_attr_set_bus_priority(qurt_thread_attr_t *attr,
                                                     unsigned short bus_priority)
{
    attr->bus_priority = (unsigned char)bus_priority;
}

static inline void qurt_thread_attr_set_autostack(qurt_thread_attr_t *attr,
                                                  unsigned short autostack)
{
    attr->autostack = autostack != 0;
}

/* The caller provides the stack: its address and size are attributes. Returns QURT_EOK or
 * QURT_EFAILED. */
int qurt_thread_create(qurt_thread_t *thread_id, qurt_thread_attr_t *attr,
                       void (*entrypoint)(void *), void *arg);
void qurt_thread_exit(int status);

/* Waits for the end of a thread and gets its status. A thread that was created as neither joinable
 * nor detached can be joined only while it runs. After that, returns QURT_ENOTHREAD. */
int qurt_thread_join(unsigned int tid, int *status);
int qurt_thread_detach(unsigned int tid);
qurt_thread_t qurt_thread_get_id(void);
void qurt_thread_get_name(char *name, unsigned char max_len);
int qurt_thread_get_thread_id(qurt_thread_t *thread_id, char *name);

/* Returns -1 for a thread that does not exist. */
int qurt_thread_get_priority(qurt_thread_t threadid);
int qurt_thread_set_priority(qurt_thread_t threadid, unsigned short newprio);
int qurt_thread_attr_get(qurt_thread_t thread_id, qurt_thread_attr_t *attr);
unsigned short qurt_thread_get_timetest_id(void);
void qurt_thread_set_timetest_id(unsigned short tid);
unsigned int qurt_api_version(void);

/* Sleeps for a number of microseconds. */
void qurt_sleep(unsigned long long int duration);

#ifdef __cplusplus
}
#endif

#endif
